"""Golden outputs: `make golden` writes them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from golden.kept import Kept

if TYPE_CHECKING:
    from pathlib import Path

UPDATE = "--update-golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(UPDATE, action="store_true", help="write what is expected anew")


@pytest.fixture(scope="session")
def update(request: pytest.FixtureRequest) -> bool:
    """Whether what is expected is written anew; where all tests run the option is not known."""
    return bool(request.config.getoption(UPDATE, default=False))


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Evidence, made once."""
    folder: Path = tmp_path_factory.mktemp("kept")
    return Kept(folder)
