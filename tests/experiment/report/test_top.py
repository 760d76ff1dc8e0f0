"""The first screen of a suite's page: its rows are those that the terminal prints."""

from __future__ import annotations

import re

from support.suite_record import measured
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.html.many import CHOSEN, FULL
from weigh.experiment.report.html.page import page


def test_templates_and_operations_that_are_not_told_in_full_have_rows() -> None:
    # More operations of one template differ than are reported in full, and less does the one that stands alone.
    results = measured({"slow": [2.0] * FULL, "fast": [0.5, 0.5], "": [1.3], "calm": [1.0, 1.0]}, 0.002)
    screen = first_screen(results, "evidence")
    shown = [line.question for line in screen.lines]
    assert shown == ["slow (all 100)", "(x=0)", "fast (all 2)"]
    assert FULL > CHOSEN
    text = page(results, results.record.samples, "evidence")
    (table,) = re.findall(r'<table class="vt top".*?</table>', text, re.DOTALL)
    rows = re.findall(r'<th scope="rowgroup"[^>]*><a href="#([^"]*)">([^<]*)</a></th>', table)
    assert [title for _, title in rows] == shown
    for anchor, _ in rows:
        assert f'id="{anchor}"' in text
    assert re.findall(r">(SLOWER|FASTER) by", table) == ["SLOWER", "SLOWER", "FASTER"]
