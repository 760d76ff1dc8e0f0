"""What the lies share: folders of their own for runs that several tests read, and the run of all honest twins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands import Run, Weigh

from .reading import SHORT, SMALL

if TYPE_CHECKING:
    from collections.abc import Callable

HONEST = ("liar?lie=none", "liar?lie=rounding&by=2.3e-16", "liar?lie=copy", "liar?lie=slow-conversion")
"""The honest engine; last bits of doubles; files of its own with the same rows; a slow conversion."""


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Weigh]:
    """weigh in another empty folder each time: attempts in one folder would be read together."""
    return lambda: Weigh(tmp_path_factory.mktemp("lies"))


@pytest.fixture(scope="session")
def twins(fresh: Callable[[], Weigh]) -> Run:
    """Every honest twin at once, measured as the liars are."""
    contenders = [word for name in ("duckdb", *HONEST) for word in ("--contender", name)]
    return fresh()("run", *contenders, *SMALL, *SHORT, "--operations", "eq_action,by_action,duration_by_proto,distinct")
