"""E7: durability switched off. Settings are read back from the running server; the twin keeps what it acknowledges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.load.target.resp import Client
from weigh.load.target.url import parse

from ..loading import YCSB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh

SHORT = (*YCSB, "--rate", "50", "--duration", "1s")
BRIEF = (*YCSB, "--rate", "50", "--duration", "300ms")


@pytest.fixture
def careless(valkey: str) -> Iterator[None]:
    """The server with its log switched off."""
    connect = {**parse("redis://x").connect(), "socket": valkey}
    with Client(connect) as client:
        client.ask("CONFIG", "SET", "appendonly", "no")
        try:
            yield
        finally:
            client.ask("CONFIG", "SET", "appendonly", "yes")


@pytest.mark.usefixtures("careless")
def test_a_server_that_may_lose_writes_is_called_not_durable(offered: Callable[..., Run]) -> None:
    run = offered("none", *SHORT)
    assert "E7.not_durable" in run.codes
    assert run.json["load"]["durable"] is False
    (said,) = [one["text"] for one in run.json["findings"] if one["code"] == "E7.not_durable"]
    assert "appendonly is off" in said


def test_a_database_in_this_process_that_forces_nothing_to_the_disk_is_as_well(fresh: Callable[[], Weigh]) -> None:
    run = fresh()("load", *BRIEF, "--target", "sqlite:embedded?synchronous=OFF")
    (said,) = [one["text"] for one in run.json["findings"] if one["code"] == "E7.not_durable"]
    assert "synchronous is OFF" in said
    assert run.json["load"]["durable"] is False


def test_one_that_forces_every_commit_is_not(fresh: Callable[[], Weigh]) -> None:
    run = fresh()("load", *BRIEF, "--target", "sqlite:embedded")
    assert not {code for code in run.codes if code.startswith("E7")}
    assert run.json["load"]["durable"] is True


def test_a_server_that_keeps_them_is_not(honest_load: Run) -> None:
    assert not {code for code in honest_load.codes if code.startswith("E7")}
    assert honest_load.json["load"]["durable"] is True
