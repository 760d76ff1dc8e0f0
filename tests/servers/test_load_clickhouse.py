"""Loads of a ClickHouse 18.16: what goes wrong behind a 200 is an error, and a row that tells of one is a row."""

from __future__ import annotations

import pytest

from servers.conftest import SECRET
from support.command import RAN, Weigh

pytestmark = [pytest.mark.servers, pytest.mark.long]

BRIEF = ("--rate", "5", "--duration", "2s", "--connections", "2", "--quiet", "--json")
LATE = "SELECT throwIf(number = 3000000) FROM system.numbers LIMIT 10000000;\n"
TOLD = "SELECT 'Code: 395, e.displayText() = DB::Exception: no' AS a;\n"


@pytest.mark.parametrize(("text", "fails"), [(LATE, True), (TOLD, False)])
def test_an_exception_behind_a_success_is_an_error(weigh: Weigh, clickhouse_spec: str, text: str, fails: bool) -> None:
    url = clickhouse_spec.partition("=")[2]
    (weigh.folder / "own.sql").write_text(text)
    run = weigh("load", "own.sql", "--target", url, *BRIEF, CLICKHOUSE_PASSWORD=SECRET)
    assert ("L7.failed" in run.codes) == fails, run.out
    if fails:
        (told,) = [one["text"] for one in run.json["findings"] if one["code"] == "L7.failed"]
        assert "throwIf" in told
        assert "(395)" in told
    else:
        assert run.code in RAN


def test_it_says_whether_its_log_of_queries_is_on(weigh: Weigh, clickhouse_spec: str) -> None:
    url = clickhouse_spec.partition("=")[2]
    (weigh.folder / "own.sql").write_text("SELECT 1;\n")
    run = weigh("load", "own.sql", "--target", f"{url}?log_queries=1", *BRIEF, CLICKHOUSE_PASSWORD=SECRET)
    shown = weigh("report", str(run.evidence), "--verbose").out
    assert "log_queries=1" in shown
    assert "ClickHouse 18.16" in shown
