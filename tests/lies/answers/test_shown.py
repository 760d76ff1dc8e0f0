"""A1: a system whose client prints a wrong count in a table for people. Its honest twin prints the right one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import clickbench_systems as systems

from ..reading import contenders

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

QUERIES = {
    "others": "SELECT nullif(kind, 'k3') AS other, count(*) AS events FROM events GROUP BY kind ORDER BY kind",
}
SETTINGS = "weigh.data=csv"


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh]) -> Run:
    """Clients that print tables, one right and one wrong, and a witness."""
    weigh = fresh()
    systems.make_experiment(weigh.folder, QUERIES)
    named = [systems.system(weigh.folder, one, SETTINGS) for one in ("table", "wrong")]
    return weigh("gate", *contenders(*named, "duckdb=fork"), "--quiet", "--json", "--no-shrink")


def told(run: Run, contender: str) -> dict[str, tuple[str, str]]:
    """The gate's word on a contender, by operation."""
    return {
        row["operation"]: (row["status"], row["detail"]) for row in run.json["gate"] if contender in row["contenders"]
    }


@pytest.mark.promise("A wrong count in a table for people is a wrong answer.")
def test_a_wrong_count_in_a_table_is_a_wrong_answer(run: Run) -> None:
    assert {one: status for one, (status, _) in told(run, "wrong").items()} == dict.fromkeys(QUERIES, "diverged")


def test_a_right_table_agrees_as_far_as_it_is_shown(run: Run) -> None:
    # Only who failed is listed where somebody did.
    assert not told(run, "table")
    assert not told(run, "duckdb")
    (said,) = (one for one in run.json["findings"] if (one["code"], one["contender"]) == ("A7.shown", "table"))
    assert "NULL and an empty text look alike" in said["text"]
    assert "duckdb" not in {one["contender"] for one in run.json["findings"] if one["code"] == "A7.shown"}
