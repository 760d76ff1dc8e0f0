"""What building an index costs those who wait meanwhile: a lock, none, and nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh
    from support.once import Once

LOAD = (
    "--target",
    "postgres:embedded",
    "--rate",
    "150",
    "--records",
    "60k",
    "--duration",
    "60s",
    "--contention",
    "100%",
)

pytestmark = pytest.mark.long


@pytest.fixture
def p99(weigh: Weigh, once: Once) -> Callable[[str], dict[str, Any]]:
    """The verdict on p99 while a statement is executed."""

    def of(statement: str) -> dict[str, Any]:
        flags = (*LOAD, "--during", statement, "--quiet", "--json")
        run = once(f"during {statement}", lambda: weigh("load", "ycsb-a", *flags))
        assert run.code in RAN, run.err
        return next(one for one in run.json["disturbances"]["verdicts"] if one["metric"] == "p99")

    return of


def test_an_index_that_locks_the_table_makes_users_wait(p99: Callable[[str], dict[str, Any]]) -> None:
    assert p99("CREATE INDEX i ON weigh_ycsb (field0, field1); DROP INDEX i")["verdict"] == "slower"


def test_one_that_is_built_concurrently_makes_them_wait_less(p99: Callable[[str], dict[str, Any]]) -> None:
    locked = p99("CREATE INDEX i ON weigh_ycsb (field0, field1); DROP INDEX i")
    concurrent = p99("CREATE INDEX CONCURRENTLY i ON weigh_ycsb (field0, field1); DROP INDEX CONCURRENTLY i")
    assert concurrent["with_s"] / concurrent["without_s"] < locked["with_s"] / locked["without_s"]


def test_a_session_that_sleeps_is_accused_of_nothing(p99: Callable[[str], dict[str, Any]]) -> None:
    assert p99("SELECT pg_sleep(1)")["verdict"] != "slower"
