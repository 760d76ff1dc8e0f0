"""The page of 3,000 operations in a browser: small, laid out as far as it is looked at, scrolled to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import experiment_records
from support.chromium import Page
from weigh.experiment.report.html import page as page_of
from weigh.experiment.results.results import experiment_results

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

OPERATIONS = 3_000
MOST_BYTES = 2_000_000
LAST = "[...document.querySelectorAll('#others tr')].at(-1)"
VISIBLE = "one => one.checkVisibility({contentVisibilityAuto: true})"
LAID_OUT = f"[...document.querySelectorAll('.bl table')].filter({VISIBLE}).length"


@pytest.mark.promise("a page of 3,000 operations is below 2 MB and scrolls")
def test_a_page_of_3000_operations_is_small_and_scrolls(tmp_path: Path) -> None:
    names = [f"micro.aggregate_{number}(x={number})" for number in range(OPERATIONS)]
    record = experiment_records.record(
        operations=names, contenders=experiment_records.names(2), starts=1, runs=1, rounds=1
    )
    text = page_of(experiment_results([record]), record.samples, "suite")
    assert len(text.encode()) < MOST_BYTES
    path = tmp_path / "suite.html"
    path.write_text(text)
    with Page() as page:
        page.open(path, width=1280)
        page.run("[...document.querySelectorAll('details.part')].forEach(one => one.open = true)")
        rows = page.run("document.querySelectorAll('#others tbody tr').length")
        told = page.run("document.querySelectorAll('details.op').length")
        assert (rows + told, told) == (OPERATIONS, 40)
        before = page.run(LAID_OUT)
        assert before < 30, "blocks far from the window are laid out"
        # Heights of blocks are guesses until they are near: the end comes closer with every step.
        page.until(
            f"({LAST}.scrollIntoView({{block: 'center'}}), (b => b.top >= 0 && b.bottom <= innerHeight && b.height > 5)"
            f"({LAST}.getBoundingClientRect()))"
        )
        assert page.run("document.documentElement.scrollWidth") == 1280
        widths = page.run(
            f"new Set([...document.querySelectorAll('#others td:first-of-type')].filter({VISIBLE})"
            ".map(one => Math.round(one.getBoundingClientRect().left))).size"
        )
        assert widths == 1, "columns of the blocks do not stand below one another"
