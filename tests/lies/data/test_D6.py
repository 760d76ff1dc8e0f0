"""D6: data that was written just now and is still in memory, measured as if it came from storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.command import RAN
from weigh.experiment import record as records

from ..machine.test_E1 import account, timed, verdict
from ..reading import ONCE, contenders, reasons

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from support.command import Run, Weigh

TOML = """\
[experiment]
workload = "sql"
[sql]
folder = "queries"
[sql.tables]
events = "events.parquet"
"""
SCHEMA = """\
keys = ["kind"]
[[column]]
name = "kind"
kind = "integer"
[[column]]
name = "top"
kind = "integer"
"""
PLAIN = ("--quiet", "--json")


def write(folder: Path) -> None:
    """A table of the user's own, written now."""
    rows = 200_000
    events = pa.table({"kind": [n * 7919 % 10 for n in range(rows)], "amount": [n * 31 % 10_007 for n in range(rows)]})
    pq.write_table(events, folder / "events.parquet", compression="none", use_dictionary=False)
    (folder / "weigh.toml").write_text(TOML)
    (folder / "queries").mkdir()
    (folder / "queries" / "tops.sql").write_text("SELECT kind, max(amount) AS top FROM events GROUP BY kind")
    (folder / "queries" / "tops.toml").write_text(SCHEMA)


def test_a_copy_that_was_written_just_now_is_not_called_cold(cooled: Run) -> None:
    """It reads a file of its own, which nobody evicted from the page cache: the device was not asked for anything."""
    found = account(cooled, "copy")
    assert (found["resident"], found["bytes_read"], found["proven"]) == (0, 0, 0)
    said = verdict(cooled, "copy")
    assert (said["verdict"], said["ratio"]) == ("refused", None)
    assert next(iter(reasons(said))) == "E1.unread"
    assert "copy" not in timed(cooled, "cold")


def test_a_file_that_was_written_just_now_is_hot_until_it_is_put_out_of_memory(
    weigh: Weigh, dropping: Callable[[], AbstractContextManager[None]]
) -> None:
    with dropping():
        # Nobody else empties the cache between writing and reading.
        write(weigh.folder)
        run = weigh("run", *contenders("duckdb"), *ONCE, "--temperature", "both", *PLAIN)
    assert run.code in RAN, run.err
    readings = records.read(run.evidence).cache_states
    (hot, *_) = (one.before for one in readings if one.place == "before")
    assert hot is not None
    # Not all of it: a kernel may put out what it thinks cold (DAMON), with gigabytes of memory free.
    assert hot.resident > 0
    found = account(run, "duckdb")
    assert (found["resident"], found["refused"]) == (0, None)
    size = (weigh.folder / "events.parquet").stat().st_size
    # The query needs the whole file, and the device gave it.
    assert found["bytes_read"] > 0.9 * size
    assert found["came_in"] > 0.9 * size
    assert {one["temperature"] for one in run.json["timings"]} == {"hot", "cold", "first"}
    assert "E1.unproven" not in {reason["code"] for reason in run.json["tier"]["reasons"]}


@pytest.mark.promise(
    "Data on a file system that is memory (tmpfs, a RAM disk) can never be cold. That is refused "
    "before anything is measured."
)
def test_what_lies_in_memory_can_never_be_cold(weigh: Weigh, in_memory: Path) -> None:
    write(in_memory)
    run = weigh("run", str(in_memory / "weigh.toml"), *contenders("duckdb"), "--temperature", "cold", *PLAIN)
    assert run.code == 2
    assert "E1: the data lies in memory (tmpfs): it can never be cold" in run.err
    assert not (weigh.folder / "runs").exists()
