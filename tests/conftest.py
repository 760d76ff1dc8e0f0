"""What all tests share."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from commands import Weigh

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
