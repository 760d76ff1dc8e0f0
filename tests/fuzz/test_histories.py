"""Files of other tools and entries of others, as `weigh history` adds and shows them."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import msgspec

from fuzz.frame import HOSTILE, ODD, Door, command, elsewhere, fuzz, mutated
from support.history_records import entry, values, written
from weigh.history.entry import SUFFIX, digested

if TYPE_CHECKING:
    import random
    from pathlib import Path

_CSV = b"time,commit,branch,q1,q2\n" + b"".join(
    b"2026-01-%02dT00:00:00Z,c%02d,main,%d.5,0.%d\n" % (1 + at % 28, at, 100 + at % 3, 1 + at) for at in range(24)
)
_CLICKBENCH = {"system": "X", "date": "2026-01-01", "machine": "m", "cluster_size": 1, "tuned": "no"}
_RESULTS = [[1.0, 0.5, 0.4], [None, 0.2, 0.3], [3e-3, None, None]]
_TRIES = (
    "inf",
    "-inf",
    "nan",
    "1e308",
    "1e-320",
    "1e999",
    "0",
    "-1",
    "x" * 3000,
    "9999-12-31",
    "1e300",
    '"a\nb"',
    "=1+1",
)


@functools.cache
def stored() -> tuple[dict[str, Any], ...]:
    """Entries as they lie in a history."""
    made = [entry(at, one) for at, one in enumerate(values(20, 3, {10: 1.3}), 1)]
    return tuple(msgspec.to_builtins(one) for one in made)


def make(chance: random.Random) -> bytes:
    match chance.randrange(4):
        case 0:
            cells = [line.split(b",") for line in _CSV.splitlines()]
            for _ in range(chance.randrange(1, 5)):
                row = chance.choice(cells)
                row[chance.randrange(len(row))] = chance.choice(_TRIES).encode()
            return b"\n".join(b",".join(row) for row in cells)
        case 1:
            return mutated(_CSV, chance)
        case 2:
            document = json.loads(json.dumps({**_CLICKBENCH, "result": _RESULTS}))
            return json.dumps(elsewhere(document, chance, [*ODD, *HOSTILE])).encode()
        case _:
            document = json.loads(json.dumps(chance.choice(stored())))
            return json.dumps(elsewhere(document, chance, [*ODD, *HOSTILE])).encode()


def use(content: bytes, folder: Path) -> None:
    history = written(folder / "h", [entry(at, one) for at, one in enumerate(values(13, 3, {6: 1.3}), 40)])
    if content[:1] == b"{" and b'"schema"' in content:
        document = json.loads(content)
        if isinstance(document, dict):
            # Somebody who makes entries knows how they are hashed.
            document["digest"] = digested({**document, "digest": ""})
        (history / f"odd{SUFFIX}").write_text(json.dumps(document))
    else:
        (folder / "x.csv").write_bytes(content)
        command(("history", "add", "x.csv", "--to", "h"), folder)
    shown = command(("history", "show", "--from", "h"), folder)
    assert "13 records" in shown.out or "14 records" in shown.out, shown.out[:300]
    command(("history", "show", "--from", "h", "--json"), folder)
    command(("history", "show", "--from", "h", "--html", "-"), folder)


HISTORIES = Door("histories", make, use, few=10)


def test_histories() -> None:
    fuzz(HISTORIES)
