"""Which of many changes are profiled."""

from __future__ import annotations

from support.suite_record import measured
from weigh.experiment.profile import words
from weigh.experiment.profile.choice import MOST, choose
from weigh.model.verdict import VerdictName


def chosen(ratios: dict[str, list[float]]) -> tuple[list[str], list[str]]:
    results = measured(ratios, 0.005)
    found, left = choose(results, [results.record], (), None)
    return [one.operation for one in found], list(left.get("new", ()))


def test_each_template_comes_before_the_second_operation_of_any() -> None:
    found, left = chosen({"much": [2.0, 1.9, 1.8, 1.7, 1.6, 1.5], "little": [1.1, 1.2], "": [1.05], "less": [0.5, 0.9]})
    assert found == ["much(x=0)", "less(x=0)", "much(x=1)", "little(x=1)", "(x=0)"]
    assert left == ["less(x=1)", "little(x=0)", "much(x=2)", "much(x=3)", "much(x=4)", "much(x=5)"]


def test_of_one_template_the_largest_changes() -> None:
    found, left = chosen({"q": [1.0, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]})
    assert found == [f"q(x={number})" for number in (6, 5, 4, 3, 2)]
    assert len(found) == MOST
    assert left == ["q(x=1)"]


def test_what_was_refused_has_no_figure() -> None:
    results = measured({"": [1.05]}, 0.6)
    (verdict,) = results.headline.verdicts
    assert verdict.verdict is VerdictName.REFUSED
    assert verdict.ratio is not None
    (one,), _ = choose(results, [results.record], ("(x=0)",), None)
    assert (one.verdict, one.ratio, one.before_s, one.after_s, one.blocks) == ("refused", None, None, None, ())
    assert "%" not in words.heading(one)
