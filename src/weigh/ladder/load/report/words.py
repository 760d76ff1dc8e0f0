"""The ladder of loads in sentences and cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units

if TYPE_CHECKING:
    from weigh.ladder.load.plan import LoadLadderPlan
    from weigh.ladder.load.results import LoadLadderResults, LoadRung

HEADINGS = ("rung", "records", "data", "data / memory", "p50", "p99", "p99.9", "answers/s", "CPU each", "read each")
"""Of the table of rungs."""
NOTE = (
    "Response times of all requests with their 95 % intervals; in brackets what a run saw of a percentile that it does "
    "not resolve. CPU of the server, and bytes that anybody read from the devices below its data, for each request. "
    "The rungs were measured one after another: what the machine did to one of them is not distinguished from what its "
    "data did. Each rung is a load of its own with its evidence, and its report says more."
)
_SHARED = {
    "innodb_buffer_pool_size": "What it does not hold InnoDB reads from the device, past the system's cache, unless "
    "innodb_flush_method says otherwise.",
    "shared_buffers": "It limits the server's own buffers: what they do not hold may lie in the system's cache, so "
    "that reads need not touch a device.",
    "maxmemory": "What is more than that the server refuses or evicts, as its maxmemory-policy says.",
}


def memory(plan: LoadLadderPlan) -> str:
    """What limits the memory, in a sentence or two."""
    if plan.memory_is == "control group":
        return f"A control group holds the server and what it caches to {units.size(plan.memory)}."
    return f"{plan.memory_is} is {units.size(plan.memory)}. {_SHARED[plan.memory_is]}"


def name(one: LoadRung) -> str:
    """A rung by the multiple that was asked for."""
    return f"{one.step.ratio:g}x"


def cells(one: LoadRung) -> tuple[str, ...]:
    """The row of a rung under :data:`HEADINGS`."""
    run = one.run
    rate = run.rate_achieved if run and not run.refused else None
    return (
        name(one),
        units.rows(one.step.records),
        units.size(one.size.data_bytes) if one.size else "not known",
        f"{one.size.ratio:.3g}" if one.size else "not known",
        *(_percentile(one, q) for q in (0.5, 0.99, 0.999)),
        f"{units.quantity(rate.mean)}" if rate else "refused" if run and run.refused else "-",
        units.seconds(one.cpu_s) if one.cpu_s is not None else "not known",
        units.size(one.read_per_request) if one.read_per_request is not None else "not known",
    )


def _percentile(one: LoadRung, q: float) -> str:
    found = one.percentile(q)
    if found is None or one.run is None:
        return "-"
    if not found.resolved:
        return f"({units.seconds(one.run.whole.response.value_at(q))})"
    if found.low is None or found.high is None:
        return units.seconds(found.value)
    return f"{units.seconds(found.value)} [{units.seconds(found.low)}, {units.seconds(found.high)}]"


def headline(summary: LoadLadderResults) -> str:
    """Where the data no longer fits, and what that costs, in one sentence or two."""
    measured = [one for one in summary.rungs if one.size is not None]
    outgrown = summary.outgrown
    if not measured:
        return "How large the data is was not told, so where it no longer fits is not known."
    if outgrown is None or outgrown.size is None:
        return f"All data fits into the memory up to {name(measured[-1])}, the largest rung measured."
    at = f"From {name(outgrown)} on the data no longer fits: {units.size(outgrown.size.data_bytes)} of data, "
    at += f"{units.size(outgrown.size.memory_bytes)} of memory."
    fits = [one for one in measured if one.size and one.size.in_memory]
    return f"{at} {_cost(fits[-1], measured[-1])}" if fits else f"{at} No rung fits."


def _cost(before: LoadRung, after: LoadRung) -> str:
    """What two rungs differ in where their intervals lie apart."""
    sentences = []
    for q, called in ((0.5, "p50"), (0.99, "p99")):
        one, other = before.percentile(q), after.percentile(q)
        if one is None or other is None or not (one.value and other.value):
            continue
        if None in (one.low, one.high, other.low, other.high):
            continue
        apart = (other.low or 0) > (one.high or 0) or (other.high or 0) < (one.low or 0)
        if apart:
            sentences.append(f"{called} is {other.value / one.value:.3g} times that of {name(before)}")
    reads = after.read_per_request
    if reads is not None:
        sentences.append(f"each request comes with {units.size(reads)} read from the devices")
    between = f"At {name(after)}"
    return f"{between} {', and '.join(sentences)}." if sentences else ""


def unfinished(summary: LoadLadderResults) -> str:
    """Rungs that are missing or broken off; empty where the ladder is whole."""
    parts = [f"{name(one)} was not measured to its end" for one in summary.rungs if not one.complete]
    if missing := summary.plan.steps[len(summary.rungs) :]:
        parts.append(f"not reached: {', '.join(f'{one.ratio:g}x' for one in missing)}")
    return f"Not complete: {'; '.join(parts)}." if parts else ""


def refused(summary: LoadLadderResults) -> list[str]:
    """Why a rung's figures do not count, a line each."""
    return [
        f"{name(one)} is refused: {reason.code}: {reason.text}"
        for one in summary.rungs
        if one.run is not None
        for reason in one.run.reasons
    ]
