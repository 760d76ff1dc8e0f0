"""Whether what must hold at a rate held: by whole intervals, so that a run that cannot tell says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.load.budgets import Budget
from weigh.load.rate_search.probes import GENERATOR, BudgetOutcome, judged, spent_s
from weigh.model import codes
from weigh.model.errors import ExitCode
from weigh.model.units import Seconds
from weigh.model.verdict import TierName
from weigh.verdict.tier import CONTENDED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadRun
    from weigh.model.verdict import Tier

Holding = Literal["HOLDS", "BROKEN", "OPEN"]
"""What is reported of a requirement, on the screen and in JSON."""
_OF_PROBES: dict[str, Holding] = {"kept": "HOLDS", "broken": "BROKEN"}


def holding(one: BudgetOutcome) -> Holding:
    """What an outcome says of its budget, where it was judged by its interval."""
    if not one.decided:
        return "OPEN"
    return "HOLDS" if one.within else "BROKEN"


class RunHolding(msgspec.Struct, frozen=True, kw_only=True):
    """A run.

    Attributes:
        run: its number.
        connections: that it had.
        rate: requests a second that were due.
        verdict: whether everything held.
        why: in a few words.
        budgets: one by one; empty where nothing was answered.
        spent: for each of them, when as many requests had been too slow or had failed as may be in the whole run: in
            seconds of it; None where that never was.
        contended: whether it is refused because others used the machine: a longer run would be, too.
    """

    run: int
    connections: int
    rate: float | None
    verdict: Holding
    why: str
    budgets: tuple[BudgetOutcome, ...]
    spent: tuple[Seconds | None, ...]
    contended: bool = False

    @property
    def first(self) -> tuple[BudgetOutcome, Seconds] | None:
        """What was spent first of what is broken, and when; None where that is not known."""
        broken = [
            (each, at)
            for each, at in zip(self.budgets, self.spent, strict=True)
            if at is not None and holding(each) == "BROKEN"
        ]
        return min(broken, key=lambda one: one[1], default=None)


class Requirements(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold, and whether it does.

    Attributes:
        budgets: that were asked for.
        verdict: ``HOLDS`` where everything held in every run of the open loop, ``BROKEN`` where something was broken
            in one, else ``OPEN``.
        why: in a few words, of the run that decides.
        late: whether it holds or is broken although the generator was late.
        runs: of the open loop, in order.
    """

    budgets: tuple[Budget, ...]
    verdict: Holding
    why: str
    late: bool
    runs: tuple[RunHolding, ...]

    @property
    def deciding(self) -> RunHolding | None:
        """The first run with the verdict of all."""
        return next((one for one in self.runs if one.verdict == self.verdict), next(iter(self.runs), None))

    def exit_code(self) -> ExitCode:
        """What the exit code of the command is."""
        return {"HOLDS": ExitCode.OK, "BROKEN": ExitCode.FOUND, "OPEN": ExitCode.INCONCLUSIVE}[self.verdict]


def requirements(record: LoadRecord, computed: Mapping[int, RunFigures], tier: Tier) -> Requirements | None:
    """Compute it; None where nothing must hold.

    Args:
        record: of the load.
        computed: figures of its runs, by number, with every reason for which one is refused.
        tier: what its evidence is good for.
    """
    required = record.spec.require
    if not required:
        return None
    whole = record.end is not None and record.end.how == "complete"
    runs = tuple(
        _run(run, computed[run.number], required, whole=whole or _came_to_its_end(run, record))
        for run in record.runs
        if run.loop == "open"
    )
    verdicts = {one.verdict for one in runs}
    verdict: Holding = "BROKEN" if "BROKEN" in verdicts else "HOLDS" if verdicts == {"HOLDS"} else "OPEN"
    why = next((one.why for one in runs if one.verdict == verdict), "nothing was measured")
    others = [one for one in tier.reasons if one.code not in GENERATOR]
    if verdict == "HOLDS" and tier.name is TierName.INADMISSIBLE and others:
        # It is refused for something else than what any run says.
        verdict, why = "OPEN", others[0].text
    late = tier.name is TierName.INADMISSIBLE and (verdict == "HOLDS" or (verdict == "BROKEN" and _slower(runs, tier)))
    return Requirements(budgets=required, verdict=verdict, why=why, late=late, runs=runs)


def _slower(runs: tuple[RunHolding, ...], tier: Tier) -> bool:
    """Whether a run is broken by requests that were too slow by more than the generator was late."""
    found = {one.code for one in tier.reasons}
    slow = any(run.verdict == "BROKEN" and run.first and run.first[0].budget.q is not None for run in runs)
    return slow and codes.E8_LATE.code in found and codes.L2_RATE.code not in found


def _came_to_its_end(run: LoadRun, record: LoadRecord) -> bool:
    """Whether a run of an experiment that was ended before had been as long as it was to be."""
    wanted = run.duration_s or record.spec.duration_s
    return bool(run.intervals) and run.intervals[-1].to_s >= wanted - record.spec.interval_s


def _run(run: LoadRun, found: RunFigures, required: tuple[Budget, ...], *, whole: bool) -> RunHolding:
    outcome = judged(run, found, required, last=False, by_interval=True)
    verdict = _OF_PROBES.get(outcome.verdict, "OPEN")
    # Requests that a run left over because it was ended are not the server's; what it saw of a budget is.
    complete = (found.complete and whole) or (
        verdict == "BROKEN" and any(holding(one) == "BROKEN" for one in outcome.budgets)
    )
    counted = run.intervals[found.settled.intervals if found.settled else 0 :]
    return RunHolding(
        run=run.number,
        connections=run.connections,
        rate=found.rate_target,
        verdict=verdict if complete else "OPEN",
        why=outcome.why if complete else "its run did not come to its end",
        budgets=outcome.budgets,
        spent=tuple(spent_s(one.budget, counted) for one in outcome.budgets),
        contended=any(reason.code in CONTENDED for reason in found.reasons),
    )
