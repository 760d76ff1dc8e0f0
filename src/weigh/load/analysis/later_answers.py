"""Answers after something happened in a run: its figures end there, and what the server must answer does not. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.analysis.findings import contradict, listed
from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadRun
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds

_STATEMENT = "statement"


def findings(record: LoadRecord, until: Mapping[int, Seconds]) -> Iterator[Finding]:
    """What contradicts, later, what was written; nothing of a run in which acknowledged writes were lost (E7).

    Args:
        record: of the load, its runs whole.
        until: the moment until which the figures of a run go, by its number.
    """
    for run in record.runs:
        if run.number in until and not _explained(record, run.number):
            name = f"run {run.number}: " if len(record.runs) > 1 else ""
            yield from _of_run(record, run, until[run.number], name)


def _of_run(record: LoadRecord, run: LoadRun, moment: Seconds, name: str) -> Iterator[Finding]:
    later = [one for interval in run.intervals if interval.to_s > moment for one in interval.operations]
    kinds = dict.fromkeys(window.kind for window in record.windows if window.run == run.number and window.arm == "with")
    after = f" after the first {' or '.join(kinds) or 'crash'}"
    remedy = "it loses updates or serves stale values once it was disturbed"
    if _STATEMENT in kinds:
        after = " while the statements were executed, or after them,"
        remedy = "where the statements themselves change rows of the load, leave those alone: else nobody can tell"
    if number := sum(one.contradictions for one in later):
        messages = [text for one in later for text in one.wrong]
        yield codes.L6_WRONG.finding(
            text=f"{name}{count(number, 'answer')}{after} {contradict(number)} what was acknowledged: "
            + listed(messages),
            remedy=remedy,
        )
    if number := sum(one.missing for one in later):
        yield codes.L6_MISSING.finding(
            text=f"{name}{count(number, 'time')}{after} a key was not there that had been written and acknowledged",
            remedy=remedy,
        )


def _explained(record: LoadRecord, number: int) -> bool:
    """Whether the read-back found that something is lost: then reads miss it, too, and that is one fault."""
    accounts = [one.account for one in record.crashes if one.run == number]
    accounts += [one.account for one in record.windows if one.run == number]
    return any(one.lost or one.missing or one.torn or one.strange for one in accounts if one)
