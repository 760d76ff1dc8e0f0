"""Nothing that a test started outlives it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from commands import Run, Weigh

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A small real experiment: DuckDB with one thread and with two, five starts; two operations."""
    named = ("--contender", "one=duckdb?threads=1", "--contender", "two=duckdb?threads=2", "--baseline", "one")
    flags = ("--scale", "1K", "--starts", "5", "--runs", "2", "--operations", "eq_user,by_action", "--quiet")
    run = Weigh(tmp_path_factory.mktemp("small"))("run", *named, *flags)
    assert run.code in (0, 1), run.err
    return run


@pytest.fixture
def no_orphans(tmp_path: Path) -> Iterator[None]:
    """Every worker of a test's weigh is gone soon after weigh is."""
    from watching import eventually, workers

    yield
    try:
        eventually(lambda: not workers(tmp_path))
    finally:
        for pid in workers(tmp_path):
            os.kill(pid, signal.SIGKILL)
