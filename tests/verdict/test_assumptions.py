"""Assumptions are values, and reports are made from them."""

from __future__ import annotations

import pytest

from support import experiment_records
from support.html_pages import Reader, rendered
from weigh.experiment.report.terminal import plain
from weigh.experiment.results.results import experiment_results
from weigh.verdict import assumptions
from weigh.verdict.assumptions import Assumption

EVERY = [one for one in vars(assumptions).values() if isinstance(one, Assumption)]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_each_belongs_to_a_method_and_says_what_follows(one: Assumption) -> None:
    assert one in (*assumptions.JOIN, *assumptions.SERIES)
    assert one.assumes[0].isupper()
    assert one.fails[0].islower()
    assert one.assumes.endswith(".")
    assert one.fails.endswith(".")


def test_no_two_have_one_name() -> None:
    assert len({one.name for one in EVERY}) == len(EVERY) == 8


def test_the_report_has_those_of_its_verdicts() -> None:
    record = experiment_records.record()
    method = rendered(record).split('<details class="method">')[1].split("</details>")[0]
    page = Reader(f"<details>{method}</details>").text
    said = " ".join(plain(experiment_results([record]), "e").split())
    for one in assumptions.VERDICTS:
        assert f"{one.assumes} If not: {one.fails}" in page
        assert one.name in said
    assert assumptions.ALIKE_FOR_ALL.assumes not in page
