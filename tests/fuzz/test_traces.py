"""Traces of arrivals, scales and rates of `weigh load`, up to where a server would be reached."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.frame import HOSTILE, Door, command, fuzz, mutated

if TYPE_CHECKING:
    import random
    from pathlib import Path

_TRACE = b"".join(b"%d.%03d\n" % (n // 10, n % 10 * 100) for n in range(200))
_ARRIVALS = ("trace:t.txt", "constant", "poisson", "bursts:4:1s", "ramp:2000", "steps:500,1000:30s")
_FLAGS = {
    "--rate": ("1000", "1K", "0.5"), "--duration": ("10s", "1m"), "--warmup": ("1s",), "--connections": ("4", "1,2,4"),
    "--records": ("1K",), "--fanout": ("3",), "--max-in-flight": ("10",), "--timeout": ("1s",), "--threads": ("2",),
    "--error-budget": ("1%",), "--repeats": ("2",), "--seed": ("1",), "--define": ("x=1",),
}  # fmt: skip


def make(chance: random.Random) -> bytes:
    trace = mutated(_TRACE, chance) if chance.random() < 0.6 else _TRACE
    words = ["--arrivals", _ARRIVALS[0] if trace is not _TRACE else chance.choice(_ARRIVALS)]
    for flag in chance.sample(list(_FLAGS), k=chance.randrange(3)):
        words += [flag, chance.choice(_FLAGS[flag])]
    if trace is _TRACE:
        at = chance.randrange(1, len(words), 2)
        words[at] = chance.choice(HOSTILE) if chance.random() < 0.2 else mutated(words[at].encode(), chance, 2).decode(
            errors="surrogateescape"
        )  # fmt: skip
    return json.dumps({"words": [word.replace("\0", "") for word in words], "trace": trace.decode("latin-1")}).encode()


def use(content: bytes, folder: Path) -> None:
    made = json.loads(content)
    (folder / "t.txt").write_bytes(made["trace"].encode("latin-1"))
    # Nobody listens there: what is right ends with that.
    target = "postgres://nobody@127.0.0.1:1/none"
    assert command(("load", "ycsb-a", "--target", target, *made["words"], "--quiet"), folder).code == 2


TRACES = Door("traces", make, use)


def test_traces() -> None:
    fuzz(TRACES)
