"""What all tests share."""

from __future__ import annotations

import fcntl
import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from support.command import Run, Weigh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    """weigh as a user calls it, in an empty folder."""
    return Weigh(tmp_path)


@pytest.fixture(scope="session")
def dropping(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], AbstractContextManager[None]]:
    """One at a time: who drops the machine's caches takes away what another has just read."""
    base = tmp_path_factory.getbasetemp()
    # Each worker has a folder of its own in the one that they share.
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cold.lock"

    @contextmanager
    def alone() -> Iterator[None]:
        with place.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    return alone


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
    from support.waiting import eventually, workers

    yield
    try:
        eventually(lambda: not workers(tmp_path))
    finally:
        for pid in workers(tmp_path):
            os.kill(pid, signal.SIGKILL)
