"""What is written of a replay into the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.gate.orders import order_of
from weigh.load.generator_errors import call
from weigh.load.recording import statements
from weigh.load.recording.record import Known, Recorded, Replayed

if TYPE_CHECKING:
    from weigh.evidence.journal import Journal
    from weigh.load.gate_events import Order
    from weigh.load.recording.plan import Plan
    from weigh.load.recording.spec import Replay


def opened(journal: Journal, one: Replay, plan: Plan) -> None:
    """What is sent; where answers are kept, also what the trace says of each statement."""
    journal.append("replay", plan.planned)
    if one.answers:
        journal.append("recorded", _recorded(plan, hidden=one.hidden))


def ended(journal: Journal, one: Replay, plan: Plan, generator: Any) -> None:
    """What came of each statement of a run, where answers are kept."""
    if one.answers:
        came = msgspec.json.decode(call(generator.replayed))
        found = msgspec.convert({**came, "run": 1}, Replayed)
        orders: dict[str, Order] = {}
        for place, answer in found.answers:
            number = str(plan.sent[place].statement)
            if answer.kind == "rows" and number not in orders:
                orders[number] = order_of(plan.statements[int(number)].text, answer)
        journal.append("replayed", msgspec.structs.replace(found, orders=orders))


def _recorded(plan: Plan, *, hidden: bool) -> Recorded:
    numbers = sorted({one.statement for one in plan.sent})
    tables = {table for number in numbers for table in statements.written(plan.statements[number])}
    known = {number: plan.statements[number] for number in numbers}
    return Recorded(
        statement=tuple(one.statement for one in plan.sent),
        group=tuple(one.group for one in plan.sent),
        rows=tuple(one.rows for one in plan.sent),
        failed=tuple(place for place, one in enumerate(plan.sent) if one.failed),
        known={
            str(number): Known(
                text=one.text,
                writes=tuple(sorted(statements.written(one))),
                names=tuple(sorted(statements.named(one) & tables)),
                of_the_moment=statements.of_the_moment(one),
            )
            for number, one in known.items()
        },
        parameters=()
        if hidden
        else tuple((place, one.parameters) for place, one in enumerate(plan.sent) if one.parameters),
    )
