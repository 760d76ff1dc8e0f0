"""L2 of a replay: what is due while the server stands still is late, and counted; the twin's server answers.

A1 of a replay: a server that answers one recorded statement otherwise is named; its twin, the same server, is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.traces import Said, made

from ..loading import response

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run

SESSIONS, EACH, SECONDS = 8, 25, 2.5
FLAGS = ("--warmup", "0s", "--contention", "100%", "--threads", "1", "--json")
TRIES = 3


@pytest.fixture
def looks(tmp_path: Path) -> str:
    """Sessions that read a key every tenth of a second."""
    said = [
        Said(turn * SECONDS / EACH + session * 0.01, f"s{session}", "HGETALL user{}", str(session), does="reads")
        for turn in range(EACH)
        for session in range(SESSIONS)
    ]
    return str(made(tmp_path / "looks.parquet", said, "redis"))


@pytest.mark.promise("Nothing is dropped silently, and nobody waits before asking.")
def test_what_is_due_in_a_stall_is_late_from_its_recorded_moment(offered: Callable[..., Run], looks: str) -> None:
    run = offered("stalls", "replay", looks, *FLAGS)
    [kept] = run.json["replay"]["kept"]
    assert kept["due"] == SESSIONS * EACH
    # A second of every session is due behind an answer that does not come; one of each is asked before.
    assert kept["behind"] >= 8 * SESSIONS
    assert "L2.behind" in run.codes
    # A loop that had waited for the answer would have asked later, and seen eight slow answers.
    assert response(run)["max"]["value"] > 0.8
    assert response(run)["p90"]["value"] is None or response(run)["p90"]["value"] > 0.3


def test_a_server_that_answers_is_not_accused(offered: Callable[..., Run], looks: str) -> None:
    # On a machine that stands still itself statements are late, and rightly called so: another run is made.
    for _ in range(TRIES):
        run = offered("none", "replay", looks, *FLAGS)
        if "L2.behind" not in run.codes:
            break
    assert "L2.behind" not in run.codes
    [kept] = run.json["replay"]["kept"]
    assert (kept["due"], kept["sent"]) == (SESSIONS * EACH, SESSIONS * EACH)


@pytest.mark.long
def test_another_answer_of_another_server_is_named(fresh: Callable[..., Run], tmp_path: Path) -> None:
    said = [
        Said(turn / 50, f"s{turn % 3}", "SELECT x FROM t WHERE x < {} ORDER BY x", str(turn % 5 + 1), rows=1)
        for turn in range(45)
    ] + [Said(0.95, "s4", "SELECT current_setting({})", "'extra_float_digits'", rows=1)]
    trace = str(made(tmp_path / "t.parquet", said))
    data = tmp_path / "d.sql"
    data.write_text("CREATE TABLE t AS SELECT * FROM generate_series(0, 9) x;\n")
    flags = ("--prepare", str(data), "--answers", "keep", "--blocks", "1", "--no-twice", *FLAGS)
    pair = ("--contender", "old=postgres:embedded", "--contender", "new=postgres:embedded?extra_float_digits=0")
    run = fresh()("load", "replay", trace, *pair, *flags)
    assert run.code == 1
    [found] = [one for one in run.json["findings"] if one["code"] == "A1.replayed"]
    assert "current_setting" in found["text"]
    assert found["contender"] == "new"
    assert run.json["replayed"][0]["compared"] == 46
    same = fresh()("load", "replay", trace, *pair[:3], "new=postgres:embedded", *flags)
    assert not {one["code"] for one in same.json["findings"]} & {"A1.replayed", "A1.order"}
