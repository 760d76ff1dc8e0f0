"""A package whose version does not pin its engine; tests/lies/report/test_R10.py has a small one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh


@pytest.mark.long
def test_two_versions_of_chdb_load_one_engine(weigh: Weigh) -> None:
    flags = ("--scale", "20K", "--operations", "by_action,distinct", "--starts", "5", "--runs", "1", "--quiet")
    run = weigh("run", "--baseline", "old=chdb@4.1.0", "--contender", "new=chdb@4.4.0", *flags)
    assert run.code == 2
    said = " ".join(run.err.split())
    assert "old and new are one and the same engine: both say that they are chdb 26." in said
    assert "chdb/_chdb.abi3.so of chdb-core 26." in said
    assert "pin what holds the engine, chdb@4.1.0+chdb-core==VERSION" in said
