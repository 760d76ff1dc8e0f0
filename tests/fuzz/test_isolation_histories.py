"""Histories of transactions, as `weigh verify` checks those that lie in evidence."""

from __future__ import annotations

import functools
import gzip
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fuzz.frame import HOSTILE, ODD, Door, elsewhere, fuzz, mutated
from weigh.load.isolation.checking import checked

if TYPE_CHECKING:
    import random
    from pathlib import Path


@functools.cache
def whole() -> tuple[dict[str, Any], ...]:
    """Lines of a history: lists, registers, every outcome."""
    lines: list[dict[str, Any]] = []
    for at in range(1, 9):
        value = [["append", 1, at], ["r", 1, list(range(1, at + 1))], ["w", 3, at], ["get", 3, at], ["r", 2, []]]
        usual = {"process": at % 3, "f": "txn", "value": value}
        kind = ("ok", "fail", "info")[at % 7 % 3]
        lines.append({"index": 2 * at, "type": "invoke", "time": 10 * at, **usual})
        lines.append({"index": 2 * at + 1, "type": kind, "time": 10 * at + 5, "isolation": "serializable", **usual})
    return tuple(lines)


def text(lines: list[Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in lines).encode()


def make(chance: random.Random) -> bytes:
    lines = [json.loads(json.dumps(one)) for one in whole()]
    match chance.randrange(4):
        case 0:
            place = chance.randrange(len(lines))
            lines[place] = elsewhere(lines[place], chance, [*ODD, *HOSTILE, 2**32 - 1, 2**64])
            return gzip.compress(text(lines))
        case 1:
            chance.shuffle(lines)
            return gzip.compress(text(lines))
        case 2:
            return gzip.compress(mutated(text(lines), chance))
        case _:
            return mutated(gzip.compress(text(lines)), chance)


def use(content: bytes, folder: Path) -> None:
    path = folder / "history-1.jsonl.gz"
    path.write_bytes(content)
    with suppress(ValueError):
        assert checked(path).committed <= len(whole())


ISOLATION = Door("isolation", make, use, few=60)


def test_histories_of_transactions() -> None:
    fuzz(ISOLATION)


def test_the_history_itself_is_read(tmp_path: Path) -> None:
    """Else the door would be tried with what it refuses at a glance."""
    path = tmp_path / "history-1.jsonl.gz"
    path.write_bytes(gzip.compress(text(list(whole()))))
    assert checked(path).committed > 2
