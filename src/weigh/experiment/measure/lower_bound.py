"""What measuring takes at least: a budget that is too small is refused before everything has been asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.experiment.measure import budget
from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.model.errors import UsageError
from weigh.model.rules import FULL_STARTS, MIN_STARTS
from weigh.model.schedule import arms

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from weigh.model.gate import Check
    from weigh.model.operation import Operation
    from weigh.model.schedule import Arm
    from weigh.model.spec import Spec
    from weigh.model.units import Seconds

_EXECUTION = 0.02
"""Seconds of an execution in the example of a budget, where none has been observed."""
_START = 1.0
"""Seconds of a start there."""
_MEASURED = (GateStatus.AGREED, GateStatus.UNVERIFIED)


class LowerBound(NamedTuple):
    """What the plan of an experiment costs at least.

    Operations count until an answer shows that they will not be measured.

    Attributes:
        spec: of the experiment.
        operations: all that are asked.
        hot, cold: starts of each kind that are asked for.
        arms: of every block.
        start_seconds: what a start takes, by contender, as far as it is known.
    """

    spec: Spec
    operations: tuple[Operation, ...]
    hot: int
    cold: int
    arms: tuple[Arm, ...]
    start_seconds: Mapping[str, Seconds] = {}

    @classmethod
    def before(cls, spec: Spec, operations: tuple[Operation, ...]) -> LowerBound:
        """Of an experiment of which nothing was started."""
        hot, cold = (spec.starts if kind in spec.temperatures else 0 for kind in ("hot", "cold"))
        return cls(spec, operations, hot, cold, arms(spec))

    def check(self, seconds: Mapping[tuple[str, str, str], Seconds], checks: Collection[Check] = ()) -> None:
        """Refuse a budget that is surely too small.

        Args:
            seconds: fastest execution of (contender, operation, case) so far.
            checks: what is known of answers so far.

        Raises:
            UsageError: not even the fewest starts fit; a budget that is enough is named.
        """
        if self.spec.budget is None:
            return
        keys = self._keys(checks)
        # In a duet who executes alongside whom depends on what is left of the operations.
        known = {} if self.spec.duet else seconds
        lower = {name: [known.get((name, *key), 0.0) for key in of] for name, of in keys.items()}
        guess = {name: self._guess(name, seconds) for name in keys}
        likely = {name: [seconds.get((name, *key), guess[name]) for key in of] for name, of in keys.items()}
        starts = {name: self.start_seconds.get(name, _START) for name in keys}
        if self.hot:
            # With a precision more blocks follow as they are needed.
            wanted = min(self.hot, FULL_STARTS) if self.spec.precision else self.hot
            wish = budget.Wish(
                starts=wanted,
                rounds=self.spec.rounds or None,
                runs=self.spec.runs or None,
                duet=self.spec.baseline if self.spec.duet else "",
            )
            least = budget.least(wish, self.arms, self.start_seconds, lower)
            enough = budget.least(wish, self.arms, starts, likely)
            self._refuse(f"{units.count(least.starts, 'start')} of one run", least.seconds, enough.seconds, seconds)
        if self.cold:
            fewest = min(self.cold, MIN_STARTS)
            block = budget.cold_block(self.arms, self.start_seconds, lower, 0.0)
            enough_block = budget.cold_block(self.arms, starts, likely, 0.0)
            self._refuse(
                units.count(fewest, "cold start"),
                fewest * block,
                fewest * enough_block,
                seconds,
                ", alongside what reading the data takes",
            )

    def _keys(self, checks: Collection[Check]) -> dict[str, Sequence[tuple[str, str]]]:
        """The timed cases that each contender may execute yet."""
        names = {arm.contender for arm in self.arms}
        wrong = {one.operation for one in checks if one.status is GateStatus.DIVERGED}
        unable = {(one.contender, one.operation) for one in checks if one.status not in _MEASURED}
        found: dict[str, list[tuple[str, str]]] = {name: [] for name in sorted(names)}
        for operation in self.operations:
            able = [name for name in found if (name, operation.name) not in unable]
            if operation.name in wrong or len(able) < min(2, len(names)):
                continue
            for name in able:
                found[name] += [(operation.name, case.name) for case in operation.timed()]
        return dict(found)

    def _guess(self, name: str, seconds: Mapping[tuple[str, str, str], Seconds]) -> Seconds:
        """What an execution that was not observed may take: as those of the contender so far, or of anybody."""
        seconds_of_name = [value for key, value in seconds.items() if key[0] == name] or list(seconds.values())
        return sum(seconds_of_name) / len(seconds_of_name) if seconds_of_name else _EXECUTION

    def _refuse(
        self,
        size: str,
        needed: Seconds,
        enough: Seconds,
        seconds: Mapping[tuple[str, str, str], Seconds],
        addition: str = "",
    ) -> None:
        most = self.spec.budget
        if most is None or needed <= most:
            return
        pace = (
            "at the pace so far"
            if seconds
            else f"where an execution takes {units.seconds(_EXECUTION)}"
            + ("" if self.start_seconds else f" and a start {units.seconds(_START)}")
        )
        timed = sum(1 for one in self.operations if one.timed())
        raise UsageError(
            f"a budget of {units.seconds(most)} is too small: {size} of "
            f"{units.count(timed, 'operation')} need at least {units.duration(needed)}",
            remedy=f"--budget {units.typed(enough)} is enough {pace}{addition}; or "
            + ("" if self.spec.scale is None else "lower --scale, or ")
            + "name fewer --operations",
        )
