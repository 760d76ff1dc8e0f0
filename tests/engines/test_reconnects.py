"""A network that drops a connection in the middle of a measurement, and one that does not."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support import postgres_url
from support.dropping_proxy import Between

if TYPE_CHECKING:
    from support.command import Run, Weigh

FLAGS = ("--starts", "1", "--rounds", "4", "--runs", "3", "--no-shrink", "--json")
DROPPED = 10
"""Which execution of the question is dropped: the gate asks it some times before."""


def measured(weigh: Weigh, *named: str, command: str = "run", **environment: str) -> Run:
    """Two questions of one table, in one start."""
    pq.write_table(pa.table({"id": range(100), "v": [one % 10 for one in range(100)]}), weigh.folder / "t.parquet")
    (weigh.folder / "q").mkdir()
    (weigh.folder / "q" / "a_groups.sql").write_text("SELECT v, count(*) AS n FROM t GROUP BY v")
    (weigh.folder / "q" / "total.sql").write_text("SELECT sum(id) AS total FROM t")
    contenders = [flag for one in ("duckdb", *named) for flag in ("--contender", one)]
    flags = FLAGS if command == "run" else FLAGS[-2:]
    return weigh(command, "--data", "t.parquet", "--sql", "q", *contenders, *flags, **environment)


@pytest.mark.long
def test_a_lost_connection_is_an_outcome_and_what_was_opened_again_is_counted(weigh: Weigh) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(postgres_url.running())
        socket = Path(server["socket"]) / ".s.PGSQL.5432"
        drops, honest = (stack.enter_context(Between(socket, b"GROUP BY", drops_at)) for drops_at in (DROPPED, 0))
        named = [
            f"{name}={postgres_url.url(server, one.port, host='127.0.0.1')}"
            for name, one in (("drops", drops), ("honest", honest))
        ]
        run = measured(weigh, *named)
    assert run.code in (1, 3), run.err
    assert honest.counted > DROPPED
    of = {(one["contender"], one["operation"]): one for one in run.json["verdicts"] if one["metric"] == "wall_s"}
    assert of["drops", "a_groups"]["verdict"] == "error"
    (reason,) = of["drops", "a_groups"]["reasons"]
    assert reason["code"] == "X.lost"
    assert "drops lost its connection (block 0, 1 in all)" in reason["text"]
    assert [pair for pair, one in of.items() if one["verdict"] == "error"] == [("drops", "a_groups")]
    found = [one for one in run.json["findings"] if one["code"] == "X.reconnects"]
    assert [(one["contender"], one["severity"]) for one in found] == [("drops", "warning")]
    assert "lost 1 time (in a_groups), and opened again 1 time in the same block" in found[0]["text"]
    page = (run.evidence / "report.html").read_text()
    assert "and opened again 1 time" in page
    assert "lost its connection" in page
    assert "lost its connection" in " ".join((run.evidence / "report.txt").read_text().split())
    assert weigh("verify", "latest").code == 0


def test_what_is_lost_in_the_gate_is_counted(weigh: Weigh) -> None:
    """Where no clock goes: its operation has no answer, and the twin lost nothing."""
    with ExitStack() as stack:
        server = stack.enter_context(postgres_url.running())
        socket = Path(server["socket"]) / ".s.PGSQL.5432"
        drops, honest = (stack.enter_context(Between(socket, b"GROUP BY", drops_at)) for drops_at in (2, 0))
        named = [
            f"{name}={postgres_url.url(server, one.port, host='127.0.0.1')}"
            for name, one in (("drops", drops), ("honest", honest))
        ]
        run = measured(weigh, *named, command="gate")
    found = [one for one in run.json["findings"] if one["code"] == "X.reconnects"]
    assert [one["contender"] for one in found] == ["drops"], run.err
    assert "in the gate, before any clock, its connection was lost 1 time, and opened again 1 time" in found[0]["text"]
    assert [row["contenders"] for row in run.json["gate"] if row["status"] == "error"] == [["drops"]]
