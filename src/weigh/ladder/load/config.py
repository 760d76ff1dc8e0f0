"""What a user asks of a ladder of loads, as a plan and the loads of its rungs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.ladder.load import sizes
from weigh.ladder.load.plan import LoadLadderPlan, LoadStep
from weigh.load import config
from weigh.load.target import embedded
from weigh.model.errors import UsageError
from weigh.model.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Target
    from weigh.model.units import Seconds

USUAL_RUNGS = "0.1,1,10"
_USUAL_BUDGET = 3600.0
_OF_OTHERS = {
    "contender": "a ladder loads one server: climb it once for each",
    "find_rate": "a ladder has one rate on all rungs: search on a rung by itself with weigh load",
    "require": "what one rung must keep is required of it alone, with weigh load",
    "crash": "crash a server by itself with weigh load",
}


class LadderRequest(NamedTuple):
    """A ladder and how it is climbed.

    Attributes:
        plan: the ladder.
        loads: of its rungs, in its order.
        budget: seconds for all of them.
    """

    plan: LoadLadderPlan
    loads: tuple[LoadSpec, ...]
    budget: Seconds


def make(
    workload: Sequence[str], server: Target, flags: dict[str, Any], rungs: str, budget: str | None, command: str
) -> LadderRequest:
    """The ladder.

    Args:
        workload: words of the command line.
        server: that is loaded.
        flags: of ``weigh load``, by name; None where one was left out.
        rungs: data over memory, several with commas between them.
        budget: time for all of them; None where it was left out.
        command: that does it again.

    Raises:
        UsageError: something does not exist, or contradicts something else, or nothing limits the server's memory.
    """
    for name, remedy in _OF_OTHERS.items():
        if flags.get(name):
            raise UsageError(f"--{name.replace('_', '-')} is of weigh load, and not of a ladder", remedy=remedy)
    ratios = _ratios(rungs)
    # Its other flags are observed to be right before anything is computed from them.
    first = config.make(workload, server.text, flags)
    if not first.is_ycsb:
        raise UsageError(
            "a ladder of loads grows YCSB's records, and a script has data of its own",
            remedy="take ycsb-a to ycsb-f, or write -D scale=N with weigh load",
        )
    kind = embedded.kind_of(server.text)
    settings = embedded.parse(server.text, (), folders=True).settings if server.restarts else {}
    memory = sizes.memory_of(first, kind, settings)
    each = sizes.record_bytes(first, server.kind)
    loads = tuple(
        msgspec.structs.replace(first, records=sizes.records_for(round(ratio * memory.bytes), server.kind, each))
        for ratio in ratios
    )
    plan = LoadLadderPlan(
        workload=first.workload,
        target=server.text,
        memory=memory.bytes,
        memory_is=memory.by,
        record_bytes=each,
        steps=tuple(
            LoadStep(ratio=ratio, records=load.records, experiment=load.id)
            for ratio, load in zip(ratios, loads, strict=True)
        ),
        command=command,
    )
    return LadderRequest(plan, loads, _USUAL_BUDGET if budget is None else parse_duration(budget))


def _ratios(text: str) -> tuple[float, ...]:
    try:
        found = sorted(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UsageError(f"--rungs {text}: one is no number", remedy=f"write --rungs {USUAL_RUNGS}") from None
    if len(set(found)) != len(found):
        raise UsageError(f"--rungs {text}: one is named twice", remedy="name each rung once")
    if len(found) < 2 or not 0 < found[0] <= found[-1] < float("inf"):
        raise UsageError(
            f"--rungs {text} is no ladder", remedy=f"name several multiples of the memory: --rungs {USUAL_RUNGS}"
        )
    return tuple(found)
