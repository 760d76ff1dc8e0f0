"""The check of an engine against itself: it shows how far it is, and does not take for ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from golden.in_process import weigh
from weigh.cli import progress
from weigh.experiment.gate import metamorphic

if TYPE_CHECKING:
    from pathlib import Path


GATE = (
    "gate", "--contender", "duckdb@2.0.0", "--scale", "1K", "--no-truth", "--operations", "by_action,eq_user", "--json",
)  # fmt: skip


def relations(tmp_path: Path, command: tuple[str, ...] = GATE) -> list[str]:
    shown = weigh(command, tmp_path)
    assert shown.code == 0, shown.err
    return [one["text"] for one in json.loads(shown.out)["findings"] if one["code"] == "X.relation"]


def test_what_there_was_no_time_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metamorphic, "BUDGET", 0.0)
    late = relations(tmp_path)
    assert any(
        "with one thread could not be made on 2 operations of 2: all checks of a contender" in text for text in late
    )
    assert any("with its parts could not be made on 1 operation of 2" in text for text in late)


def test_one_question_does_not_take_the_time_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """q2 without optimizers is a product of five tables."""
    monkeypatch.setattr(metamorphic, "BUDGET", 16.0)
    tpch = ("gate", "--workload", "tpch", "--scale", "0.01", "--contender", "duckdb@2.0.0", "--no-truth", "--json")
    (untried,) = relations(tmp_path, (*tpch, "--operations", "q2,q13"))
    assert "joins and filters off could not be made on 1 operation of 2: no whole reply to 'run' within " in untried


@pytest.mark.long
def test_one_question_that_is_slow_as_it_is_does_not_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metamorphic, "BUDGET", 16.0)
    pq.write_table(pa.table({"id": range(40_000)}), tmp_path / "t.parquet")
    (tmp_path / "q.sql").write_text(
        "-- name: a_slow\nSELECT count(*) AS n FROM t a, t b WHERE a.id * b.id % 7 = 3;\n"
        "-- name: quick\nSELECT max(id) AS m FROM t;\n"
    )
    own = ("--data", "t.parquet", "--sql", "q.sql")
    untried = relations(tmp_path, ("gate", *own, "--contender", "duckdb@2.0.0?threads=1", "--json"))
    assert untried and all("on 1 operation of 2: no whole reply to 'run' within " in text for text in untried), untried


@pytest.mark.long
def test_it_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[int, int]] = []

    def step(_: object, done: int, total: int, what: str) -> None:
        if what == "gate: duckdb@2.0.0 against itself":
            steps.append((done, total))

    monkeypatch.setattr(progress.Terminal, "step", step)
    assert not [text for text in relations(tmp_path) if "all checks of a contender" in text]
    total = steps[0][1]
    assert steps == [(done, total) for done in range(1, total + 1)]
    assert total % 2 == 0, "each relation on each operation"
