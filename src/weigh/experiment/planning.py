"""The plan of a measurement: how many starts, rounds and executions the budget allows, and on which CPUs."""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.experiment import record as records
from weigh.experiment.measure import budget, cold
from weigh.host import affinity, facts
from weigh.model import codes, units
from weigh.model.errors import UsageError
from weigh.model.metrics.price import amount
from weigh.model.rules import FULL_STARTS, MIN_STARTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weigh.evidence.journal import Journal
    from weigh.experiment import resume as resuming
    from weigh.experiment.contenders_read import ContendersRead
    from weigh.experiment.gate.gate import GateResult
    from weigh.experiment.measure.blocks import Cases
    from weigh.experiment.measure.spending import Spending
    from weigh.experiment.setup import Setup
    from weigh.model.progress import Progress
    from weigh.model.schedule import Arm

MEMORY_SHARE = 0.6
"""Share of memory that the arms of a block may fill together (statistics.md §2)."""
_DEARER = 1.1
"""By which a block may cost more than its executions in the gate."""


class PlanRequest(NamedTuple):
    """What is planned for.

    Attributes:
        cases: (operation, case) pairs that passed the gate.
        arms: of every block.
        able: names of the contenders that can execute an operation, by its name.
        start_seconds: that a start of each contender took.
        answers: of the gate.
        starts: as asked for.
        cpus: that every arm of a block is kept on; 0 for all.
        least: whether the least is measured where the budget is too small for it.
    """

    cases: Cases
    arms: tuple[Arm, ...]
    able: Mapping[str, list[str]]
    start_seconds: Mapping[str, units.Seconds]
    answers: GateResult
    starts: resuming.Starts
    cpus: int
    least: bool


class Planning(NamedTuple):
    """Plans a measurement.

    Attributes:
        setup: what is measured.
        journal: receives what was measured for the plan.
        progress: reports how long it will take.
        say: keeps findings.
    """

    setup: Setup
    journal: Journal
    progress: Progress
    say: Callable[..., None]

    def cpus(self, read: ContendersRead) -> int:
        """CPUs that an arm of a block is kept on: half of them in a duet, or as many as there are threads, if fewer.

        Two processes of one thread that the kernel keeps on CPUs of different speed for a while differ by that.
        """
        allowed = self.setup.spec.affinity or facts.allowed_cpus()
        if self.setup.spec.duet:
            return len(affinity.halves(allowed)[0])
        threads = [one.resources.threads if one.resources else None for one in read.reads]
        most = max((count or len(allowed) for count in threads), default=len(allowed))
        return most if 0 < most < len(allowed) else 0

    def _too_large(self, everyone: tuple[Arm, ...], peaks: Mapping[str, units.Bytes]) -> bool:
        """Whether the arms of a block would crowd each other out of memory; it is reported."""
        memory = facts.memory_bytes()
        sum_of_peaks = sum(peaks.get(arm.contender, 0) for arm in everyone)
        if memory is None or sum_of_peaks <= MEMORY_SHARE * memory:
            return False
        self.say(
            codes.X_SERIAL.finding(
                text=f"together the arms peak at {units.size(sum_of_peaks)} of {units.size(memory)}: they live one "
                "after another in each block",
                remedy="nothing is wrong; intervals get wider, because drift within a block no longer cancels",
            )
        )
        return True

    def plan(self, request: PlanRequest) -> records.Planned:
        """What the budget allows; it is reported where that is less than was asked for."""
        cases, everyone, seconds = request.cases, request.arms, request.answers.seconds
        most = request.starts.hot
        # With a precision more blocks follow as they are needed; the first ones must fit.
        wanted = min(most, FULL_STARTS) if self.setup.spec.precision else most
        fit = {arm.contender for arm in everyone}
        executions = {name: [seconds[name, *case] for case in cases if name in request.able[case[0]]] for name in fit}
        cold = self._planned_cold(request, executions)
        if not most:
            return records.Planned(cases=cases, starts=0, runs=1, cold=cold)
        spec = self.setup.spec
        wish = budget.Wish(
            starts=wanted,
            rounds=spec.rounds or None,
            runs=spec.runs or None,
            duet=spec.baseline if spec.duet else "",
            least=request.least,
            go_on=bool(spec.precision),
        )
        plan = budget.plan(wish, spec.budget, everyone, request.start_seconds, executions)
        if self.setup.spending:
            plan = self._afforded(self.setup.spending, plan, request)
        over = spec.budget is not None and plan.seconds > spec.budget
        at_most = ""
        if spec.precision and spec.budget:
            at_most = f", at most {units.seconds(spec.budget)} once there are {MIN_STARTS}"
        if over:
            at_most = f", more than the budget of {units.seconds(spec.budget)}: fewer would decide nothing"
        least = "at least " if spec.precision and not over else ""
        self.progress.say(f"measuring: {least}{plan.size}, about {units.seconds(plan.seconds)}{at_most}")
        if over:
            self.say(
                codes.T10_BUDGET.finding(
                    text=f"{plan.size} are measured, the least there is: this machine needs about "
                    f"{units.seconds(plan.seconds)} for them, more than the budget of {units.seconds(spec.budget)}",
                    remedy="weigh run with a larger --budget gives tighter intervals",
                )
            )
        elif plan.lowered:
            self.say(
                codes.T10_BUDGET.finding(
                    text=f"the budget allows {'about ' if spec.precision else ''}{plan.size}, "
                    f"not {units.count(wanted, 'start')}",
                    remedy="raise --budget for tighter intervals",
                )
            )
        # What was planned is an estimate: as long as there is time, more blocks follow.
        blocks = most if plan.starts == wanted or (spec.precision and not over) else plan.starts
        blocks = blocks if not self.setup.spending or spec.precision else plan.starts
        serial = self._too_large(everyone, request.answers.peaks)
        if serial and spec.duet:
            raise UsageError(
                "the arms do not fit into memory together, and a duet needs two of them at once",
                remedy="lower --scale, or leave out --duet",
            )
        return records.Planned(
            cases=cases,
            starts=blocks,
            rounds=plan.rounds,
            runs=plan.runs,
            serial=serial,
            cold=cold,
            cpus=request.cpus,
            secret=secrets.token_hex(8),
            # In a duet every pair has rounds of its own, and its sides ask the same at the same moment.
            varied={} if spec.duet else {name: request.answers.varied[name] for name in fit},
            overall=True,
            fewer=True if spec.precision and not (spec.rounds or spec.duet) else msgspec.UNSET,
        )

    def _afforded(self, spending: Spending, plan: budget.Plan, request: PlanRequest) -> budget.Plan:
        """The plan, or the largest part of it that may be paid for; whole blocks, of fewer rounds and runs at first.

        Raises:
            UsageError: not even five starts of one run may be.
        """
        operation, spec = self.setup.workload.operation, self.setup.spec
        engines = {one.name: one.engine for one in self.setup.contenders}
        once = 0.0
        for arm in request.arms:
            for name, case_name in request.cases:
                if arm.contender in request.able[name]:
                    case = next(one for one in operation(name).cases if one.name == case_name)
                    text = operation(name).text(case, engines[arm.contender].dialect)
                    once += spending.estimate(arm.contender, text)
        waiting = spending.per_second(engines) * plan.seconds / plan.starts

        def block(rounds: int, runs: int) -> float:
            """What one costs: its executions, or the time that it takes where that is more."""
            return _DEARER * max(once * rounds * (1 + runs), waiting)

        rounds = [spec.rounds] if spec.rounds else range(plan.rounds, 0, -1)
        runs = [spec.runs] if spec.runs else range(plan.runs, 0, -1)
        choices = [(some, few) for some in rounds for few in runs]
        chosen = next((one for one in choices if plan.starts * block(*one) <= spending.left), choices[-1])
        starts = min(plan.starts, int(spending.left / block(*chosen))) if block(*chosen) > 0 else plan.starts
        least = min(plan.starts, MIN_STARTS)
        if starts < least:
            needed = spending.spent + least * block(*choices[-1])
            raise UsageError(
                f"{spending.words()} on the gate, and {units.count(least, 'start')} of one run need about "
                f"{amount(least * block(*choices[-1]))} {spending.limit.currency} more",
                remedy=f"--spend {math.ceil(100 * needed) / 100:.2f}{spending.limit.currency} would do; or name fewer "
                "--operations",
            )
        made = msgspec.structs.replace(plan, starts=starts, rounds=chosen[0], runs=chosen[1])
        cost = f"{amount(starts * block(*chosen))} {spending.limit.currency}"
        self.progress.say(f"spending: {spending.words()} on the gate; {made.size} may cost about {cost}")
        if made != plan:
            self.say(
                codes.T10_BUDGET.finding(
                    text=f"--spend allows {made.size}, not {plan.size}",
                    remedy="raise --spend for tighter intervals",
                )
            )
        return made

    def _planned_cold(self, request: PlanRequest, executions: Mapping[str, list[units.Seconds]]) -> int:
        """Cold blocks that the budget allows: it holds for them by themselves."""
        starts = request.starts.cold
        if not starts:
            return 0
        drive = cold.measured_drive(self.setup.link.files)
        self.journal.append("drive", drive)
        most = max(data.manifest.bytes for data in self.setup.layouts.values())
        reading = most / max(drive.rates) if drive.rates else 0.0
        plan = budget.cold_plan(
            starts, self.setup.spec.budget, request.arms, request.start_seconds, executions, reading
        )
        size = units.count(plan.starts, "cold start")
        self.progress.say(f"measuring: {size}, two lives for every operation, about {units.seconds(plan.seconds)}")
        if plan.lowered:
            self.say(
                codes.T10_BUDGET.finding(
                    text=f"the budget allows {size}, not {starts}",
                    remedy="raise --budget for tighter intervals, or name fewer --operations",
                )
            )
        return plan.starts
