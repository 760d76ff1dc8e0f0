"""Verdicts over the operations of a template."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from support.suite_record import SPEC, measured
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.results.results import experiment_results
from weigh.model.errors import ExitCode
from weigh.model.rules import Rules, Typical
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults

MEMBERS = 12


def names(results: ExperimentResults) -> dict[str, VerdictName]:
    return {one.verdict.operation: one.verdict.verdict for one in results.templates}


def test_a_template_is_decided_where_its_operations_are_open() -> None:
    results = measured({"slow": [1.12] * MEMBERS, "calm": [1.0] * MEMBERS}, 0.15)
    single = {one.verdict for one in results.headline.verdicts}
    assert single <= {VerdictName.UNRESOLVED, VerdictName.REFUSED}
    assert names(results)["slow"] is VerdictName.SLOWER
    assert names(results)["calm"] not in (VerdictName.SLOWER, VerdictName.FASTER)
    slow = results.templates[0].verdict
    assert slow.low is not None
    assert slow.high is not None
    assert slow.low < 1.12 < slow.high
    # What is slower over a template fails a run as what is slower by itself does.
    assert results.exit_code() is ExitCode.FOUND


def test_a_template_is_as_its_operations_are_where_these_are_decided() -> None:
    results = measured({"same": [1.0] * 3, "fast": [0.5] * 3}, 0.005)
    assert names(results) == {"same": VerdictName.SAME, "fast": VerdictName.FASTER}
    assert results.templates[1].verdicts == {VerdictName.FASTER: 3}
    assert results.exit_code() is ExitCode.OK


def test_where_one_operation_has_no_figure_the_template_has_none() -> None:
    results = measured({"q": [2.0, 2.0, 2.0]}, 0.005)
    record = results.record
    lost = tuple(one for one in record.samples if (one.operation, one.contender) != ("q(x=1)", "new"))
    (one,) = experiment_results([msgspec.structs.replace(record, samples=lost)]).templates
    assert one.verdict.verdict is VerdictName.REFUSED
    assert one.verdict.ratio is None
    assert one.verdict.reasons


def test_only_starts_in_which_all_were_measured_count() -> None:
    """What retired early is not replaced by the others: the mean would be one of other operations in each start."""
    results = measured({"q": [2.0, 0.5]}, 0.005)
    record = results.record
    kept = tuple(one for one in record.samples if one.operation != "q(x=1)" or one.block < 6)
    (one,) = experiment_results([msgspec.structs.replace(record, samples=kept)]).templates
    assert one.verdict.starts == 6
    assert one.verdict.ratio == pytest.approx(1.0, rel=0.02)


def test_an_operation_by_itself_is_no_template() -> None:
    assert measured({"": [1.0, 1.0], "one": [2.0]}, 0.005).templates == ()


def test_the_first_screen_has_a_line_for_the_template_and_for_who_differs_from_it() -> None:
    screen = first_screen(measured({"q": [1.2, 1.21, 1.19, 1.2, 1.22, 3.0], "p": [1.0] * 4}, 0.005), "runs/x")
    assert [one.question for one in screen.lines] == ["q (all 6)", "q(x=5)"]
    assert next(one.questions for one in screen.groups) == ("p (all 4)",)
    assert any("each of 2 templates: SLOWER on 1" in one for one in screen.says)


def test_where_every_operation_is_open_the_templates_are_told_first() -> None:
    says = first_screen(measured({"slow": [1.12] * MEMBERS, "calm": [1.0] * MEMBERS}, 0.15), "runs/x").says
    first, second = (
        next(at for at, one in enumerate(says) if one.startswith(words)) for words in ("Over all", "It is")
    )
    assert first < second


POOLING = msgspec.structs.replace(SPEC, rules=Rules(typical=Typical.CONTRAST, pooled=True))
SAME = (VerdictName.SAME, VerdictName.SMALL)


def same(results: ExperimentResults, template: str) -> int:
    """Operations of a template that are the same with the help of the others."""
    (one,) = (one for one in results.templates if one.verdict.operation == template)
    assert one.pooled is not msgspec.UNSET
    return sum(part.verdict in SAME for part in one.pooled)


def test_operations_are_the_same_with_the_help_of_their_template() -> None:
    results = measured({"calm": [1.0] * MEMBERS, "slow": [1.12] * MEMBERS}, 0.06, spec=POOLING)
    alone = sum(one.verdict in SAME for one in results.headline.verdicts)
    assert same(results, "calm") > max(alone, MEMBERS // 2)
    assert same(results, "slow") == 0
    (line,) = (one for one in first_screen(results, "runs/x").says if one.startswith("Pooled"))
    counted = f"{same(results, 'calm')} of {2 * MEMBERS}"
    assert line == f"Pooled within their templates {counted} operations are the same within 3 %, alone {alone}."


def test_operations_of_a_template_that_differ_from_one_another_are_not_pooled() -> None:
    (one,) = measured({"q": [0.95, 1.05] * 6}, 0.03, spec=POOLING).templates
    assert one.pooled == ()


def test_one_that_lies_off_its_template_keeps_its_own_verdict() -> None:
    results = measured({"q": [1.0] * 30 + [1.06]}, 0.06, spec=POOLING)
    pooled = results.templates[0].pooled
    own = {one.operation: one.verdict for one in results.headline.verdicts}
    assert pooled
    assert pooled[-1].verdict is own[pooled[-1].operation]
    assert pooled[-1].verdict not in SAME


def test_evidence_of_before_there_were_pooled_verdicts_has_none() -> None:
    (one,) = measured({"q": [1.0] * MEMBERS}, 0.06).templates
    assert one.pooled is msgspec.UNSET
    assert "pooled" not in msgspec.to_builtins(one)
