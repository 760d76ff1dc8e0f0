"""Suites of hundreds and thousands of small operations: false alarms of equal contenders, and what is decided.

The parts:

* ``aa``: the suite of :mod:`benchmarks.queries`, 12 templates of 25 operations over netflow, with DuckDB against
  itself: SLOWER and FASTER are false.
* ``bursts``: the same while a neighbour burns one core in random bursts of 20 s on average.
* ``tpch``: the 22 queries of TPC-H in an experiment of their own, as often: weigh measures one workload at a time.
* ``large``: 3,000 operations of 12 templates once, and then what is done with the evidence: seconds of each command.

Variables of the environment: ``WEIGH_BENCH_SUITE_PARTS`` [all], ``WEIGH_BENCH_SUITE_TIMES`` [10] experiments of each
of the first three parts, with the seeds 1, 2, ..., ``WEIGH_BENCH_SUITE_BUDGET`` [150s] of each,
``WEIGH_BENCH_SUITE_EACH`` [25] operations of a template in the parts aa and bursts, ``WEIGH_BENCH_SUITE_SF`` of TPC-H
[0.1], ``WEIGH_BENCH_SUITE_LARGE_BUDGET`` [30m], ``WEIGH_BENCH_SUITE_KEEP``, a folder for suites and evidence [removed].
weigh's own variables hold too, such as ``WEIGH_CONTENTION``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy import stats

from benchmarks import queries
from benchmarks.bursts import neighbour
from benchmarks.experiments import Outcome, measured

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTS = os.environ.get("WEIGH_BENCH_SUITE_PARTS", "aa,bursts,tpch,large").split(",")
_TIMES = int(os.environ.get("WEIGH_BENCH_SUITE_TIMES", "10"))
_BUDGET = os.environ.get("WEIGH_BENCH_SUITE_BUDGET", "150s")
_LARGE_BUDGET = os.environ.get("WEIGH_BENCH_SUITE_LARGE_BUDGET", "30m")
_SCALE_FACTOR = os.environ.get("WEIGH_BENCH_SUITE_SF", "0.1")
_KEEP = os.environ.get("WEIGH_BENCH_SUITE_KEEP", "")

_EACH = int(os.environ.get("WEIGH_BENCH_SUITE_EACH", "25"))
_LARGE_EACH = 250
"""Operations of each of the twelve templates."""
_BURST = 20.0
"""Seconds that a burst of the neighbour, and the rest after it, take on average."""
_NEIGHBOUR = 4 * 3600.0
"""Seconds after which a neighbour that was left behind ends."""
_ITSELF = ("--contender", "a=duckdb", "--contender", "b=duckdb")
_DECIDED, _CLAIMS = ("same", "small"), ("slower", "faster")
_AFTER = (("verify",), ("verify", "--sql"), ("export", "--format", "junit"), ("export", "--format", "markdown"))


@dataclass
class _Tally:
    """Verdicts of all experiments of a part.

    Attributes:
        operations: by name of the verdict.
        pooled: of each operation with the help of the others of its template; its own where it has none.
        templates: the same.
        alarmed: experiments with a false alarm.
        experiments: with a result.
        failed: experiments without one.
    """

    operations: Counter[str] = field(default_factory=Counter)
    pooled: Counter[str] = field(default_factory=Counter)
    templates: Counter[str] = field(default_factory=Counter)
    alarmed: int = 0
    experiments: int = 0
    failed: int = 0

    def add(self, made: Outcome) -> str:
        """Count an experiment, and say what came of it."""
        operations = Counter(one["verdict"] for one in made.verdicts)
        templates = Counter(one["verdict"]["verdict"] for one in made.templates)
        helped = {one["operation"]: one["verdict"] for each in made.templates for one in each.get("pooled", ())}
        pooled = Counter(helped.get(one["operation"], one["verdict"]) for one in made.verdicts if made.templates)
        claims = [one for one in [*made.verdicts, *(one["verdict"] for one in made.templates)] if _false(one)]
        self.operations += operations
        self.pooled += pooled
        self.templates += templates
        self.alarmed += bool(claims)
        self.experiments += 1
        lines = [f"exit {made.code} in {made.seconds:.0f} s", f"operations: {_counted(operations)}"]
        lines += [f"pooled: {_counted(pooled)}", f"templates: {_counted(templates)}"] if templates else []
        lines += [f"{one['operation']} {one['verdict'].upper()} x{one['ratio']:.3f}" for one in claims]
        return "; ".join([*lines, f"false alarms so far: {self.claims()}"])

    def claims(self) -> str:
        """False alarms of operations, and of templates."""
        found = [f"{_claimed(self.operations)} of {self.operations.total()} operations"]
        if self.templates:
            found.append(f"{_claimed(self.templates)} of {self.templates.total()} templates")
        return ", ".join(found)

    def lines(self, what: str) -> Iterator[str]:
        """What it adds up to."""
        failed = f"; {self.failed} WITHOUT A RESULT" if self.failed else ""
        alarmed = _share(self.alarmed, self.experiments)
        yield f"{what}: {self.experiments} experiments{failed}; with a false alarm {alarmed}"
        for kind, found in (("operations", self.operations), ("pooled", self.pooled), ("templates", self.templates)):
            if found:
                decided = sum(found[name] for name in (*_DECIDED, *_CLAIMS))
                yield (
                    f"{what}: {kind}: {_counted(found)}; decided {decided} of {found.total()} "
                    f"({decided / found.total():.1%}); false alarms {_share(_claimed(found), found.total())}"
                )


def run() -> Iterator[str]:
    """Each part that is asked for, a line as soon as it is known."""
    for name in _PARTS:
        if name not in _ALL:
            raise SystemExit(f"there is no '{name}'; known: {', '.join(_ALL)}")
    yield f"suite: {_TIMES} times, budget {_BUDGET}, of 3,000 operations {_LARGE_BUDGET}; parts {', '.join(_PARTS)}"
    for name in _PARTS:
        with nullcontext(_KEEP) if _KEEP else tempfile.TemporaryDirectory() as folder:
            yield from _ALL[name](Path(str(folder)) / name)


def _itself(folder: Path) -> Iterator[str]:
    yield from _series(f"A/A, {queries.TEMPLATES * _EACH} operations", folder, (str(queries.write(folder, _EACH)),))


def _bursts(folder: Path) -> Iterator[str]:
    yield from _series(
        f"A/A, {queries.TEMPLATES * _EACH} operations, bursts",
        folder,
        (str(queries.write(folder, _EACH)),),
        disturbed=True,
    )


def _tpch(folder: Path) -> Iterator[str]:
    flags = ("--workload", "tpch-dbgen", "--scale", _SCALE_FACTOR)
    yield from _series(f"A/A, TPC-H SF {_SCALE_FACTOR}", folder, flags)


def _series(what: str, folder: Path, flags: tuple[str, ...], *, disturbed: bool = False) -> Iterator[str]:
    """Experiments that differ in their seeds, and what they add up to."""
    tally = _Tally()
    for seed in range(1, _TIMES + 1):
        before = f"{what}, seed {seed}, load {os.getloadavg()[0]:.2f}"
        with neighbour(seed, _NEIGHBOUR, _BURST) if disturbed else nullcontext():
            made = _made(folder / str(seed), *flags, "--budget", _BUDGET, "--seed", str(seed))
        tally.failed += made is None
        yield f"{before}: " + (tally.add(made) if made else "no result")
    yield from tally.lines(what)


def _large(folder: Path) -> Iterator[str]:
    """3,000 operations, once; its evidence as every reader of it has it."""
    what, tally = "A/A, 3,000 operations", _Tally()
    file = queries.write(folder, _LARGE_EACH)
    made = _made(folder / "runs", str(file), "--budget", _LARGE_BUDGET, "--seed", "1")
    yield f"{what}: " + (tally.add(made) if made else "no result")
    if made is None:
        return
    yield from tally.lines(what)
    evidence = next(one for one in sorted((folder / "runs").iterdir()) if one.is_dir())
    page = next(evidence.glob("*.html"))
    yield f"{what}: {page.name} {page.stat().st_size / 1e6:.2f} MB"
    for words in (*_AFTER, ("history", "add", "--to", str(folder / "history"))):
        yield f"{what}: {' '.join(words[:3])}: " + _read(*words, str(evidence))
    audit = ("workloads", "audit", "--contender", "duckdb", str(file.parent / "queries"))
    yield f"{what}: {' '.join(audit[:2])}: " + _read(*audit, folder=file.parent)


def _read(*words: str, folder: Path | None = None) -> str:
    """A command: exit code, seconds, lines."""
    weigh = Path(sys.executable).with_name("weigh")
    began = time.monotonic()
    done = subprocess.run([str(weigh), *words], check=False, stdout=subprocess.PIPE, cwd=folder)
    return f"exit {done.returncode} in {time.monotonic() - began:.1f} s, {len(done.stdout.splitlines()):,} lines"


_ALL = {"aa": _itself, "bursts": _bursts, "tpch": _tpch, "large": _large}


def _made(keep: Path, *flags: str) -> Outcome | None:
    """One experiment; None where weigh ended without one, which it has explained on stderr."""
    try:
        return measured(*flags, *_ITSELF, keep=keep, codes=(0, 1, 3))
    except subprocess.CalledProcessError:
        return None


def _false(verdict: dict[str, Any]) -> bool:
    return verdict["verdict"] in _CLAIMS


def _claimed(found: Counter[str]) -> int:
    return sum(found[name] for name in _CLAIMS)


def _counted(names: Counter[str]) -> str:
    return ", ".join(f"{count} {name.upper()}" for name, count in names.most_common()) or "none"


def _share(hits: int, total: int) -> str:
    """With the upper end of the one-sided 95 % interval of Clopper and Pearson."""
    if not total:
        return "0 of 0"
    high = stats.binomtest(hits, total, alternative="less").proportion_ci(0.95).high
    return f"{hits} of {total} (at most {high:.2%} with 95 % confidence)"
