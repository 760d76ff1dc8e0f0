"""The plans of this process: a spec names its trace by a digest, and holds no path."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.load.recording.plan import Plan
    from weigh.load.recording.spec import Replay

_plans: dict[str, Plan] = {}


def hold(digest: str, plan: Plan) -> None:
    """Keep a plan until the process ends."""
    _plans[digest] = plan


def plan(one: Replay) -> Plan:
    """The plan of a replay that this process was asked for."""
    return _plans[one.digest]
