"""How often weigh decides on this machine as it is, how often wrongly, and how soon; beside the rules of other tools.

The parts, each of ``WEIGH_DECIDE_TIMES`` experiments with the seeds 1, 2, ...:

* ``netflow``, ``tpch``: DuckDB against itself. Nothing differs: SAME and SMALL are right, SLOWER and FASTER false.
* ``bursts``: the same while a neighbour burns one core in random bursts: by turns, and as a duet.
* ``slower``: against DuckDB that is slower by 5 % and by 10 % by construction (:mod:`benchmarks.slower`), at the
  default margin of 3 %: SLOWER is right; SAME, SMALL and FASTER are false.
* ``first``: seconds from starting weigh to its end on one query of about 10 ms, 10 % slower by construction.
* ``starts``: DuckDB against itself with ten starts of one turn of three, in at most the same time.

Variables of the environment: ``WEIGH_DECIDE_TIMES`` [5], ``WEIGH_DECIDE_BUDGET`` [5m], ``WEIGH_DECIDE_PARTS`` [all],
``WEIGH_DECIDE_WORKLOADS`` of the parts bursts, slower and starts [netflow], ``WEIGH_DECIDE_SCALE`` of netflow [1M] and
``WEIGH_DECIDE_SF`` of TPC-H [0.1], ``WEIGH_DECIDE_OPERATIONS`` of netflow and ``WEIGH_DECIDE_QUERIES`` of TPC-H [all],
``WEIGH_DECIDE_OPERATION`` of the part first [the one nearest to 10 ms], ``WEIGH_DECIDE_KEEP``, a folder for the
evidence [removed]. weigh's own variables hold too, such as ``WEIGH_CONTENTION``.
"""

from __future__ import annotations

import math
import os
import subprocess
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import others_rules, slower
from benchmarks.bursts import neighbour
from benchmarks.experiments import Outcome, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TIMES = int(os.environ.get("WEIGH_DECIDE_TIMES", "5"))
_BUDGET = os.environ.get("WEIGH_DECIDE_BUDGET", "5m")
_PARTS = os.environ.get("WEIGH_DECIDE_PARTS", "netflow,tpch,bursts,slower,first,starts").split(",")
_WORKLOADS = os.environ.get("WEIGH_DECIDE_WORKLOADS", "netflow").split(",")
_SCALES = {
    "netflow": os.environ.get("WEIGH_DECIDE_SCALE", "1M"),
    "tpch": os.environ.get("WEIGH_DECIDE_SF", "0.1"),
}
_OPERATIONS = {
    "netflow": os.environ.get("WEIGH_DECIDE_OPERATIONS", ""),
    "tpch": os.environ.get("WEIGH_DECIDE_QUERIES", ""),
}
_OPERATION = os.environ.get("WEIGH_DECIDE_OPERATION", "")
_KEEP = os.environ.get("WEIGH_DECIDE_KEEP", "")

_NAMES = {"netflow": "netflow", "tpch": "tpch-dbgen"}
"""As weigh knows them; of dbgen's data all 22 answers are published."""
_MARGIN = "5%"
_SLOWER_MARGIN = "3%"
_NEIGHBOUR = 3600.0
"""Seconds after which a neighbour that was left behind ends."""
_FIRST_S = 30.0
_TEN_MS = 0.010
_RIGHT, _CLAIMS = ("same", "small"), ("slower", "faster")
_DECIDED = (*_RIGHT, *_CLAIMS)


class Goal(NamedTuple):
    """What share of the comparisons shall have one of some verdicts.

    Attributes:
        words: what is counted.
        names: the verdicts that count.
        least: the share; None where it is only told.
    """

    words: str
    names: tuple[str, ...]
    least: float | None = None


@dataclass
class Tally:
    """What came of a part.

    Attributes:
        names: verdicts by name.
        totals: verdicts on the total by name.
        apart: comparisons whose 99 % interval excludes 1.
        ratios: of the comparisons that have one.
        reasons: codes of what is not decided.
        others: operations that each other rule finds different.
        judged: operations that the other rules had.
        failed: experiments without a result.
    """

    names: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    apart: int = 0
    ratios: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    judged: int = 0
    failed: int = 0

    def add(self, made: Outcome) -> str:
        """Count an experiment, and say what came of it."""
        names = Counter(one["verdict"] for one in made.verdicts)
        others, judged = others_rules.claims(made.samples, "b", "a")
        self.names += names
        self.totals += Counter(one["total"]["verdict"] for one in made.verdicts if one["total"])
        self.apart += sum(one["low"] is not None and not one["low"] <= 1 <= one["high"] for one in made.verdicts)
        self.ratios += [one["ratio"] for one in made.verdicts if one["ratio"] is not None]
        for one in made.verdicts:
            if one["verdict"] not in _DECIDED:
                self.reasons.update({reason["code"] for reason in one["reasons"]} or {"no reason"})
        self.others += others
        self.judged += judged
        starts = sorted({one["starts"] for one in made.verdicts})
        claimed = "".join(
            f"; {one['operation']} {one['verdict'].upper()} x{one['ratio']:.3f}"
            for one in made.verdicts
            if one["verdict"] in _CLAIMS
        )
        took = f"in {made.seconds:.0f} s, {_span(starts)} starts"
        return f"{_counted(names)} {took}{claimed}; others: {_shares(others, judged)}"

    def lines(self, what: str, goals: tuple[Goal, ...], false: tuple[str, ...], truth: str) -> Iterator[str]:
        """What it adds up to, with the goals."""
        every = self.names.total()
        failed = f", {self.failed} EXPERIMENTS WITHOUT A RESULT" if self.failed else ""
        for goal in goals:
            yield f"{what}: {goal.words} {self._part(goal.names)}{_against(goal, self, every)}{failed}"
        wrong, totals = (sum(found[name] for name in false) for found in (self.names, self.totals))
        outcome = "REACHED" if every and not wrong + totals and not self.failed else "NOT REACHED"
        counts = f"{wrong} of {every}, on the total {totals} of {self.totals.total()}"
        yield f"{what}: false verdicts ({', '.join(false).upper()}) {counts} (goal none: {outcome})"
        yield f"{what}: all verdicts {_counted(self.names)}; on the total {_counted(self.totals)}"
        yield f"{what}: reasons of what is not decided: {_counted(self.reasons)}"
        middle = f"{median(self.ratios):.3f}" if self.ratios else "none"
        yield f"{what}: 99 % interval without 1: {self.apart} of {every}; median ratio {middle}"
        yield f"{what}: {truth} by other rules on the same executions: {_shares(self.others, self.judged)}"

    def _part(self, names: tuple[str, ...]) -> str:
        every, hits = self.names.total(), sum(self.names[name] for name in names)
        return f"{hits} of {every}" + (f" ({hits / every:.1%})" if every else "")


_ITSELF = (Goal("SAME or SMALL", _RIGHT, 0.90),)
_DISTURBED = (Goal("decided", _DECIDED, 0.80),)
_FOUND = ("slower",)
_FALSE_ALARMS, _FINDINGS = "false alarms", "differences found"


def run() -> Iterator[str]:
    """Each part that is asked for, a line as soon as it is known."""
    for given, known in ((_PARTS, _ALL), (_WORKLOADS, _SCALES)):
        for name in given:
            if name not in known:
                raise SystemExit(f"there is no '{name}'; known: {', '.join(known)}")
    yield (
        f"decide: {_TIMES} times, budget {_BUDGET}; parts {', '.join(_PARTS)}; bursts, slower and starts on "
        f"{', '.join(_WORKLOADS)}; "
        + "; ".join(f"{name} {scale}, operations {_OPERATIONS[name] or 'all'}" for name, scale in _SCALES.items())
        + (f"; WEIGH_CONTENTION={os.environ['WEIGH_CONTENTION']}" if "WEIGH_CONTENTION" in os.environ else "")
    )
    for part in _PARTS:
        yield from _ALL[part]()


def _itself(workload: str) -> Iterator[str]:
    flags = ("--margin", _MARGIN, "--budget", _BUDGET)
    yield from _series(f"itself, {workload}", workload, _plain(), flags, _ITSELF, _CLAIMS)


def _bursts() -> Iterator[str]:
    flags = ("--margin", _MARGIN, "--budget", _BUDGET)
    for workload in _WORKLOADS:
        for how, duet in (("by turns", ()), ("duet", ("--duet",))):
            what = f"bursts, {how}, {workload}"
            yield from _series(what, workload, _plain(), (*duet, *flags), _DISTURBED, _CLAIMS, disturbed=True)


def _slower() -> Iterator[str]:
    flags = ("--margin", _SLOWER_MARGIN, "--budget", _BUDGET)
    for workload in _WORKLOADS:
        for by, least in ((0.05, 0.90), (0.10, 0.99)):
            goals = (Goal("found SLOWER", _FOUND, least),)
            false = ("same", "small", "faster")
            what = f"slower by {by:.0%}, {workload}"
            yield from _series(what, workload, _plain(by), flags, goals, false, truth=_FINDINGS)


def _starts() -> Iterator[str]:
    flags = ("--starts", "10", "--rounds", "1", "--runs", "3", "--margin", _MARGIN, "--budget", _BUDGET)
    goals = (Goal("SAME or SMALL", _RIGHT), Goal("decided", _DECIDED), Goal("REFUSED", ("refused",)))
    for workload in _WORKLOADS:
        yield from _series(f"10 starts of one turn of 3, {workload}", workload, _plain(), flags, goals, _CLAIMS)


def _series(
    what: str,
    workload: str,
    contenders: tuple[str, ...],
    flags: tuple[str, ...],
    goals: tuple[Goal, ...],
    false: tuple[str, ...],
    *,
    truth: str = _FALSE_ALARMS,
    disturbed: bool = False,
) -> Iterator[str]:
    """Experiments that differ in their seeds, and what they add up to."""
    tally = Tally()
    words = (*_data(workload), *contenders, *flags)
    for seed in range(1, _TIMES + 1):
        before = f"{what}, seed {seed}, load {os.getloadavg()[0]:.2f}"
        with neighbour(seed, _NEIGHBOUR) if disturbed else nullcontext():
            made = _made(f"{what} {seed}", *words, "--seed", str(seed))
        if made is None:
            tally.failed += 1
        yield f"{before}: " + (tally.add(made) if made else "no result")
    yield from tally.lines(what, goals, false, truth)


def _first() -> Iterator[str]:
    """The first verdict on one query, at all defaults."""
    operation = _OPERATION
    if not operation:
        short = ("--starts", "5", "--rounds", "1", "--runs", "1")
        made = _made("first, all operations", *_data("netflow"), *_plain(), *short)
        if made is None:
            yield "first: no result on all operations"
            return
        operation, seconds = _nearest(made, _TEN_MS)
        yield f"first: {operation} is nearest to 10 ms, {seconds * 1e3:.1f} ms here"
    tally, ends, decided, measuring = Tally(), [], [], []
    for seed in range(1, _TIMES + 1):
        before = f"first, {operation}, seed {seed}, load {os.getloadavg()[0]:.2f}"
        flags = (*_data("netflow", operation), *_plain(0.10), "--budget", _BUDGET, "--seed", str(seed))
        made = _made(f"first {seed}", *flags)
        verdicts = {one["verdict"] for one in made.verdicts} if made else set()
        ends.append(made.seconds if made else math.inf)
        decided.append(ends[-1] if verdicts & {*_DECIDED} else math.inf)
        measuring.append(max((one.at for one in made.samples), default=0.0) if made else 0.0)
        tally.failed += made is None
        yield f"{before}: " + (tally.add(made) if made else "no result")
    outcome = "REACHED" if median(decided) < _FIRST_S else "NOT REACHED"
    yield (
        f"first, {operation}: from the start of weigh to its end median {median(ends):.1f} s, {min(ends):.1f} to "
        f"{max(ends):.1f} s, {median(measuring):.1f} s of it measuring; to a verdict median {median(decided):.1f} s, "
        "infinite where it was left undecided "
        f"(goal < {_FIRST_S:.0f} s: {outcome})"
    )
    goals = (Goal("found SLOWER", _FOUND), Goal("decided", _DECIDED))
    yield from tally.lines(f"first, {operation}", goals, ("same", "small", "faster"), _FINDINGS)


_ALL: dict[str, Callable[[], Iterator[str]]] = {
    "netflow": lambda: _itself("netflow"),
    "tpch": lambda: _itself("tpch"),
    "bursts": _bursts,
    "slower": _slower,
    "first": _first,
    "starts": _starts,
}


def _plain(by: float = 0.0) -> tuple[str, ...]:
    """The contenders: DuckDB as ``a``, and as ``b`` itself, or made slower."""
    other = f"slower?weigh.slower={by}" if by else "duckdb"
    return ("--contender", "a=duckdb", "--contender", f"b={other}")


def _data(workload: str, operations: str = "") -> tuple[str, ...]:
    operations = operations or _OPERATIONS[workload]
    chosen = ("--operations", operations) if operations else ()
    return ("--workload", _NAMES[workload], "--scale", _SCALES[workload], *chosen)


def _made(label: str, *flags: str) -> Outcome | None:
    """One experiment; None where weigh ended without one, which it has explained on stderr."""
    keep = Path(_KEEP) / label.replace(", ", " ").replace(" ", "-") if _KEEP else None
    with slower.environment() as environment:
        try:
            return measured(*flags, environment=environment, keep=keep)
        except subprocess.CalledProcessError:
            return None


def _nearest(made: Outcome, seconds: float) -> tuple[str, float]:
    """The operation whose median execution is nearest to that time, and this median."""
    times: dict[str, list[float]] = {}
    for one in made.samples:
        if one.timed and one.wall_s:
            times.setdefault(one.operation, []).append(one.wall_s)
    middles = {name: median(each) for name, each in times.items()}
    name = min(middles, key=lambda one: abs(math.log(middles[one] / seconds)))
    return name, middles[name]


def _against(goal: Goal, tally: Tally, every: int) -> str:
    if goal.least is None:
        return ""
    share = sum(tally.names[name] for name in goal.names) / every if every else 0.0
    outcome = "REACHED" if share >= goal.least and not tally.failed else "NOT REACHED"
    return f" (goal >= {goal.least:.0%}: {outcome})"


def _counted(names: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in names.most_common()) or "none"


def _shares(found: Counter[str], judged: int) -> str:
    return ", ".join(f"{name} {found[name]} of {judged}" for name in others_rules.RULES)


def _span(numbers: list[int]) -> str:
    if not numbers:
        return "no"
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
