"""The gate across SQL and data frames: all of netflow agrees, or is honestly unsupported."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh


@pytest.mark.long
def test_netflow_agrees_in_polars_and_pandas(weigh: Weigh) -> None:
    run = _gate(weigh, "duckdb", "polars-df", "pandas")
    assert {row["operation"]: row["status"] for row in run.json["gate"] if row["status"] != "agreed"} == {}
    # Every row that each got was compared with the files; each was asked on rows that nobody had seen.
    assert not {code for code in run.codes if code.startswith(("A4", "A9", "A12"))}


@pytest.mark.long
@pytest.mark.parametrize("contender", ["pyarrow-table", "datafusion-df", "dask-df", "daft"])
def test_netflow_agrees_in_the_other_libraries(weigh: Weigh, contender: str) -> None:
    run = _gate(weigh, "duckdb", contender)
    assert {row["operation"]: row["status"] for row in run.json["gate"] if row["status"] != "agreed"} == {}
    assert not {code for code in run.codes if code.startswith(("A4", "A9", "A12"))}


def _gate(weigh: Weigh, *contenders: str) -> Run:
    named = [word for one in contenders for word in ("--contender", one)]
    return weigh("gate", *named, "--scale", "20K", "--json", "--quiet")


FUNCTIONS = """\
import polars as pl


def by_shop(sales):
    return sales.group_by("shop").agg(pl.len().alias("sales"), pl.col("n").sum().alias("pieces")).sort("shop")


def of_shop(sales, shop):
    return _only(sales, shop).select(pl.len().alias("sales"))


def _only(sales, shop):
    return sales.filter(pl.col("shop") == shop)
"""


@pytest.mark.long
def test_own_functions_are_asked_what_their_queries_are(weigh: Weigh) -> None:
    _own(weigh.folder)
    (weigh.folder / "my_frames.py").write_text(FUNCTIONS)
    given = ("--data", "sales.parquet", "--sql", "sql", "--frames", "my_frames.py")
    run = weigh("gate", *given, "--contender", "duckdb", "--contender", "polars-df", "--json", "--quiet")
    statuses = {row["operation"]: row["status"] for row in run.json["gate"]}
    assert statuses == {
        "by_shop": "agreed",
        "days": "unsupported",
        "of_shop(shop=a)": "agreed",
        "of_shop(shop=zz)": "agreed",
    }
    texts = [found["text"] for found in run.json["findings"] if found["code"].startswith("X.frames")]
    assert any("exists as SQL alone: days" in text for text in texts)
    assert any("the same question, in SQL and as an expression" in text for text in texts)
    evidence = run.evidence
    own = json.loads((evidence / "spec.json").read_text())["own"]
    assert own["frames"].keys() == {"my_frames.py"}
    page = (evidence / "report.html").read_text()
    assert "def _only(sales, shop):" in page
    assert "The text that polars-df gets" in page


def test_a_function_that_is_wrong_is_contradicted_and_its_text_is_told(weigh: Weigh) -> None:
    _own(weigh.folder)
    (weigh.folder / "my_frames.py").write_text(FUNCTIONS.replace("pl.len()", "pl.col('n').max()", 1))
    given = ("--data", "sales.parquet", "--sql", "sql", "--frames", "my_frames.py", "--no-shrink")
    contenders = ("--contender", "duckdb", "--contender", "sqlite", "--contender", "polars-df")
    run = weigh("gate", *given, *contenders, "--operations", "by_shop", "--quiet")
    assert run.code == 1
    assert "polars-df gives WRONG answers" in run.out
    report = weigh("report", str(run.evidence), "--bug")
    assert "Asked with a function, which may be wrong itself" in report.out
    assert "def by_shop(sales):" in report.out


@pytest.mark.long
def test_a_function_says_what_its_library_cannot_do_and_what_fails_is_an_error(weigh: Weigh) -> None:
    _own(weigh.folder)
    (weigh.folder / "frames").mkdir()
    (weigh.folder / "frames" / "polars.py").write_text("def days(sales):\n    return sales.select('nothing')\n")
    refusing = "def days(sales):\n    raise NotImplementedError('it has no dates')\n"
    (weigh.folder / "frames" / "datafusion.py").write_text(refusing)
    given = ("--data", "sales.parquet", "--sql", "sql", "--operations", "days", "--frames", "frames", "--no-shrink")
    named = ("--contender", "duckdb", "--contender", "polars-df", "--contender", "datafusion-df")
    run = weigh("gate", *given, *named, "--quiet")
    (gate,) = json.loads((run.evidence / "gate.json").read_text())["operations"]
    assert gate["contenders"] == {"duckdb": "unverified", "polars-df": "error", "datafusion-df": "unsupported"}
    assert "it has no dates" in (run.evidence / "gate.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--frames", "missing.py"), "there are no functions for data frames"),
        ((), "data frames take no SQL"),
        (("--frames", "my_frames.py", "--contender", "pandas"), "contenders are of two libraries"),
        (("--frames", "more.py"), "names of functions that only help begin with _; did you mean 'by_shop'?\n"),
    ],
)
def test_functions_that_are_not_there_are_refused(weigh: Weigh, arguments: tuple[str, ...], message: str) -> None:
    _own(weigh.folder)
    (weigh.folder / "my_frames.py").write_text(FUNCTIONS)
    (weigh.folder / "more.py").write_text("def by_shops(sales):\n    return sales\n")
    given = ("--data", "sales.parquet", "--sql", "sql", "--contender", "duckdb", "--contender", "polars-df")
    run = weigh("gate", *given, *arguments, "--quiet")
    assert run.code == 2
    assert message in run.err


def _own(folder: Path) -> None:
    shops = ["a", "b", "a", None, "c"] * 20
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=at) for at in range(100)]
    pq.write_table(pa.table({"shop": shops, "day": days, "n": range(100)}), folder / "sales.parquet")
    questions = {
        "by_shop": "SELECT shop, count(*) AS sales, sum(n) AS pieces FROM sales GROUP BY shop",
        "of_shop": '-- param: shop = ["a", "zz"]\nSELECT count(*) AS sales FROM sales WHERE shop = $shop',
        "days": "SELECT max(day) AS last FROM sales",
    }
    (folder / "sql").mkdir()
    for name, sql in questions.items():
        (folder / "sql" / f"{name}.sql").write_text(f"{sql}\n")
