"""What came of everything that happened alongside a load: what was lost, for how long it was felt, and as what. Pure.

An interval holds the requests that were answered in it. One in which the slowest of them was due before a fault was
over is counted as of the fault: who asked then waited until that moment.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from weigh.load.disturbances.record import QueryAnswer
from weigh.load.disturbances.verdicts import WindowVerdict, of_queries, verdicts
from weigh.load.durability.record import Account
from weigh.load.durability.results import until_back
from weigh.model import codes
from weigh.model.text import one_line
from weigh.model.units import Seconds, count
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.disturbances.record import Window
    from weigh.load.durability.results import Level
    from weigh.load.isolation.results import IsolationFigures
    from weigh.load.runs import LoadInterval, LoadRun
    from weigh.load.spec import LoadSpec
    from weigh.model.finding import Finding

_CODE = re.compile(r"\(([0-9A-Z]{2,})\)$")
"""Behind the text of an error: its SQLSTATE, or the word that begins it over RESP."""
_LISTED = 3
TIMED_OUT, LOST = "no answer within --timeout", "connection lost"


class FaultFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One fault of a run, and what users felt of it.

    Attributes:
        run: number of the run.
        block: which of its faults, from 1.
        kind: the nemesis.
        from_s: when it began, in seconds since the schedule of the run did.
        died: whether the server ended itself by it, and was started again.
        failed: why it could not be made, or the server did not come back; empty otherwise.
        length_s: until it was taken away; None where it never was.
        answer_s: from then to the first answer; None where there was none.
        back_s: from then until no more requests took longer than the p99 of before than chance explains; None where
            it was not within ``watched_s``, or cannot be compared.
        watched_s: for how long the load was watched after it.
        p99_before: upper end of the interval of the p99 of the part of the run before the first fault; the longest
            response where too few requests resolve it. None where nothing was answered.
        p99_with: of what was due before the fault was over, by rank; None where nothing of it was answered.
        p99_after: of what was answered afterwards, likewise.
        errors: requests without an answer, by SQLSTATE or the first word of the error.
        isolation: of the workload isolation, whether the level was kept from its beginning until it was watched no
            more: ``not seen``, ``violated: `` with the names of which an example falls there, ``nothing to see``; empty
            of other workloads.
        account: what the server had after it; None where nobody knows what the workload leaves behind.
        lost: writes or transactions that were acknowledged and are lost since the fault before; None likewise.
        gone: rows that were there, likewise.
    """

    run: int
    block: int
    kind: str
    from_s: Seconds
    length_s: Seconds | None
    answer_s: Seconds | None
    back_s: Seconds | None
    watched_s: Seconds
    p99_before: Seconds | None
    p99_with: Seconds | None
    p99_after: Seconds | None
    errors: dict[str, int]
    died: bool
    account: Account | None
    lost: int | None
    gone: int | None
    failed: str
    isolation: str = ""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened, for drawing.

    Attributes:
        run: number of the run.
        kind: a nemesis, ``statement``, or ``queries``.
        from_s, to_s: seconds since the schedule of the run began.
    """

    run: int
    kind: str
    from_s: Seconds
    to_s: Seconds


class DisturbedResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of everything that happened.

    Attributes:
        name: of what happened, as the user wrote it; empty of nemeses.
        faults: in order.
        windows: how many windows with and without were compared.
        longest_s: what the statements took at most; None of nemeses.
        verdicts: what takes longer with it than without.
        queries: of queries alongside the load: which take longer with it than alone.
        answers: of each of them, as it was answered before the load.
        changed: those that were answered otherwise in a window, and how.
        left_out: blocks whose statements took longer than their window, or failed.
        marks: everything, for drawing.
    """

    name: str
    faults: tuple[FaultFigures, ...]
    windows: int
    longest_s: Seconds | None
    verdicts: tuple[WindowVerdict, ...]
    left_out: int
    marks: tuple[Mark, ...]
    queries: tuple[WindowVerdict, ...] = ()
    answers: tuple[QueryAnswer, ...] = ()
    changed: dict[str, str] = {}

    @property
    def lost(self) -> int:
        """What was acknowledged and lost, and rows that are gone, by all faults together."""
        return sum((one.lost or 0) + (one.gone or 0) for one in self.faults)


def disturbed(
    spec: LoadSpec,
    windows: Sequence[Window],
    runs: Sequence[LoadRun],
    levels: Mapping[int, Level],
    isolated: Sequence[IsolationFigures] = (),
    answers: Sequence[QueryAnswer] = (),
) -> DisturbedResults | None:
    """Compute it; None where nothing happened.

    Args:
        spec: of the load.
        windows: in order.
        runs: the whole of each.
        levels: what responses took before the first window of each run, by its number.
        isolated: what is reported of the isolation of each run.
        answers: of queries, before any window.
    """
    if not spec.disturbances or not windows:
        return None
    by_number = {run.number: run for run in runs}
    made = [one for one in windows if one.arm == "with"]
    marks = tuple(Mark(run=one.run, kind=one.kind, from_s=one.from_s, to_s=one.ended_s or one.until_s) for one in made)
    if spec.disturbances.nemeses:
        faults: list[FaultFigures] = []
        before: dict[int, Account | None] = {}
        for one in made:
            figures = _fault(one, by_number.get(one.run), levels.get(one.run), before.get(one.run))
            faults.append(msgspec.structs.replace(figures, isolation=_isolation(one, isolated)))
            before[one.run] = one.account
        return DisturbedResults(
            name="", faults=tuple(faults), windows=0, longest_s=None, verdicts=(), left_out=0, marks=marks
        )
    judged, left_out, compared = verdicts(windows, by_number)
    took = [one.ended_s - one.from_s for one in made if one.ended_s is not None]
    return DisturbedResults(
        name=spec.disturbances.name,
        faults=(),
        windows=compared,
        longest_s=max(took, default=None),
        verdicts=judged,
        left_out=left_out,
        marks=marks,
        queries=of_queries(windows, answers),
        answers=tuple(answers),
        changed={name: why for one in reversed(windows) for name, why in one.changed.items()},
    )


def _fault(window: Window, run: LoadRun | None, level: Level | None, before: Account | None) -> FaultFigures:
    over = window.ended_s if window.answered_s is None else window.answered_s
    over = window.until_s if over is None else over
    intervals = [one for one in run.intervals if one.to_s > window.from_s and one.to_s <= window.until_s] if run else []
    number = sum(1 for one in intervals if one.from_s < over or _oldest(one) < over)
    # What was due in it may be answered in any of the first; a later one that holds one of them by chance is after it.
    felt = next((at for at, one in enumerate(intervals) if one.from_s >= over and _oldest(one) >= over), number)
    during, after = intervals[:felt], intervals[felt:]
    watched = [one for one in intervals if one.to_s > over]
    other_work = any(one.missing or one.contradictions for part in watched for one in part.operations)
    back = until_back(watched, over, level.seconds) if level and not other_work and not window.failed else None
    account = window.account
    return FaultFigures(
        run=window.run,
        block=window.block,
        kind=window.kind,
        from_s=window.from_s,
        length_s=None if window.ended_s is None else window.ended_s - window.from_s,
        answer_s=None if window.answered_s is None or window.ended_s is None else window.answered_s - window.ended_s,
        back_s=None if back is None else back + over - (window.ended_s or over),
        watched_s=max(window.until_s - over, 0.0),
        p99_before=level.seconds if level else None,
        p99_with=_p99(during),
        p99_after=_p99(after),
        errors=_errors(intervals),
        died=window.died,
        account=account,
        lost=None if account is None else account.lost - _transactions(before),
        gone=None if account is None else max(account.missing - (before.missing if before else 0), 0),
        failed=window.failed,
    )


def _isolation(window: Window, isolated: Sequence[IsolationFigures]) -> str:
    """Whether the level was kept, from the fault until it was watched no more."""
    found = next((one for one in isolated if one.number == window.run), None)
    if found is None:
        return ""
    if found.outcome != "violated":
        return found.outcome
    names = [
        one.name
        for one in found.violations
        if any(
            each.ended_s >= window.from_s and each.begun_s <= window.until_s
            for example in one.examples
            for each in example.transactions
        )
    ]
    return f"violated: {', '.join(names)}" if names else "violated, and no example is of this fault"


def _transactions(before: Account | None) -> int:
    """What was lost before and is counted again: of a key the loss of a write is known from then on."""
    return before.lost if before and before.unit == "transactions" else 0


def _oldest(interval: LoadInterval) -> Seconds:
    """When the slowest of its requests was due, at the earliest."""
    slowest = max((decode(one.response).max or 0.0 for one in interval.operations), default=0.0)
    return interval.from_s - slowest


def _p99(intervals: Sequence[LoadInterval]) -> Seconds | None:
    return merged(decode(one.response) for part in intervals for one in part.operations).quantile(0.99)


def _errors(intervals: Sequence[LoadInterval]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for part in intervals:
        for one in part.operations:
            for text, number in one.errors.items():
                found[_name(text)] += number
            if one.timeouts:
                found[TIMED_OUT] += one.timeouts
    return dict(found.most_common())


def _name(text: str) -> str:
    code = _CODE.search(text)
    return code[1] if code else one_line(text.partition(":")[0], 40)


def findings(found: DisturbedResults) -> Iterator[Finding]:
    """What is to be reported of it alongside its figures."""
    yield from _of_answers(found)
    for one in found.faults:
        account = one.account
        where = f"by the nemesis {one.kind} in run {one.run}"
        if account and (one.lost or one.gone):
            examples = f": {'; '.join(account.messages[:_LISTED])}" if account.messages else ""
            yield codes.E7_LOST.finding(
                text=f"{one.lost or 0:,} of {account.acknowledged:,} acknowledged {account.unit} were lost, and "
                f"{count(one.gone or 0, 'row')} gone, {where}{examples}",
                remedy="the server acknowledges what it does not keep: its figures are those of less work. Switch "
                "durability on, or see what stands between it and the load",
            )
        if account and (account.torn or account.strange):
            yield codes.E7_TORN.finding(
                text=f"{count(account.torn, 'row')} held what no write wrote as a whole, and {account.strange:,} were "
                f"there that nobody wrote, {where}",
                remedy="the server does not recover to a state that it acknowledged; look into its log",
            )
        if one.failed:
            yield codes.E7_NOT_BACK.finding(
                text=f"after the nemesis {one.kind} in run {one.run} the server could not be read: {one.failed}",
                remedy="look into its log, and start it by hand on the same data",
            )
    if found.faults and not any(one.account for one in found.faults) and not any(one.failed for one in found.faults):
        yield codes.E7_NOT_COUNTED.finding(
            text="nothing was counted after the faults: nobody knows what these scripts leave behind. Only recovery "
            "and errors are told, and of TPC-C whether its conditions held at the end of the run",
            remedy="take a YCSB workload, tpcb-like or simple-update to count what is lost",
        )


def _of_answers(found: DisturbedResults) -> Iterator[Finding]:
    for one in found.answers:
        if one.status == "diverged":
            yield codes.A1_MIXED.finding(
                operation=one.name,
                text=f"before the load {one.detail}",
                remedy="weigh gate on the same workload shows all of the difference, and makes a reproducer",
            )
    for name, why in found.changed.items():
        yield codes.A3_MIXED.finding(
            operation=name,
            text=f"its tables did not change, and in a window it answered otherwise than before: {why}",
            remedy="its times are of another answer: see what stands between, and ask it again without the load",
        )
