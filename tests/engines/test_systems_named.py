"""A system that runs elsewhere is named by its address, and nothing is made before somebody says where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh


@pytest.mark.parametrize(
    ("engine", "how"),
    [("clickhouse", "clickhouse://HOST:PORT"), ("dbapi", "dbapi:MODULE+PIN?ARG=VALUE"), ("command", "--command")],
)
def test_who_names_no_place_is_told_how(weigh: Weigh, engine: str, how: str) -> None:
    run = weigh("run", "--scale", "1K", "--contender", "duckdb", "--contender", engine, "--quiet")
    assert run.code == 2
    assert "internal error" not in run.err
    assert "KeyError" not in run.err
    assert how in run.err
    assert not (weigh.folder / "runs").exists()
