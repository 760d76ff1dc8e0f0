"""Golden outputs: `make golden` writes them anew."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from golden.kept import Kept
from weigh.compare import run
from weigh.kinds.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator
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


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """What is read of evidence that nobody changes is the same for every form of its report."""
    read, results = Kind.read, {}

    def read_once(kind: Kind, folder: Path) -> Any:
        key = kind.name, folder.resolve()
        if key not in results:
            results[key] = read(kind, folder)
        return results[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Kind, "read", read_once)
        patch.setattr(run, "_session", functools.cache(run._session))
        yield
