"""Servers of the whole session: each is started once, and what the machine lacks is skipped by name."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from support.servers import clickhouse, h2, maria, postgres, spark, trino
from support.servers.process import Lacking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

SECRET = "hunter2-planted"


@contextmanager
def _there(name: str, started: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    try:
        context = started()
        spec = context.__enter__()
    except Lacking as why:
        pytest.skip(f"{name} is not installed: {why}")
    try:
        yield f"{name}={spec}"
    finally:
        context.__exit__(None, None, None)


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder of a server's own."""
    return tmp_path_factory.mktemp


@pytest.fixture(scope="session")
def maria_spec(folder_of: Callable[[str], Path]) -> Iterator[str]:
    with _there("maria", functools.partial(maria.running, folder_of("maria"), SECRET)) as spec:
        yield spec


@pytest.fixture(scope="session")
def clickhouse_spec(folder_of: Callable[[str], Path]) -> Iterator[str]:
    with _there("clickhouse", functools.partial(clickhouse.running, folder_of("clickhouse"), SECRET)) as spec:
        yield spec


@pytest.fixture(scope="session")
def h2_spec(folder_of: Callable[[str], Path]) -> Iterator[str]:
    with _there("h2", functools.partial(h2.running, folder_of("h2"))) as spec:
        yield spec


@pytest.fixture(scope="session")
def trino_spec(folder_of: Callable[[str], Path]) -> Iterator[str]:
    with _there("trino", functools.partial(trino.running, folder_of("trino"))) as spec:
        yield spec


@pytest.fixture(scope="session")
def spark_spec(folder_of: Callable[[str], Path]) -> Iterator[str]:
    with _there("spark", functools.partial(spark.running, folder_of("spark"), SECRET)) as spec:
        yield spec


@pytest.fixture(scope="session")
def pg15_spec() -> Iterator[str]:
    with _there("pg15", lambda: postgres.running(postgres.of_the_system(), SECRET)) as spec:
        yield spec


@pytest.fixture(scope="session")
def pg18_spec() -> Iterator[str]:
    with _there("pg18", lambda: postgres.running(postgres.of_the_wheel(), SECRET)) as spec:
        yield spec
