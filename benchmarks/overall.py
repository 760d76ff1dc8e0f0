"""The overall ratio on this machine as it is: how often it is decided, and how often wrongly.

``WEIGH_OVERALL_TIMES`` [20] experiments of each part, with the seeds 1, 2, ..., over twelve operations of netflow with
``WEIGH_OVERALL_SCALE`` rows [1M]:

* four contenders of one DuckDB, 40 s: SAME is right, FASTER and SLOWER are false;
* DuckDB against one that is slower by 10 % by construction (:mod:`benchmarks.slower`), 30 s: SLOWER is right.
"""

from __future__ import annotations

import os
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import slower
from benchmarks.experiments import measured

if TYPE_CHECKING:
    from collections.abc import Iterator

_TIMES = int(os.environ.get("WEIGH_OVERALL_TIMES", "20"))
_SCALE = os.environ.get("WEIGH_OVERALL_SCALE", "1M")
_OPERATIONS = (
    "eq_user,eq_src_ip,eq_dst_port,eq_action,ne_user,in_users,bytes_range,time_window,by_action,by_proto,top_talkers,"
    "top_ports"
)
_NOTHING = 3
"""Exit code of a run that decides nothing."""


def run() -> Iterator[str]:
    """Both parts."""
    alike = tuple(word for name in "abcd" for word in ("--contender", f"{name}=duckdb"))
    yield from _part("four of one engine", "same", "40s", alike)
    by = ("--contender", "a=duckdb", "--contender", "b=slower?weigh.slower=0.1")
    yield from _part("one of two slower by 10 %", "slower", "30s", by)


def _part(what: str, right: str, budget: str, contenders: tuple[str, ...]) -> Iterator[str]:
    words: Counter[str] = Counter()
    seconds = []
    with slower.environment() as environment:
        for seed in range(1, _TIMES + 1):
            flags = ("--workload", "netflow", "--scale", _SCALE, "--operations", _OPERATIONS, "--budget", budget)
            made = measured(*flags, "--seed", str(seed), *contenders, environment=environment, codes=(0, 1, _NOTHING))
            found = Counter(one["verdict"]["verdict"] for one in made.overall) or Counter(["none"])
            words += found
            seconds.append(made.seconds)
            yield f"{what}, {budget}, seed {seed}: " + ", ".join(f"{n} {word}" for word, n in found.items())
    total = sum(words.values())
    false = sum(words[word] for word in ("faster", "slower", "same") if word != right)
    yield (
        f"{what}, {budget}, {_TIMES} experiments: {words[right]} of {total} {right.upper()}, {false} false, "
        f"median {median(seconds):.0f} s with the gate"
    )
