"""Scripts in pgbench's language that nobody meant: read, and where they can be, run on SQLite for a moment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.frame import Door, fuzz
from weigh._native import Load, LoadError

if TYPE_CHECKING:
    import random
    from pathlib import Path

SCRIPTS = (
    "\\set aid random(1, 100000 * :scale)\nSELECT abalance FROM t WHERE aid = :aid;\n",
    "\\set x 1 + 2 * (3 - 4) / 5 % 6\n\\if :x > 1 and not false\nSELECT 1;\n\\elif :x is null\nSELECT 2;\n\\else\n"
    "SELECT 3;\n\\endif\n",
    "SELECT 1 AS one \\gset p_\n\\set y case when :p_one > 0 then sqrt(:p_one) else pi() end\nSELECT :y;\n",
    "BEGIN;\n\\sleep 10 us\nSELECT 'it''s :x' || \"a\" /* c -- */ -- d\n;\nEND;\n",
    "\\set z hash_murmur2(random_zipfian(1, 10, 1.5), 7) << 3 | 1 & ~5 # 2\n\\sleep :z us\nSELECT $tag$ :z $tag$;\n",
)
PIECES = (
    "(", ")", "\\if ", "\\else\n", "\\endif\n", "\\set x ", "\\gset\n", "\\sleep 9 s\n", "case when ", " end ", ":x",
    "::", ";", "'", '"', "$$", "/*", "*/", "--", "\n", "9223372036854775807", "-9223372036854775808", "1e309", "0",
    "/0", "%0", "random(1,0)", "permute(1,2,3)", "\\", "\x00", "é", "\U0001f600", " and ", "- ", "not ",
    "random_zipfian(1,1,0)",
)  # fmt: skip


def make(chance: random.Random) -> bytes:
    """A script, mangled; or a chain or a nest of one thing."""
    if chance.random() < 0.1:
        before, middle, after = chance.choice(
            [
                ("(", "1", ")"),
                ("1+", "1", ""),
                ("not ", "true", ""),
                ("- ", "1", ""),
                ("case when true then ", "1", " end"),
            ]
        )
        times = chance.choice([100, 400, 4_000, 60_000])
        return f"\\set x {before * times}{middle}{after * times}\nSELECT :x;\n".encode()
    text = chance.choice(SCRIPTS)
    for _ in range(chance.randrange(1, 6)):
        at, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        match chance.randrange(4):
            case 0:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[min(end, at + 9) :]
            case 2:
                text = text[:at] + text[at:end] * chance.randrange(2, 4) + text[end:]
            case _:
                other = chance.choice(SCRIPTS)
                text = text[:at] + other[chance.randrange(len(other)) :]
    return text.encode()


def use(script: bytes, folder: Path) -> None:
    """Read it; run what can be read."""
    config = {
        "target": {"kind": "sqlite", "path": str(folder / "t.sqlite"), "settings": {}},
        "workload": {
            "kind": "script", "seed": 1, "variables": {}, "prepared": len(script) % 2 == 0,
            "scripts": [{"name": "fuzz", "text": script.decode(errors="replace"), "weight": 1}],
        },
        "arrivals": {"kind": "closed"}, "duration_s": 0.02, "connections": 1, "threads": 1, "max_in_flight": 1,
        "timeout_s": 0.05, "interval_s": 1.0, "spin": False,
    }  # fmt: skip
    try:
        load = Load(json.dumps(config))
        load.start()
        load.finish()
    except LoadError as error:
        assert error.kind in ("script", "setting", "refused"), error
        assert "ended early" not in error.message, error


DOOR = Door("scripts", make, use)


def test_scripts_that_nobody_meant_are_refused_or_run() -> None:
    fuzz(DOOR)
