"""Engines with stores of their own are cold by the files of their stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from weigh.experiment import record as records

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from support.command import Weigh

pytestmark = pytest.mark.long


def test_what_they_loaded_is_put_out_of_memory_and_read_again(
    weigh: Weigh, dropping: Callable[[], AbstractContextManager[None]]
) -> None:
    named = [word for name in ("sqlite", "postgres") for word in ("--contender", name)]
    size = ("--scale", "50K", "--starts", "1", "--rounds", "1", "--runs", "1")
    flags = ("--operations", "by_action", "--temperature", "both", "--quiet", "--json")
    with dropping():
        run = weigh("run", *named, *size, *flags)
    assert run.code in RAN, run.err
    for one in run.json["cold"]:
        assert one["refused"] is None, one
        assert one["proven"] == one["executions"] > 0
        if one["temperature"] == "cold":
            # The whole table is read, by whichever process of the server.
            assert one["resident"] == 0
            assert one["bytes_read"] > 0.8 * 4096 * one["pages"]
    record = records.read(run.evidence)
    # A server is told by its turns, the library in the worker by its samples.
    turns = [one for one in record.cache_states if one.place == "turn"]
    assert {one.contender for one in turns} == {"postgres"}
    assert {one.bytes_read for one in turns} == {0}
    assert "E1.unproven" not in {reason["code"] for reason in run.json["tier"]["reasons"]}
