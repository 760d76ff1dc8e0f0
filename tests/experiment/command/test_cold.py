"""``--temperature both``: killed in a cold block and continued, the evidence is whole and verifies."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from support.waiting import eventually, workers
from weigh.experiment import record as records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from support.command import Weigh

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("no_orphans")]

EXPERIMENT = (
    "run", "--contender", "one=duckdb?threads=1", "--contender", "two=duckdb?threads=2", "--scale", "100K",
    "--operations", "by_action", "--starts", "2", "--rounds", "1", "--runs", "1", "--quiet",
    "--temperature", "both", "--resume",
)  # fmt: skip


@pytest.fixture(autouse=True)
def alone(dropping: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    """Nobody else's caches are dropped meanwhile, and nobody else drops these."""
    with dropping():
        yield


def test_a_kill_in_a_cold_block_loses_the_turn_in_flight(weigh: Weigh) -> None:
    running = weigh.start(*EXPERIMENT)
    journals = weigh.folder.glob
    # Only a cold turn has a second execution here.
    eventually(lambda: any(b'"run":2' in one.read_bytes() for one in journals("runs/*/journal.jsonl")))
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=120)
    eventually(lambda: not workers(weigh.folder))
    run = weigh(*EXPERIMENT, "--json")
    assert run.code in RAN, run.err
    record = records.read(run.evidence)
    assert len(record.resumed) == 1
    assert [begun.temperature for begun in record.blocks] == ["hot", "hot", "cold", "cold"]
    measured = [(one.block, one.turn, one.run) for one in record.samples]
    assert measured == sorted(set(measured))
    assert {one["temperature"] for one in run.json["timings"]} == {"hot", "cold", "first"}
    assert all(one["proven"] == one["executions"] for one in run.json["cold"])
    assert weigh("verify", str(run.evidence), "--sql").code == 0
    # A new attempt adds its starts to these.
    again = weigh(*(word for word in EXPERIMENT if word != "--resume"), "--json")
    starts = {(one["temperature"], one["starts"]) for one in again.json["timings"] if one["contender"] == "two"}
    assert starts == {("hot", 4), ("cold", 4), ("first", 4)}
