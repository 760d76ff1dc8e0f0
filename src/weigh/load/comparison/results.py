"""The conclusion of a comparison of servers under one load, before it has a form. Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.load.analysis import conditions
from weigh.load.command_line import parsed
from weigh.load.comparison.differences import differences
from weigh.load.comparison.figures import BlockRun, Kind, block_runs, concluded, questions
from weigh.load.comparison.metrics import LOAD_METRICS
from weigh.load.comparison.rate_search.results import RatesFound, question_of, rates_found
from weigh.load.comparison.record import LoadComparisonRecord
from weigh.load.comparison.spec import SECOND
from weigh.load.comparison.unranked import answered, equal_durability, of_few_lives, unranked, writes
from weigh.load.comparison.verdicts import LoadFloor, LoadVerdict, verdicts
from weigh.load.replay import differences as replay
from weigh.load.replay.differences import Compared, compare
from weigh.load.results import WRONG, LoadResults
from weigh.model import codes
from weigh.model.errors import ExitCode
from weigh.model.finding import Code, Finding, gravest_first
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.units import Seconds, count
from weigh.model.verdict import Reason, Tier, TierName, VerdictName
from weigh.verdict.tier import inconclusive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.requirements.results import Requirements

_OF_REPEATS = (codes.T10_RUN.code, codes.T10_ONE_LIFE.code)
"""What a load of one target says of its repeats; here blocks are compared, which says it of them."""


class Sustained(msgspec.Struct, frozen=True, kw_only=True):
    """How a contender kept the rate of an open loop.

    Attributes:
        contender: whose.
        connections: of the runs.
        offered: requests a second that were due.
        answered: requests a second that were answered while they were due, the least and the most of a run: of those in
            which the rate was missed, or of all where it never was.
        runs, missed: how many runs there are, and in how many the rate was missed.
    """

    contender: str
    connections: int
    offered: float = msgspec.field(name="asked")
    answered: tuple[float, float]
    runs: int
    missed: int


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    """How far apart the two schedules of a duet began.

    Attributes:
        pairs: of runs at the same moment.
        median, most: seconds.
    """

    pairs: int
    median: Seconds
    most: Seconds


class LoadComparisonResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of a comparison.

    Attributes:
        records: of all attempts, oldest first; the last one was named.
        loads: what each arm of the last attempt says by itself, by its name.
        runs: every run of every attempt.
        verdicts: one of every figure and contender other than the baseline.
        floors: the baseline's two arms against each other.
        sustained: of open loops, by contender.
        apart: of a duet, how far apart the two schedules began; else None.
        findings: errors first.
        tier: what the evidence is good for.
        replayed: of a replay with ``--answers keep``: the answers of each contender against the baseline's.
        rates: what searches in turn found, whose verdicts are these; None where a rate was given.
        bounded: contenders whose blocks are not fresh lives: what is found holds for the lives that there were.
    """

    records: tuple[LoadComparisonRecord, ...]
    loads: dict[str, LoadResults]
    runs: tuple[BlockRun, ...]
    verdicts: tuple[LoadVerdict, ...]
    floors: tuple[LoadFloor, ...]
    sustained: tuple[Sustained, ...]
    findings: tuple[Finding, ...]
    tier: Tier
    replayed: tuple[Compared, ...] = ()
    apart: Apart | None = None
    rates: RatesFound | None = None
    bounded: tuple[str, ...] = ()

    @property
    def record(self) -> LoadComparisonRecord:
        """The attempt that was named."""
        return self.records[-1]

    @property
    def others(self) -> tuple[str, ...]:
        """Contenders other than the baseline, in their order."""
        return tuple(one.name for one in self.record.spec.contenders if one.name != self.record.spec.baseline)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of run, in the order of the spec."""
        made = {one.kind for one in self.runs}
        load = self.record.spec.load
        kinds = (Kind(connections, loop) for connections in load.connections for loop in load.loops)
        return tuple(one for one in kinds if one in made)

    @property
    def refused(self) -> bool:
        """Whether every verdict on what users meet is refused."""
        return all_refused(self.verdicts)

    @property
    def blocks(self) -> int:
        """Blocks of all attempts in which anything was measured."""
        return len({(one.attempt, one.block) for one in self.runs})

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command is (docs/reference/commands.md)."""
        if any(one.code in WRONG for one in self.findings):
            return ExitCode.FOUND
        if not any(one.run.operations for one in self.runs):
            return ExitCode.FAILED
        required = {one.verdict for _, one in self.required}
        if "BROKEN" in required:
            return ExitCode.FOUND
        names = {one.verdict for one in self.verdicts if LOAD_METRICS[one.metric].decides}
        if VerdictName.SLOWER in names and self.record.spec.baseline_declared:
            return ExitCode.FOUND
        if "OPEN" in required:
            return ExitCode.INCONCLUSIVE
        return inconclusive(names, self.tier, strict=strict)

    @property
    def required(self) -> tuple[tuple[str, Requirements], ...]:
        """Whether what must hold holds for each contender, by its name; of the last attempt, and empty without any."""
        arms = [one.name for one in self.record.spec.contenders]
        found = ((name, self.loads[name].requirements) for name in arms if name in self.loads)
        return tuple((name, one) for name, one in found if one)


def all_refused(found: Sequence[LoadVerdict]) -> bool:
    """Whether there are verdicts on what users meet, and all of them are refused."""
    names = {one.verdict for one in found if LOAD_METRICS[one.metric].decides}
    return names == {VerdictName.REFUSED}


def load_comparison_results(records: Sequence[LoadComparisonRecord]) -> LoadComparisonResults:
    """Compute it. A pure function of the records.

    Args:
        records: of all attempts, oldest first: each adds its blocks, and none replaces another.
    """
    last = records[-1]
    loads = [concluded(record) for record in records]
    runs = block_runs(records, loads)
    rates: RatesFound | None = None
    floors: tuple[LoadFloor, ...]
    if last.spec.load.find_rate:
        refused = unranked(records, [one for one in runs if one.counts], [question_of(last)])
        rates = rates_found(records, loads, refused)
        found, floors = rates.verdicts, ()
    else:
        users = bool(last.spec.load.tpcc and last.spec.load.tpcc.terminals)
        questions_sorted = sorted(questions(runs, users=users), key=lambda one: _place(last, one.kind))
        refused = unranked(records, runs, questions_sorted)
        found, floors = verdicts(last.spec, runs, questions_sorted, refused)
    replayed = tuple(_replayed(last))
    bounded = tuple(one.name for one in last.spec.contenders if of_few_lives(runs, one.name))
    findings = _findings(records, loads[-1], found, replayed, bounded)
    return LoadComparisonResults(
        records=tuple(records),
        loads=loads[-1],
        runs=tuple(runs),
        verdicts=found,
        floors=floors,
        sustained=() if rates else tuple(_sustained(last, runs)),
        findings=findings,
        tier=_tier(records, loads, runs, found, findings, bounded),
        bounded=bounded,
        replayed=replayed,
        apart=_apart(records),
        rates=rates,
    )


def _replayed(record: LoadComparisonRecord) -> Iterator[Compared]:
    """Answers of the first replay of each contender."""
    own = {name: load.replay for name, load in record.loads.items()}
    base = record.spec.baseline
    for one in record.spec.contenders:
        if one.name != base:
            made = compare(one.name, own.get(one.name), own.get(base), own.get(base + SECOND))
            if made is not None:
                yield made


def _apart(records: Sequence[LoadComparisonRecord]) -> Apart | None:
    """By the clock of the machine, which each generator reads when it knows its beginning."""
    found: list[Seconds] = []
    for record in records:
        pairs: dict[tuple[int, Kind], list[float]] = defaultdict(list)
        for load in record.loads.values() if record.spec.duet is True else ():
            for run in load.runs:
                if run.summary is not None:
                    pairs[run.repeat, Kind(run.connections, run.loop)].append(run.summary.t0_unix)
        found += [abs(one[1] - one[0]) for one in pairs.values() if len(one) > 1]
    return Apart(pairs=len(found), median=median(found), most=max(found)) if found else None


def _place(record: LoadComparisonRecord, kind: Kind) -> int:
    load = record.spec.load
    return load.connections.index(kind.connections) * len(load.loops) + load.loops.index(kind.loop)


def _sustained(record: LoadComparisonRecord, runs: Sequence[BlockRun]) -> Iterator[Sustained]:
    for kind in dict.fromkeys(one.kind for one in runs if one.kind.loop == "open"):
        for contender in record.spec.contenders:
            own = [one for one in runs if one.kind == kind and one.contender == contender.name and one.run.complete]
            missed = [one for one in own if any(why.code == codes.L2_RATE.code for why in one.run.reasons)]
            rates = [answered(one) for one in missed or own]
            target = next((one.run.rate_target for one in own if one.run.rate_target), None)
            if rates and target:
                yield Sustained(
                    contender=contender.name,
                    connections=kind.connections,
                    offered=target,
                    answered=(min(rates), max(rates)),
                    runs=len(own),
                    missed=len(missed),
                )


def _findings(
    records: Sequence[LoadComparisonRecord],
    loads: dict[str, LoadResults],
    found: Sequence[LoadVerdict],
    replayed: Sequence[Compared],
    bounded: Sequence[str],
) -> tuple[Finding, ...]:
    """Everything that is found, the gravest first."""
    last = records[-1]
    made: list[Finding] = [*last.findings, *replay.findings(replayed, last.spec.baseline)]
    if bounded:
        made.append(
            codes.T10_ONE_LIFE.finding(
                text=f"{_of_lives(bounded)}: weigh did not start {'it' if len(bounded) == 1 else 'them'} anew, and new "
                "connections to the same life are no starts",
                remedy=f"name servers that weigh can start; or restart yours and run it again: {MIN_STARTS} times are "
                f"{MIN_STARTS} starts",
            )
        )
    if len(records) > 1:
        made.append(
            codes.T8_ATTEMPTS.finding(
                text=f"{len(records)} attempts are read together: each adds its blocks",
                remedy="nothing is to be done: running again until it pleases has no effect on the error rates",
            )
        )
    others = [one.name for one in last.spec.contenders if one.name != last.spec.baseline]
    for name in others:
        made += _findings_of(last, name, found)
        made += differences(last, name)
    made += _of_loads(last, loads)
    made += conditions.drift(last.calibrations, "block")
    return gravest_first(made)


def _of_lives(bounded: Sequence[str]) -> str:
    """For which servers what is found holds."""
    lives = "this life" if len(bounded) == 1 else "these lives"
    return f"it holds for {lives} of {' and '.join(bounded)} alone, and another start may differ"


def _findings_of(record: LoadComparisonRecord, name: str, found: Sequence[LoadVerdict]) -> Iterator[Finding]:
    """Why a contender is not ranked, each reason once and with a remedy."""
    base = record.spec.baseline
    remedies = {
        codes.A4_SERVERS.code: (codes.A4_SERVERS, "give both the same data: weigh loads that of YCSB itself"),
        codes.E7_UNEQUAL.code: (codes.E7_UNEQUAL, equal_durability(record, name)),
        codes.L2_UNEQUAL.code: (
            codes.L2_UNEQUAL,
            "lower --rate until both keep it; that one does not is a result of its own, and not a response time",
        ),
    }
    by_code: dict[Code, Reason] = {}
    for one in found:
        if one.contender == name:
            for reason in one.reasons:
                if reason.code in remedies:
                    by_code.setdefault(reason.code, reason)
    for code, reason in by_code.items():
        entry, remedy = remedies[code]
        whose = base if reason.text.startswith(f"the baseline {base}: ") else name
        yield entry.finding(contender=whose, text=reason.text.removeprefix(f"the baseline {base}: "), remedy=remedy)


def _of_loads(record: LoadComparisonRecord, loads: dict[str, LoadResults]) -> Iterator[Finding]:
    """What each load says by itself, each code once for a contender: of ten blocks it would be reported ten times."""
    who = {one.name: one.contender for one in record.spec.arms}
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for arm, results in loads.items():
        for one in results.findings:
            if one.code not in _OF_REPEATS:
                groups[who[arm], one.code].append(one)
    for (name, _), same in groups.items():
        first = same[0]
        more = f" (and {len(same) - 1} more of this kind)" if len(same) > 1 else ""
        yield msgspec.structs.replace(first, contender=name, text=first.text + more)


def _tier(
    records: Sequence[LoadComparisonRecord],
    loads: Sequence[dict[str, LoadResults]],
    runs: Sequence[BlockRun],
    found: Sequence[LoadVerdict],
    findings: Sequence[Finding],
    bounded: Sequence[str],
) -> Tier:
    """What the evidence is good for (docs/concept/load.md#several-servers)."""
    last = records[-1]
    base = last.spec.baseline
    bad = {one.contender: one for one in reversed(findings) if one.severity == "error" and one.contender}
    inadmissible = tuple(one.name for one in last.spec.contenders if one.name in bad)
    reasons = [Reason(code=one.code, text=f"{name} is inadmissible: {one.text}") for name, one in bad.items()]
    decided = [one for one in found if LOAD_METRICS[one.metric].decides]
    refused = all_refused(found)
    if bounded:
        reasons.append(codes.T10_ONE_LIFE.reason(_of_lives(bounded)))
    reasons += _missing(records, loads, runs, found, bounded)
    others = [one.name for one in last.spec.contenders if one.name != base]
    nothing = not decided or refused or base in inadmissible or all(one in inadmissible for one in others)
    if refused:
        first = decided[0].reasons[:1]
        reasons = [*first, *(one for one in reasons if one not in first)]
    name = TierName.INADMISSIBLE if nothing else TierName.SUGGESTIVE if reasons else TierName.CONCLUSIVE
    if not decided and not reasons:
        reasons = [codes.T8_STOPPED.reason("nothing was measured that could be compared")]
    return Tier(
        name=name, reasons=tuple({one.code: one for one in reversed(reasons)}.values())[::-1], inadmissible=inadmissible
    )


def _missing(
    records: Sequence[LoadComparisonRecord],
    loads: Sequence[dict[str, LoadResults]],
    runs: Sequence[BlockRun],
    found: Sequence[LoadVerdict],
    bounded: Sequence[str],
) -> Iterator[Reason]:
    """What a conclusive comparison still lacks."""
    last = records[-1]
    for record in records:
        if record.end is None or record.end.how != "complete":
            yield codes.T8_STOPPED.reason("it was broken off before its end")
    fewest = min((one.starts for one in found if one.ratio is not None), default=0)
    if MIN_STARTS <= fewest < FULL_STARTS and not bounded:
        more = codes.T10.reason(f"{count(fewest, 'fresh start')} of each server: {FULL_STARTS} are needed")
        own = parsed(last.environment.command) if last.environment else None
        yield msgspec.structs.replace(more, commands=(str(own.but(blocks=str(FULL_STARTS))),)) if own else more
    if writes(last) and not all(one.rows for one in last.loads.values()):
        yield codes.A4_UNREAD.reason("which rows the servers held was not read, so that they are the same is not shown")
    yield from dict.fromkeys(
        reason
        for attempt in loads
        for results in attempt.values()
        if results.tier.name is TierName.SUGGESTIVE
        for reason in results.tier.reasons
        if reason.code not in (*_OF_REPEATS, codes.T8_STOPPED.code)
    )
    # A probe that tells nothing is made again.
    refused = [one for one in runs if one.run.refused and not last.spec.load.find_rate]
    if refused:
        why = refused[0].run.reasons[0]
        yield Reason(code=why.code, text=f"{len(refused)} of {count(len(runs), 'run')} are refused: {why.text}")
