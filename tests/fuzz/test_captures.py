"""Logs that `weigh capture` reads: with secrets planted in every form of statement, and bytes that no server wrote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.frame import HOSTILE, Door, command, fuzz, mutated
from support.planted_secrets import FORMATS, TOTALS, Planted, found, log, monitor, totals

if TYPE_CHECKING:
    import random
    from pathlib import Path

_STATEMENTS = 25
_FLAGS = {
    "--format": ("postgres-log", "postgres-csvlog", "postgres-jsonlog", "mysql-slow-log", "monitor",
                 "mysql-general-log", "pg_stat_statements", "performance-schema"),
    "--encoding": ("latin-1", "hex", "rot13", "punycode", "utf-16", "idna", "undefined", "unicode_escape",
    "cp037", "zlib"),
    "--log-line-prefix": ("%t", "%m [%p] ", "%z", "%", "%q", "%m,%p,", "", "%m %m %e%e", "%-5p%10m", "(%m"),
    "--database": ("shop", "0", ""),
    "--cover": ("50%", "1", "1e-9"),
    "--top": ("1", "3"),
}  # fmt: skip


def _source(chance: random.Random) -> str:
    planted = Planted(chance)
    kind = chance.choice((*FORMATS, *TOTALS))
    if kind == "monitor":
        return monitor([planted.command(chance.randrange(10_000)) for _ in range(_STATEMENTS)])
    if kind in TOTALS:
        mysql = kind == TOTALS[1]
        made = [planted.statements(chance.randrange(10_000), mysql=mysql) for _ in range(_STATEMENTS)]
        return totals([text for part in made for text, bound in part if not bound], mysql=mysql)
    calls = []
    for _ in range(_STATEMENTS):
        calls += planted.statements(chance.randrange(10_000), mysql=kind == "mysql")
    failed = [chance.random() < 0.2 for _ in calls]
    return log(kind, calls, failed)


def make_planted(chance: random.Random) -> bytes:
    return _source(chance).encode()


def use_planted(content: bytes, folder: Path) -> None:
    """No secret comes out."""
    (folder / "log").write_bytes(content)
    words = ["capture", "log", "--out", "out", "--cover", "100%", "--top", "1000"]
    flags = [("--quiet",), ("--quiet", "--json"), ("--quiet", "--obfuscate")][len(content) % 3]
    shown = command((*words, *flags), folder)
    assert shown.code == 0, shown.err
    leaked = found(folder / "out", shown.out + shown.err)
    assert not leaked, leaked


def _wrapped(text: str, chance: random.Random) -> str:
    """The lines of a log inside those of a collector."""
    key = chance.choice(("log", "textPayload", "record", "jsonPayload", "MESSAGE", "x"))
    inside = [json.loads(line) if line.startswith("{") and chance.random() < 0.5 else line for line in text.split("\n")]
    return "".join(json.dumps({key: one, "stream": "stderr"}) + "\n" for one in inside)


def make_mangled(chance: random.Random) -> bytes:
    source = _source(chance)
    text = (_wrapped(source, chance) if chance.random() < 0.2 else source).encode()
    words = []
    for flag in chance.sample(list(_FLAGS), k=chance.choice((0, 0, 1, 2))):
        value = chance.choice(_FLAGS[flag] if chance.random() < 0.9 else HOSTILE)
        words += [flag, value.replace("\0", "")]
    body = mutated(text, chance, 12) if chance.random() < 0.9 else text
    return json.dumps({"words": words, "log": body.decode("latin-1")}).encode()


def use_mangled(content: bytes, folder: Path) -> None:
    made = json.loads(content)
    (folder / "log").write_bytes(made["log"].encode("latin-1"))
    command(("capture", "log", "--out", "out", "--quiet", *made["words"]), folder)
    assert not [path for path in folder.iterdir() if path.name not in ("log", "out")]


PLANTED = Door("planted", make_planted, use_planted, few=8)
MANGLED = Door("captures", make_mangled, use_mangled, few=8)


def test_planted_secrets() -> None:
    fuzz(PLANTED)


def test_mangled_logs() -> None:
    fuzz(MANGLED)
