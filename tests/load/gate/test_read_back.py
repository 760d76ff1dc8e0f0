"""Keys that could not be read back are not read, which is no wrong answer; what was read and is wrong stays wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support import load_records
from weigh.load.gate.asking import when_whole
from weigh.load.gate_events import GateRecord, ReadBack
from weigh.load.report.first_screen import wrong
from weigh.load.results import load_results
from weigh.load.runs import unreached
from weigh.model.errors import ExitCode
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from weigh.load.results import LoadResults

_NODE = "user7: node 127.0.0.1:7003: 127.0.0.1:7003 cannot be reached: Connection refused (os error 111) ()"


@pytest.fixture(scope="module")
def judged() -> dict[str, LoadResults]:
    whole = load_records.calm(20)
    cases = {
        "some": ReadBack(run=1, written=300, read=300, read_written=300, right=202, failed=98, texts=(_NODE,)),
        "none": ReadBack(run=1, error="127.0.0.1:7003 cannot be reached: Connection refused (os error 111)"),
        "wrong": ReadBack(run=1, read=300, right=201, wrong=1, failed=98, texts=("user1 field0 is old", _NODE)),
    }
    return {
        name: load_results(msgspec.structs.replace(whole, gate=GateRecord(read_back=(back,))))
        for name, back in cases.items()
    }


def test_a_node_that_died_is_no_wrong_answer(judged: dict[str, LoadResults]) -> None:
    for name in ("some", "none"):
        found = judged[name]
        assert found.exit_code() is ExitCode.INCONCLUSIVE
        assert found.tier.name == "inadmissible"
        assert not any("WRONG" in line for line in wrong(found))
    [line] = wrong(judged["some"])
    assert line == (
        "UNREAD: after run 1, 98 of 300 written keys could not be read back, the other 202 are right "
        "(node 127.0.0.1:7003 cannot be reached: Connection refused (os error 111))."
    )


def test_a_wrong_value_among_what_was_read_is_still_wrong(judged: dict[str, LoadResults]) -> None:
    found = judged["wrong"]
    assert found.exit_code() is ExitCode.FOUND
    first, second = wrong(found)
    assert first.startswith("WRONG: ")
    assert second.startswith("UNREAD: ") and "are right" not in second


def test_a_node_is_named_by_the_errors_of_its_requests() -> None:
    refused = "cannot be reached: connecting: Connection refused"
    assert unreached([f"node h:1 {refused}", "connection lost"]) == "node h:1 of the cluster"
    assert unreached([f"node h:2 {refused}", f"node h:1 {refused}"]) == "nodes h:1 and h:2 of the cluster"
    assert unreached(["connection lost: reading: the server hung up"]) == ""


@pytest.mark.parametrize(
    ("patience", "reads", "kept"),
    [
        (60.0, [{"error": "no"}, {"failed": 2, "read": 3, "right": 1}, {"read": 3, "right": 3}, {"read": 9}], 2),
        # Of a server that was left alone: at once.
        (0.0, [{"failed": 2, "read": 3}, {"read": 3, "right": 3}], 0),
        # Reading again would mend it.
        (60.0, [{"failed": 1, "read": 3, "wrong": 1}, {"read": 3, "right": 3}], 0),
        (60.0, [{"failed": 1, "read": 3, "missing": 1}, {"read": 3, "right": 3}], 0),
    ],
)
def test_a_node_that_is_on_its_way_is_waited_for_and_what_is_wrong_is_kept(
    monkeypatch: pytest.MonkeyPatch, patience: float, reads: list[dict[str, Any]], kept: int
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    made = [ReadBack(run=1, **one) for one in reads]
    left = iter(made)
    assert when_whole(lambda: next(left), patience, Silence()) is made[kept]
