"""What all tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands import Weigh

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    """weigh as a user calls it, in an empty folder."""
    return Weigh(tmp_path)
