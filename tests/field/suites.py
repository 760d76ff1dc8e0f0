"""What the field cases of suites share: an audit of a folder as a user asks for it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.command import Run, Weigh

FIELD = Path(__file__).parent


def copied(case: str, folder: Path) -> Path:
    """The inputs of a case, where weigh runs."""
    shutil.copytree(FIELD / case, folder, dirs_exist_ok=True, symlinks=True)
    return folder


def audited(weigh: Weigh, suite: str, *contenders: str) -> tuple[Run, set[str], dict[str, str]]:
    """An audit of a suite: the operations, and by name why others are left out."""
    named = [word for one in contenders or ("duckdb",) for word in ("--contender", one)]
    run = weigh("workloads", "audit", suite, *named, "--json")
    if run.code == 2:
        return run, set(), {}
    document = run.json
    return run, set(document["operations"]), {one["name"]: one["why"] for one in document["left_out"]}
