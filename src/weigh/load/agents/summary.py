"""The accounts of several generators of one run as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh.load.runs import LoadSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

_VIOLATIONS = 50
"""That are kept; all are counted."""
_SUMS = (
    "scheduled", "sent", "done", "unsent", "in_flight_at_end", "client_cpu_s", "clock_jumps", "max_queue", "overflows",
    "verified_reads", "reconnect_s", "failed_connects",
)  # fmt: skip


def merged_summary(all_: Sequence[LoadSummary]) -> LoadSummary:
    """All together: what was counted is added up, and it ended when the last one did."""
    in_time = [one.in_time for one in all_ if one.in_time is not None]
    violations = tuple(text for one in all_ for text in one.violations)
    return LoadSummary(
        t0_unix=all_[0].t0_unix,
        in_time=sum(in_time) if len(in_time) == len(all_) else None,
        seconds=max(one.seconds for one in all_),
        violations=violations[:_VIOLATIONS],
        violation_count=sum(
            len(one.violations) if one.violation_count is None else one.violation_count for one in all_
        ),
        longest_reconnect_s=max(one.longest_reconnect_s for one in all_),
        **{name: sum(getattr(one, name) for one in all_) for name in _SUMS},
    )


def added(one: Any, other: Any) -> Any:
    """Two documents of numbers, added up place by place."""
    if isinstance(one, dict):
        return {
            name: added(one[name], other[name]) if name in one and name in other else one.get(name, other.get(name))
            for name in {**one, **other}
        }
    if isinstance(one, list):
        return [added(mine, theirs) for mine, theirs in zip(one, other, strict=True)]
    return one + other
