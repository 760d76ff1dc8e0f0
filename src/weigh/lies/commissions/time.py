"""Times, and what is concluded from them.

What is concluded is the lie, so most are made of times that are written down here, by a law that is known: the same on
every machine.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from weigh.lies.commission import Act, Commission
from weigh.lies.commissions.words import SMALL, contenders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_JUDGE = "judge times.csv --baseline old --json"


def _times(
    folder: Path,
    *,
    ratio: float = 1.0,
    spread: float = 0.01,
    starts: int = 20,
    runs: int = 5,
    seed: int = 5,
    in_turn: bool = True,
    stall: float = 0.0,
    operations: int = 0,
    memory: float = 0.0,
) -> None:
    """Two programs; ``old`` takes 100 ms.

    Args:
        folder: in which ``times.csv`` is written.
        ratio: of ``new`` to ``old``; of operations only the first differs.
        spread: standard deviation of the logarithm from start to start; a fifth of it from run to run.
        starts: of each.
        runs: in a start.
        seed: of what is random.
        in_turn: old new, new old; else all of ``old`` first.
        stall: factor of one run in each start of ``new``.
        operations: how many there are; 0 for one without a name.
        memory: how much of what a start of ``new`` is off by the next one is off by too.
    """
    import numpy as np

    draw = np.random.default_rng(seed)
    rows = []
    order = [(name, start) for start in range(starts) for name in (("old", "new"), ("new", "old"))[start % 2]]
    if not in_turn:
        order.sort(key=lambda one: one[0] == "new")
    for operation in range(max(operations, 1)):
        lasting = 0.0
        for name, start in order:
            off = spread * draw.normal()
            if memory and name == "new":
                off = lasting = memory * lasting + np.sqrt(1 - memory**2) * off
            level = np.log(100.0) + off + np.log(ratio) * (name == "new" and operation == 0)
            for run in range(runs):
                factor = stall if stall and name == "new" and run == 0 else 1.0
                value = factor * np.exp(level + spread / 5 * draw.normal())
                rows.append(f"{name},q{operation},{start},{value:.6f}")
    (folder / "times.csv").write_text("\n".join(("contender,operation,start,time_ms", *rows)) + "\n")


def _judged(**law: object) -> Act:
    made: Callable[[Path], None] = partial(_times, **law)  # type: ignore[arg-type]
    return Act(steps=(made, _JUDGE))


def _series(folder: Path, *, shuffled: bool) -> None:
    """2,000 latencies whose neighbours are correlated by .99: 199 are worth one; or the same ones in random order."""
    import numpy as np

    draw = np.random.default_rng(3)
    values, level = [], 0.0
    for noise in draw.normal(0, (1 - 0.99**2) ** 0.5, 7_000):
        level = 0.99 * level + noise
        values.append(10.0 + level)
    series = np.asarray(values[5_000:])
    series = draw.permutation(series) if shuffled else series
    (folder / "latency_ms.csv").write_text("latency_ms\n" + "\n".join(f"{one:.9f}" for one in series) + "\n")


def _removed(folder: Path) -> None:
    """The first attempt, which did not please."""
    import shutil

    first = min((folder / "runs").iterdir(), key=lambda path: int(path.name.rsplit("-", 1)[1]))
    shutil.rmtree(first)


_TWICE = "run --contender duckdb --contender twin=duckdb --operations by_action --starts 2 --rounds 1 --runs 1 " + SMALL
_HANGS = contenders(
    base="liar?lie=pace&ms=15", twin="liar?lie=pace&ms=15", liar="liar?lie=pace&ms=15&every=24&stall=100"
)

COMMISSIONS = {
    "T1": Commission(
        liar=_judged(spread=0.035, starts=12, seed=2), code="UNRESOLVED", twin=_judged(ratio=1.2), twin_text="SLOWER"
    ),
    "T3": Commission(
        liar=Act(steps=(partial(_series, shuffled=False), "judge latency_ms.csv --json")),
        code="T3.short",
        twin=Act(steps=(partial(_series, shuffled=True), "judge latency_ms.csv --json")),
    ),
    "T5": Commission(liar=_judged(ratio=1.2, in_turn=False), code="T5", twin=_judged(ratio=1.2), twin_text="SLOWER"),
    "T6": Commission(
        liar=_judged(ratio=1.01, spread=0.002, starts=30), code="SMALL", twin=_judged(ratio=1.2), twin_text="SLOWER"
    ),
    "T7": Commission(
        liar=_judged(ratio=1.2, spread=0.5), code="T7.unstable", twin=_judged(ratio=1.2), twin_text="SLOWER"
    ),
    "T8": Commission(
        liar=Act(steps=(_TWICE, _TWICE, _removed, "verify latest --json")),
        code="T8.missing",
        twin=Act(steps=(_TWICE, _TWICE, "verify latest --json")),
        twin_text="PASSED",
    ),
    "T10": Commission(
        liar=_judged(ratio=1.2, starts=3), code="T10.starts", twin=_judged(ratio=1.2), twin_text="SLOWER"
    ),
    "T11": Commission(
        liar=_judged(spread=0.035, starts=12, seed=2),
        code="UNRESOLVED",
        twin=_judged(spread=0.003, starts=30),
        twin_text="SAME",
    ),
    "T12": Commission(
        liar=_judged(spread=0.003, runs=9, stall=11.0), code="T1.total", twin=_judged(spread=0.003, runs=9)
    ),
    "T13": Commission(
        liar=Act(
            steps=(
                f"run {_HANGS} --workload two --operations unordered --timeout 1s "
                f"--starts 1 --rounds 6 --runs 3 {SMALL}",
            )
        ),
        code="X.timeout",
        of="liar",
    ),
    "T14": Commission(
        liar=_judged(spread=0.02, starts=200, memory=0.95),
        code="T14",
        twin=_judged(spread=0.02, starts=200),
        twin_text="SAME",
    ),
}

ELSEWHERE = {
    "T15": "what is carried over from turn to turn is told over a hundred of them: it is simulated",
    "T2": "climbing scales takes minutes",
    "T4": "it needs a machine that gets slower, or ten starts of engines that do",
    "T9": "its liar is a session of many comparisons, of which some always differ by chance: hundreds are simulated",
}
