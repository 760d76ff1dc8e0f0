"""D9: tables are copied or made anew when they are loaded, and the cost is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.engines.prepared import cache_folder

from ..reading import ONCE, SMALL, assert_silent, contenders, errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh
    from support.once import Once

FLAGS = (*SMALL, *ONCE, "--operations", "by_action")
MEMORY, PRIVATE, SUMS = "liar?lie=in-memory", "liar?lie=copy", "liar?lie=sums"
CHANGE, COUNTS = "liar?lie=copy-behind-change", "liar?lie=counts-first"
VIEWS = "liar?lie=none"


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh], once: Once) -> Run:
    """One that copies the rows into memory, one into a file of its own, one that does neither, one that must load."""
    return once("copied", lambda: fresh()("run", *contenders("duckdb=fork", MEMORY, PRIVATE, VIEWS, "sqlite"), *FLAGS))


def costs(run: Run, contender: str) -> dict[str, Any]:
    return {one["how"]: one for one in run.json["start_costs"] if one["contender"] == contender}


@pytest.mark.promise(
    "Who still answers rightly has a copy, in memory or in files of its own, and is named (`D9.copy`,"
    " a warning: the result is suggestive)."
)
def test_a_layout_of_its_own_is_named(run: Run) -> None:
    named = {one["contender"]: one for one in run.json["findings"] if one["code"] == "D9.copy"}
    assert set(named) == {MEMORY, PRIVATE}
    assert {one["severity"] for one in named.values()} == {"warning"}
    assert "it made a copy of the rows when it was given them, or asked first" in named[PRIVATE]["text"]
    assert "D9.copy" in {reason["code"] for reason in run.json["tier"]["reasons"]}


def test_what_it_cost_is_in_the_report(run: Run) -> None:
    assert costs(run, PRIVATE)["bind"]["disk"] > 100_000
    assert costs(run, VIEWS)["bind"]["disk"] < 100_000
    assert costs(run, MEMORY)["bind"]["cpu_s"] > 0
    for form in ("report.txt", "report.html"):
        assert "What starts cost" in (run.evidence / form).read_text()


def test_an_engine_that_must_load_says_so_and_is_not_accused(run: Run) -> None:
    found = costs(run, "sqlite")
    assert set(found) <= {"load", "attach"}
    assert "attach" in found
    assert {one["code"] for one in run.json["findings"] if one["contender"] == "sqlite"} <= {"D9.loaded", "E6.threads"}
    assert not errors(run)


def test_what_loading_cost_is_known_afterwards(weigh: Weigh, tmp_path: Path) -> None:
    """A cache of its own: it is loaded now."""
    for folder in ("envs", "locks", "data"):
        (tmp_path / "cache").mkdir(exist_ok=True)
        (tmp_path / "cache" / folder).symlink_to(cache_folder() / folder)
    run = weigh("run", *contenders("duckdb=fork", "sqlite"), *FLAGS, WEIGH_CACHE=str(tmp_path / "cache"))
    loaded = costs(run, "sqlite")["load"]
    assert loaded["disk"] > 1_000_000
    assert loaded["cpu_s"] > 0
    assert "D9.loaded" in run.codes


def test_who_reads_the_files_where_they_lie_is_left_alone(twins: Run) -> None:
    assert_silent(twins)
    assert not {code for code in twins.codes if code.startswith("D9")}


@pytest.mark.long
def test_it_is_named_where_the_last_bits_of_sums_move(fresh: Callable[[], Weigh]) -> None:
    """The query that is asked without the files adds doubles, each time in another order."""
    flags = ("--operations", "duration_by_proto", "--scale", "400K", "--quiet", "--json", *ONCE)
    run = fresh()("run", *contenders("duckdb=fork", MEMORY), *flags)
    assert {one["contender"] for one in run.json["findings"] if one["code"] == "D9.copy"} == {MEMORY}


@pytest.mark.promise(
    "Asked so is every operation that can be, at the end of the gate, with a number more in its answer."
)
def test_sums_that_were_made_by_the_first_execution_are_named(fresh: Callable[[], Weigh]) -> None:
    """The first operation is honest: what is kept is kept for another one alone."""
    run = fresh()(
        "gate", *contenders("duckdb=fork", SUMS, VIEWS), *SMALL, "--operations", "by_action,by_proto", "--json"
    )
    (found,) = [one for one in run.json["findings"] if one["code"] == "D9.copy"]
    assert (found["contender"], found["severity"]) == (SUMS, "warning")
    assert "once it has executed by_proto it answers without its files" in found["text"]


@pytest.fixture(scope="module")
def holding(fresh: Callable[[], Weigh]) -> Run:
    """Two that hold a copy and read the files as soon as anybody touches them, alongside three that hold none."""
    weigh = fresh()
    ids = np.arange(1_200_000)
    text = pa.array([f"number {number} of a thousand" for number in range(1_000)]).take(pa.array(ids % 1_000))
    pq.write_table(pa.table({"id": ids, "text": text}), weigh.folder / "t.parquet")
    (weigh.folder / "long.sql").write_text("SELECT id, text FROM t WHERE id % 20 = 0")
    named = contenders("duckdb=fork", VIEWS, "datafusion", CHANGE, COUNTS)
    return weigh("run", *named, "--data", "t.parquet", "--sql", "long.sql", "--quiet", "--json", *ONCE)


@pytest.mark.long
@pytest.mark.promise(
    "Who sees that files are gone or changed, and reads them then, betrays itself by the memory that it takes with its "
    "tables: more than twice what the files are, and more than 32 MiB, is named as well."
)
def test_a_copy_behind_whatever_a_file_system_tells_is_named_by_its_memory(holding: Run) -> None:
    named = {one["contender"]: one for one in holding.json["findings"] if one["code"] == "D9.copy"}
    assert set(named) == {CHANGE, COUNTS}
    assert "its own memory grew by" in named[CHANGE]["text"]
    assert costs(holding, CHANGE)["bind"]["memory"] > 32 << 20
    assert costs(holding, VIEWS)["bind"]["memory"] < 8 << 20
    assert "D9.copy" in {reason["code"] for reason in holding.json["tier"]["reasons"]}


def test_who_has_read_the_statistics_in_the_files_is_left_alone(weigh: Weigh) -> None:
    """DataFusion reads the footers when it gets the files, and answers counts and extremes from them."""
    (weigh.folder / "queries").mkdir()
    (weigh.folder / "queries" / "ends.sql").write_text("SELECT count(*) AS n, max(id) AS last FROM events")
    toml = '[[column]]\nname = "n"\nkind = "integer"\n[[column]]\nname = "last"\nkind = "integer"\n'
    (weigh.folder / "queries" / "ends.toml").write_text(toml)
    pq.write_table(pa.table({"id": range(3_000)}), weigh.folder / "events.parquet")
    (weigh.folder / "weigh.toml").write_text(
        '[experiment]\nworkload = "sql"\n[sql.tables]\nevents = "events.parquet"\n'
    )
    run = weigh("run", *contenders("duckdb=fork", "datafusion"), "--quiet", "--json", *ONCE)
    assert not {code for code in run.codes if code.startswith("D9")}
