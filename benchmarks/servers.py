"""Servers under one load: equal ones several times, and one behind a proxy that slows two requests in a hundred.

``WEIGH_SERVERS_TIMES`` [10] experiments of two equal PostgreSQL; each takes about two minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TESTS = Path(__file__).parents[1] / "tests"
_WEIGH = (str(Path(sys.executable).with_name("weigh")), "load")
_PROXIED = (sys.executable, "-m", "lies.behind_proxy", "load")
_TIMES = int(os.environ.get("WEIGH_SERVERS_TIMES", "10"))
_EQUAL = (
    "ycsb-b", "--rate", "400", "--records", "10K", "--duration", "5s", "--warmup", "1s", "--connections", "4",
    "--blocks", "5", "--no-twice", "--contender", "a=postgres:embedded", "--contender", "b=postgres:embedded",
)  # fmt: skip
_TAIL = (
    "ycsb-b", "--rate", "400", "--records", "1K", "--duration", "10s", "--warmup", "1s", "--connections", "4",
    "--blocks", "10", "--no-twice", "--margin", "10%", "--contender", "old=proxied:dawdles",
)  # fmt: skip


def run() -> Iterator[str]:
    """Verdicts of each kind; a FASTER or SLOWER of equal servers is false."""
    words: Counter[str] = Counter()
    for number in range(_TIMES):
        words.update(one["verdict"] for one in _compared(_WEIGH, *_EQUAL, "--seed", str(number)))
    false = words["faster"] + words["slower"]
    yield f"servers: two equal PostgreSQL, {_TIMES} experiments: {_line(words)}; {false} FALSE"
    for lie in ("dawdles", "lags"):
        found = {one["metric"]: one for one in _compared(_PROXIED, *_TAIL, "--contender", f"new=proxied:{lie}")}
        line = ", ".join(f"{name} {one['ratio']:.2f} {one['verdict']}" for name, one in found.items() if one["ratio"])
        yield f"servers: behind the proxy '{lie}' against 'dawdles': {line}"


def _compared(program: Sequence[str], *flags: str) -> list[dict[str, Any]]:
    """Verdicts on all operations together."""
    environment = {**os.environ, "PYTHONPATH": str(_TESTS)}
    with tempfile.TemporaryDirectory() as folder:
        command = [*program, *flags, "--json", "--quiet"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(done.stderr)
    return [one for one in json.loads(done.stdout)["verdicts"] if one["operation"] == "all"]


def _line(words: Counter[str]) -> str:
    return ", ".join(f"{count} {word}" for word, count in words.most_common())
