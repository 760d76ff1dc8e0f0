"""A3 beyond 64 MiB: an answer that is too large to be compared whole each time, and changes after the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.experiment.record import read

if TYPE_CHECKING:
    from support.command import Weigh

ROWS = 180_000
"""Of 400 characters and more: 70 MiB."""


@pytest.mark.long
@pytest.mark.promise(
    "Of answers above 64 MiB one execution of each turn is compared whole, and of the others the number of rows and "
    "one column."
)
def test_an_answer_of_more_than_64_mib_that_changes_is_found(weigh: Weigh) -> None:
    """The honest engine is left alone; the other one adds one to a column from its fourth execution on."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (weigh.folder / "queries").mkdir()
    (weigh.folder / "queries" / "all.sql").write_text("SELECT id AS events, pad FROM t")
    (weigh.folder / "queries" / "all.toml").write_text(
        '[[column]]\nname = "events"\nkind = "integer"\n[[column]]\nname = "pad"\nkind = "string"\n'
    )
    pq.write_table(
        pa.table({"id": range(ROWS), "pad": [f"{at:0400}" for at in range(ROWS)]}), weigh.folder / "t.parquet"
    )
    (weigh.folder / "weigh.toml").write_text('[experiment]\nworkload = "sql"\n[sql.tables]\nt = "t.parquet"\n')
    named = ("--contender", "duckdb=fork@2.0.0", "--contender", "late=liar?lie=late&from=4", "--witness", "datafusion")
    run = weigh(
        "run", *named, "--starts", "3", "--rounds", "1", "--runs", "5", "--quiet", "--json", "--no-shrink", timeout=900
    )
    assert {(one["code"], one["contender"]) for one in run.json["findings"] if one["severity"] == "error"} == {
        ("A3.changed", "late")
    }
    assert run.code == 1
    samples = read(weigh.folder / "runs" / run.json["evidence"]).samples
    assert {one.contender for one in samples if one.outcome == "wrong"} == {"late"}
    assert {one.outcome for one in samples if one.contender == "duckdb@2.0.0"} == {"ok"}
