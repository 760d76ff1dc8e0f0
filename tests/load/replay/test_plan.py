"""What of a trace is sent, on which connection and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.traces import KNOWS, Said, made
from weigh.capture.trace import Trace
from weigh.load.recording import plan
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def planned(folder: Path, said: Iterable[Said], **asked: Any) -> tuple[plan.Plan, list[plan.Line]]:
    """The plan of a trace, and its lines."""
    knows = asked.pop("knows", KNOWS)
    product = asked.pop("product", "postgres")
    usual: dict[str, Any] = {
        "connections": None,
        "most_s": None,
        "read_only": False,
        "guarded": False,
        "prepare": None,
    }
    with Trace(made(folder / "trace.parquet", said, product, knows)) as trace:
        found = plan.make(trace, folder / "lines", **{**usual, **asked})
    return found, [msgspec.json.decode(line, type=plan.Line) for line in found.path.read_bytes().splitlines()]


def texts(lines: Iterable[plan.Line], lane: int = 0) -> list[str]:
    """What one connection sends."""
    return [line.text for line in lines if line.lane == lane]


PAY = [Said(0.0, "a", "BEGIN"), Said(0.2, "a", "UPDATE t SET x = {}", "1"), Said(0.4, "a", "COMMIT")]


@pytest.mark.promise("Each recorded session has a connection of its own, up to 200 sessions.")
def test_each_session_has_a_connection_and_keeps_its_order(tmp_path: Path) -> None:
    found, lines = planned(tmp_path, [*PAY, Said(0.1, "b", "SELECT {}", "x", bound=True), Said(0.3, "b", "SELECT 2")])
    assert (found.lanes, found.planned.sessions, found.planned.transactions) == (2, 2, 1)
    assert texts(lines) == ["BEGIN", "UPDATE t SET x = 1", "COMMIT"]
    assert len({line.group for line in lines if line.lane == 0}) == 1
    assert [(line.text, line.values) for line in lines if line.lane == 1] == [("SELECT $1", ("x",)), ("SELECT 2", None)]
    assert [line.at for line in lines] == [0, 100_000_000, 200_000_000, 300_000_000, 400_000_000]


@pytest.mark.promise(
    "a transaction is never broken by another session, whose statements wait for its end, and are late"
)
def test_sessions_that_share_a_connection_do_not_break_transactions(tmp_path: Path) -> None:
    other = [
        Said(0.1, "b", "BEGIN"),
        Said(0.3, "b", "DELETE FROM t"),
        Said(0.5, "b", "COMMIT"),
        Said(0.15, "c", "SELECT 3"),
    ]
    found, lines = planned(tmp_path, [*PAY, *other], connections=1)
    assert texts(lines) == ["BEGIN", "UPDATE t SET x = 1", "COMMIT", "BEGIN", "DELETE FROM t", "COMMIT", "SELECT 3"]
    # Its own moment stays: it is late by what it waited.
    assert lines[3].at == 100_000_000
    assert found.planned.shared == 2


def test_a_connection_is_reset_between_sessions_that_follow_each_other(tmp_path: Path) -> None:
    said = [Said(float(number), f"s{number}", "SELECT 1") for number in range(plan.OWN + 1)]
    found, lines = planned(tmp_path, said)
    assert (found.lanes, found.planned.shared) == (1, 0)
    assert [line.reset for line in lines[:3]] == [False, True, True]


@pytest.mark.promise("a transaction has no end", "a session begins inside a transaction")
def test_what_is_cut_of_transactions_is_counted(tmp_path: Path) -> None:
    cut = [Said(0.0, "a", "SELECT 1"), Said(0.1, "a", "COMMIT"), Said(0.2, "b", "BEGIN"), Said(0.3, "b", "SELECT 2")]
    found, lines = planned(tmp_path, cut)
    assert (found.planned.begun_inside, found.planned.without_end) == (1, 1)
    assert len({line.group for line in lines if line.lane == 0}) == 2
    savepoint = [Said(0.0, "a", "BEGIN"), Said(0.1, "a", "ROLLBACK TO x", does="control"), Said(0.2, "a", "COMMIT")]
    found, lines = planned(tmp_path, savepoint)
    assert (found.planned.without_end, len({line.group for line in lines})) == (0, 1)


def test_what_cannot_be_sent_is_left_out_and_counted(tmp_path: Path) -> None:
    said = [*PAY, Said(0.5, "a", "COPY t FROM STDIN", does="utility"), Said(0.6, "a", "SELECT 1")]
    said += [Said(0.7, "a", "DROP TABLE t", does="utility"), Said(9.0, "a", "SELECT 2")]
    found, lines = planned(tmp_path, said, read_only=True, guarded=True, most_s=5.0)
    assert [line.text for line in lines] == ["BEGIN", "COMMIT", "SELECT 1"]
    assert sorted(found.planned.left_out.values()) == [1, 1, 2]
    assert "default_transaction_read_only" in found.begin
    assert found.planned.writes == 0


def test_a_source_without_sessions_has_no_transactions(tmp_path: Path) -> None:
    found, lines = planned(tmp_path, PAY, knows=("duration", "parameters"))
    assert [line.text for line in lines] == ["UPDATE t SET x = 1"]
    assert not found.planned.sessions_known


def test_totals_cannot_be_replayed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not know the values"):
        planned(tmp_path, PAY, knows=())


def test_the_longest_statements_have_figures_of_their_own(tmp_path: Path) -> None:
    said = [
        Said(number / 10, "a", f"SELECT {number} FROM t{number}", seconds=number / 1000 + 0.001) for number in range(25)
    ]
    found, lines = planned(tmp_path, said)
    assert found.operations[0] == "1 SELECT t24"
    assert found.operations[-1] == plan.OTHERS
    assert (len(found.operations), found.planned.other_templates) == (21, 5)
    assert {found.operations[line.operation] for line in lines if line.text.endswith(("t0", "t4"))} == {plan.OTHERS}


def test_commands_of_valkey_keep_their_words(tmp_path: Path) -> None:
    said = [Said(0.0, "a", "GET {}", 'k\\x01\\"'), Said(0.1, "a", "SUBSCRIBE {}", "c", does="utility")]
    found, lines = planned(tmp_path, said, product="redis")
    assert [line.words for line in lines] == [("R0VU", "awEi")]
    assert found.planned.left_out
