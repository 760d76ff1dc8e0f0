"""A replay as the generator takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weigh.load.recording.plan import Plan
    from weigh.load.recording.spec import Replay

_ANSWER_BYTES = 1024
"""Of the rows of an answer that is kept; of longer ones a digest is."""


def workload(one: Replay, plan: Plan) -> dict[str, Any]:
    """Its workload."""
    return {
        "kind": "replay",
        "path": str(plan.path),
        "operations": plan.operations,
        "speed": one.speed,
        "lanes": plan.lanes,
        "prepare": str(plan.prepare) if plan.prepare else None,
        "begin": plan.begin or None,
        "reset": plan.reset or None,
        "keep": one.answers,
        "answer_bytes": 0 if one.hidden else _ANSWER_BYTES,
    }


def arrivals() -> dict[str, Any]:
    """Its arrivals: the moments stand in the file of the workload."""
    return {"kind": "trace", "times_s": [0.0]}
