"""The plans and files of this process: a spec names each by a digest, and holds no path."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.recording.plan import Plan
    from weigh.load.recording.spec import Replay

_plans: dict[str, Plan] = {}
_files: dict[str, Path] = {}


def hold(digest: str, plan: Plan) -> None:
    """Keep a plan until the process ends."""
    _plans[digest] = plan


def hold_file(digest: str, path: Path) -> None:
    """Keep the path of a file likewise."""
    _files[digest] = path.absolute()


def plan(one: Replay) -> Plan:
    """The plan of a replay that this process was asked for."""
    return _plans[one.digest]


def file(digest: str) -> Path:
    """The path of a file that this process was asked for."""
    return _files[digest]
