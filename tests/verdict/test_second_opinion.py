"""The second opinion in the reports, and the wish for it."""

from __future__ import annotations

import json

import msgspec
import pytest

from support import experiment_records
from support.html_pages import rendered
from weigh.experiment.config.spec import make_spec
from weigh.experiment.report.document import document
from weigh.experiment.report.terminal import plain
from weigh.experiment.results.results import experiment_results
from weigh.model.errors import UsageError

FLAGS = {"contender": ("old=duckdb@1.5.5", "new=duckdb@2.0.0"), "truth": True}
COMPLETE = experiment_records.record()
ASKED = msgspec.structs.replace(COMPLETE, spec=msgspec.structs.replace(COMPLETE.spec, rule="clickhouse"))


def test_it_stands_beside_ours() -> None:
    plainly = json.loads(msgspec.json.encode(document(experiment_results([ASKED]), "e")))
    for one in plainly["verdicts"]:
        if one["metric"] == "wall_s":
            assert one["second_opinion"]["rule"] == "clickhouse"
            assert one["second_opinion"]["runs"] == [30, 60]
            assert one["second_opinion"]["threshold"] > 0


def test_it_is_null_and_unsaid_where_nobody_asked() -> None:
    results = experiment_results([COMPLETE])
    assert all(one.second_opinion is None for one in results.verdicts)
    assert "Second opinion" not in plain(results, "e")
    assert "Second opinion" not in rendered(COMPLETE)
    assert all(one["second_opinion"] is None for one in document(results, "e")["verdicts"])


@pytest.mark.promise(
    "`weigh run --rule clickhouse` shows what ClickHouse's published rule [4] says of the same "
    "executions, next to every verdict. It changes none."
)
def test_it_changes_no_verdict() -> None:
    asked, alone = ([msgspec.structs.replace(one, second_opinion=None) for one in experiment_results([record]).verdicts]
                    for record in (ASKED, COMPLETE))  # fmt: skip
    assert asked == alone


def test_the_wish_enters_the_spec() -> None:
    assert make_spec(None, {**FLAGS, "rule": "clickhouse"}).rule == "clickhouse"
    assert make_spec(None, FLAGS).rule is msgspec.UNSET


def test_a_rule_that_nobody_knows() -> None:
    with pytest.raises(UsageError, match="there is no rule 'clickhose'"):
        make_spec(None, {**FLAGS, "rule": "clickhose"})
