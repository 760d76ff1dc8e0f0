"""What a load is good for, and what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.activity.cycles import CYCLES
from weigh.load.analysis import conditions, lacking, machine
from weigh.load.analysis.cycles import of_load
from weigh.load.gate import findings as gate
from weigh.model import codes
from weigh.model.units import count, seconds
from weigh.model.verdict import Reason, Tier, TierName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.load.activity.kinds import RunActive
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.analysis.machine import LoadMachine
    from weigh.load.gate.results import GateResults
    from weigh.load.record import LoadRecord
    from weigh.load.runs import TargetRead
    from weigh.load.spec import LoadSpec
    from weigh.model.finding import Finding

_WARM_UP, _STEADY = 300.0, 1500.0
_DISTURBING = tuple(one.code for one in (codes.E4_APART, codes.E4_ALLOWED, codes.E4_BLOCKER))


def tier(
    record: LoadRecord,
    runs: Sequence[RunFigures],
    found: Sequence[Finding],
    watched: LoadMachine | None = None,
    activity: Mapping[int, RunActive] | None = None,
    answers: GateResults | None = None,
    agents: Sequence[Reason] = (),
) -> Tier:
    """What the evidence is good for (docs/concept/method.md#tiers)."""
    bad = [reason for run in runs for reason in run.reasons]
    bad += [Reason(code=one.code, text=one.text) for one in found if one.severity == "error"]
    if not bad and not any(run.operations and run.whole.count + run.whole.failed for run in runs):
        bad = [codes.T8_STOPPED.reason("it was broken off before anything was measured")]
    if bad:
        return Tier(name=TierName.INADMISSIBLE, reasons=tuple({one.code: one for one in bad}.values()))
    missing = (
        *_missing(record, runs, activity or {}),
        *agents,
        *gate.reasons(answers, record.spec, len(record.runs)),
        # Where neither server nor agents are here, nobody watches here.
        *(() if record.agents and watched is None else _disturbed(found, watched)),
    )
    missing = lacking.with_commands(missing, record, runs)
    return Tier(name=TierName.SUGGESTIVE if missing else TierName.CONCLUSIVE, reasons=missing)


def _missing(record: LoadRecord, runs: Sequence[RunFigures], activity: Mapping[int, RunActive]) -> Iterator[Reason]:
    spec = record.spec
    if benchmark := _benchmark(spec):
        yield codes.X_PUBLIC.reason(
            f"{benchmark} is a benchmark, and what it asks is hardly what your users ask: capture your own traffic"
        )
    if record.end is None or record.end.how != "complete" or not all(run.complete for run in runs):
        yield codes.T8_STOPPED.reason("it was broken off before its end")
    # A search has many runs.
    if spec.repeats < lacking.REPEATS and not spec.find_rate:
        yield codes.T10_RUN.reason(
            f"{count(spec.repeats, 'run')}: an interval from inside a run says nothing about the next one; "
            f"{lacking.REPEATS} repeats have the interval between runs"
        )
    cut = min((run.settled.cut_s for run in runs if run.settled), default=spec.warmup_s or 0.0)
    target: TargetRead | None = record.environment.target if record.environment else None
    held = min((one.times for one in of_load(record, activity) if one.period is not None), default=None)
    if (cut < _WARM_UP or spec.duration_s - cut < _STEADY) and (held is None or held < CYCLES):
        yield codes.L4_LENGTH.reason(
            f"{seconds(spec.duration_s)} a run, {seconds(cut)} of them warm-up: less than 5 minutes of warm-up "
            f"and 25 of steady load, and than {CYCLES} of what the server does regularly"
        )
    if any(run.settled and run.settled.refused for run in runs):
        yield codes.L4_NOT_STEADY.reason("no steady state was reached")
    if _blunt(runs):
        yield codes.L9_TAIL.reason(
            f"p{lacking.TAIL * 100:g} is not resolved: too few independent requests took longer than it"
        )
    if spec.loops == ("closed",) and not spec.terminals:
        yield codes.L2_CLOSED.reason("only a closed loop was measured")
    if target and target.same_host is not False and record.agents is None:
        where = "runs on the machine of the server" if target.same_host else "may run on the machine of the server"
        text = f"the generator {where}, and takes its processors"
        if conditions.split(record):
            text = f"the generator {where}: it has CPUs of its own, and shares memory, caches and devices with it"
        if record.spec.in_process:
            text = "the engine runs in the generator's process: its threads are the generator's, and so is its CPU time"
        yield codes.E8_SAME_MACHINE.reason(text)
    if target and record.durable is not True:
        yield codes.E7_NOT_DURABLE.reason("the server is not known to be durable")


def _benchmark(spec: LoadSpec) -> str:
    """What others made, by its name; empty where the load is the user's own."""
    if spec.is_ycsb:
        return "YCSB"
    if spec.tpcc:
        return "TPC-C"
    built_in = [one.name for one in spec.scripts if not one.text]
    return built_in[0] if built_in and len(built_in) == len(spec.scripts) else ""


def _blunt(runs: Sequence[RunFigures]) -> bool:
    """Whether a run does not know its tail."""
    return any(run.operations and run.whole.count and not run.whole.response.at(lacking.TAIL).resolved for run in runs)


def _disturbed(found: Iterable[Finding], watched: LoadMachine | None) -> Iterator[Reason]:
    """What is not known of who else used the machine, or was allowed."""
    for one in found:
        if one.code in _DISTURBING and one.severity == "warning":
            yield Reason(code=one.code, text=one.text)
    if watched is None or not watched.runs:
        yield codes.E4_UNWATCHED.reason("weigh did not watch the machine during these runs")
    for gap in machine.gaps(watched) if watched else ():
        yield codes.E4_UNWATCHED.reason(gap)
