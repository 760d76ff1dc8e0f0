"""Nothing that a test started outlives it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
