"""Alongside the times: what is waited in all, what CPU time decides, the machine, and what else there is to read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.report.cold import question
from weigh.experiment.report.first_screen.pair import is_open
from weigh.experiment.results.cost import cost
from weigh.model import codes, units
from weigh.model.spec import CONTENTION
from weigh.model.verdict import VerdictName
from weigh.verdict.refusals.disqualified import disqualified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.results.stalls import Stalls
    from weigh.model.verdict import Verdict

_FILES = (codes.D1_WRITER.code, codes.D1_LAYOUT.code, codes.D2_FORMAT.code, codes.D5_FILES.code)
_MOST = 2
"""Totals, and verdicts of CPU time, that are reported one by one; the others are counted."""


def totals(results: ExperimentResults) -> tuple[str, ...]:
    """What one waits in all: where it is another than what is typical; else how many totals are open."""
    verdicts = results.headline.verdicts
    other = [one for one in verdicts if one.total and codes.T1_TOTAL.code in {reason.code for reason in one.reasons}]
    by_place = {(one.operation, one.contender, one.temperature): one for one in results.stalls}
    several = len(results.record.spec.contenders) > 2
    if other:
        clauses = [_total(one, by_place.get((one.operation, one.contender, one.temperature)), several) for one in other]
        more = len(clauses) - _MOST
        return (
            *clauses[:_MOST],
            *((f"On {more} more the total says something else than the typical time.",) if more > 0 else ()),
        )
    judged = [one for one in verdicts if one.total]
    still = sum(one.total.verdict is VerdictName.UNRESOLVED for one in judged if one.total)
    if all(is_open(one) for one in judged):
        return ()
    return (f"Total times: open on {still} of {len(judged)} (rare stalls weigh in them).",) if still else ()


def _total(one: Verdict, stalls: Stalls | None, several: bool) -> str:
    assert one.total is not None
    typical = {
        VerdictName.SAME: "the same",
        VerdictName.SMALL: "nearly the same",
        VerdictName.UNRESOLVED: "open",
        VerdictName.REFUSED: "open",
    }.get(one.verdict, f"{one.verdict!s} by {units.percent(abs((one.ratio or 1) - 1))}")
    place = question(one.operation, one.temperature) + (f", {one.contender}" if several else "")
    change = units.percent(abs(one.total.ratio - 1), 0)
    text = f"{place}: typically {typical}; in total {change} {one.total.verdict!s}"
    return f"{text}, because {_because(stalls)}." if stalls else f"{text}: rare executions make the difference."


def _because(stalls: Stalls) -> str:
    """``1 execution in 100 of new takes 11 times as long``."""
    share = f"1 execution in {round(1 / stalls.share)}" if stalls.share < 0.4 else units.percent(stalls.share, 0)
    return f"{share} of {stalls.whose} takes {stalls.times:.0f} times as long"


def cpu(results: ExperimentResults) -> str:
    """What CPU time decides and wall time leaves open; empty where it decides nothing."""
    settled = [one for one in results.statements if one.code == codes.M_SETTLED.code]
    if not settled or "cpu_s" not in results.analyses:
        return ""
    verdicts = {(one.operation, one.contender, one.temperature): one for one in results.analyses["cpu_s"].verdicts}
    several = len(results.record.spec.contenders) > 2
    clauses = []
    for one in settled:
        found = verdicts.get((one.operation or "", one.contender or "", one.temperature))
        if found is not None:
            place = question(found.operation, found.temperature) + (f", {found.contender}" if several else "")
            clauses.append(f"{place} {_cost(found)}")
    more = f" and {len(clauses) - _MOST} more" if len(clauses) > _MOST else ""
    return f"CPU time decides what wall time cannot: {'; '.join(clauses[:_MOST])}{more}."


def money(results: ExperimentResults) -> str:
    """What one pass over all operations costs; empty where no price was declared."""
    return cost.summary(results.cost, results.record.spec) if results.cost else ""


def rebuilt(results: ExperimentResults) -> str:
    """Over how many builds the intervals are, and what another one moves; empty where each side was built once."""
    over = [one.rebuilt for one in results.headline.verdicts if one.rebuilt is not msgspec.UNSET]
    if not over:
        return ""
    spread = max((one.spread for one in over if one.spread is not None), default=None)
    moves = "" if spread is None else f"; another pair moves a ratio by up to {units.percent(spread)} (SD)"
    return f"The intervals are over {max(one.builds for one in over)} pairs of builds{moves}."


def _cost(one: Verdict) -> str:
    if one.verdict in (VerdictName.SAME, VerdictName.SMALL):
        return "costs the same"
    change = units.percent(abs((one.ratio or 1) - 1))
    return f"costs {change} {'more' if one.verdict is VerdictName.SLOWER else 'less'}"


def builds(results: ExperimentResults) -> str:
    """Which builds were measured; empty where all versions are of the index."""
    environment = results.record.environment
    clauses = [
        f"{one.name} {one.build.short}"
        for one in (environment.contenders if environment else ())
        if one.build is not msgspec.UNSET
    ]
    return f"Measured: {', '.join(clauses)}." if clauses else ""


def data(results: ExperimentResults) -> tuple[str, ...]:
    """Who reads other files than the baseline, or reads them otherwise; first those of whom that is not all.

    None where all read the same bytes.
    """
    by_name: dict[str, list[str]] = {}
    out = disqualified(results.findings)
    for one in results.differences:
        # Nobody is compared with one that is disqualified.
        if not one.follows and one.contender not in out:
            by_name.setdefault(one.contender, []).append(str(one))
    several = {one.contender for one in results.findings if one.code in _FILES and one.severity == "warning"}
    baseline = results.record.spec.baseline
    proven = {one.contender for one in results.findings if one.code == codes.D2_SAME.code}
    clauses = [
        _read(name, by_name[name], baseline, proven=name in proven)
        + (": no figure tells whether that made a difference." if name in several else ", and nothing else differs.")
        for name in sorted(by_name, key=lambda name: name not in several)
    ]
    more = len(clauses) - _MOST
    return (*clauses[:_MOST], *((f"{more} more read other files, or read them otherwise.",) if more > 0 else ()))


def _read(name: str, those: list[str], baseline: str, *, proven: bool) -> str:
    """How a contender's reading differs from that of the baseline."""
    if len(those) == 1 and those[0].startswith("catalog: "):
        same = "the same bytes (hashed before and after)" if proven else "the same files"
        return f"{name} reads {same} as {baseline} through another table format ({those[0].removeprefix('catalog: ')})"
    if len(those) == 1 and those[0].startswith("store: "):
        return f"{name} reads the same bytes as {baseline} from another store ({those[0].removeprefix('store: ')})"
    return f"{name} reads other files than {baseline} ({', '.join(those)})"


def machine(results: ExperimentResults) -> str:
    """Whether the machine was quiet, in one sentence; empty where nobody was timed."""
    found = results.machine
    if found is None:
        return "Machine: nobody watched it." if results.headline.timings else ""
    if not results.record.samples:
        return ""
    timed = {one.contender for one in results.headline.timings}
    if timed and timed <= set(found.contention.apart):
        return "Machine: what others used of it cannot be distinguished from the servers, which are not weigh's."
    worst = found.worst
    used = f"others used {units.cpu_of_others(found.foreign + found.steal, 'the CPU of the turns', 'the turns')}"
    peak = max((one.foreign + one.steal for one in found.contention.pairs), default=0.0)
    if peak <= CONTENTION and not any(one.refused or one.stolen for one in found.contention.pairs):
        return f"Machine: quiet ({used})."
    most = units.percent(peak) if peak <= 1 else f"{peak:.3g} times"
    place = f", {most} on {worst.operation}" if worst else ""
    return f"Machine: not quiet ({used}{place})."


def notes(results: ExperimentResults) -> str:
    """How many findings there are: ``2 warnings, 3 notes``; empty without one."""
    counts = Counter(one.severity for one in results.findings)
    return ", ".join(units.count(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind])


def remedies(results: ExperimentResults) -> Iterator[str]:
    """What errors and warnings say is to be done, each once."""
    yield from dict.fromkeys(one.remedy for one in results.findings if one.severity != "note")
