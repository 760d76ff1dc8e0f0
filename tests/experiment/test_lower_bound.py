"""What is refused early is refused late too, and what an answer shows not to be measured does not count."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from weigh.experiment.measure import budget
from weigh.experiment.measure.lower_bound import LowerBound
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.contender import Contender
from weigh.model.errors import UsageError
from weigh.model.gate import Check
from weigh.model.operation import Case, Operation
from weigh.model.schedule import arms
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("a", "b")
STARTS = {"a": 0.4, "b": 0.7}
SCHEMA = ResultSchema(columns=(Column(name="n", kind="integer"),))


def operations(number: int) -> tuple[Operation, ...]:
    case = Case(name="only", timed=True)
    return tuple(Operation(name=f"q{one}", sql="", schema=SCHEMA, cases=(case,)) for one in range(number))


def spec(seconds: float, **fields: Any) -> Spec:
    contenders = tuple(Contender(name=name, engine="duckdb") for name in NAMES)
    return Spec(workload="sql", contenders=contenders, baseline="a", budget=seconds, **fields)


def refused(call: Callable[[], object]) -> str:
    """What is reported of a budget that is too small; empty where it fits."""
    try:
        call()
    except UsageError as error:
        return f"{error} {error.remedy}"
    return ""


@pytest.mark.parametrize("cold", [False, True])
@pytest.mark.parametrize("duet", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_what_is_refused_early_is_refused_late(seed: int, duet: bool, cold: bool) -> None:
    random = Random(seed)
    asked = operations(random.randint(1, 30))
    costs = {(name, one.name, "only"): random.expovariate(20) for name in NAMES for one in asked}
    known = {key: value for key, value in costs.items() if random.random() < 0.5}
    own = spec(random.uniform(1, 60), duet=duet, **({"temperature": "cold"} if cold else {}))
    bound = LowerBound.before(own, asked)._replace(start_seconds=STARTS if random.random() < 0.5 else {})
    executions = {name: [costs[name, one.name, "only"] for one in asked] for name in NAMES}
    wish = budget.Wish(starts=own.starts, duet="a" if duet else "")
    if cold:
        late = refused(lambda: budget.cold_plan(own.starts, own.budget, arms(own), STARTS, executions, 0.1))
    else:
        late = refused(lambda: budget.plan(wish, own.budget, arms(own), STARTS, executions))
    early = refused(lambda: bound.check(known))
    assert late or not early
    if not late and not cold and not duet:
        # With all that there is to know it is as strict.
        assert not refused(lambda: bound._replace(start_seconds=STARTS).check(costs))


def test_with_all_known_it_is_as_strict_as_the_plan() -> None:
    asked = operations(10)
    costs = {(name, one.name, "only"): 0.1 for name in NAMES for one in asked}
    needed = 1.15 * 5 * (2 * 0.4 + 0.7 + 2 * 3 * 10 * 0.104)

    def bound(seconds: float) -> LowerBound:
        return LowerBound.before(spec(seconds), asked)._replace(start_seconds=STARTS)

    assert refused(lambda: bound(needed - 0.1).check(costs))
    assert not refused(lambda: bound(needed + 0.1).check(costs))


def test_operations_that_are_asked_and_not_timed_are_not_counted() -> None:
    asked = Operation(name="asked", sql="", schema=SCHEMA, cases=(Case(name="only"),))
    said = refused(lambda: LowerBound.before(spec(1.0), (*operations(100), asked)).check({}))
    assert "of 100 operations need" in said


def test_the_budget_that_is_named_is_enough() -> None:
    asked = operations(100)
    said = refused(lambda: LowerBound.before(spec(1.0), asked).check({}))
    # Five starts of three processes, and two executions of a hundred operations by each of them.
    assert "5 starts of one run of 100 operations need at least 14 s" in said
    assert "--budget 101s is enough where an execution takes 20.0 ms and a start 1.00 s" in said
    assert pytest.approx(100.05) == 1.15 * 5 * 3 * (1.0 + 2 * 100 * 0.024)


@pytest.mark.parametrize(("status", "left"), [(GateStatus.ERROR, 10), (GateStatus.UNVERIFIED, 0)])
def test_what_will_not_be_measured_does_not_count(status: GateStatus, left: int) -> None:
    asked = operations(30)
    checks = [
        Check(operation=one.name, case="only", contender="b", status=status) for one in asked[: len(asked) - left]
    ]
    bound = LowerBound.before(spec(2.0), asked)
    assert bool(refused(lambda: bound.check({}, checks))) == (not left)
