"""Files as `--data` and `weigh init` take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.engines.prepared import cache_folder
from weigh.experiment.config import given_files
from weigh.model.errors import UsageError
from weigh.workloads import suites

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh


def table(path: Path) -> Path:
    pq.write_table(pa.table({"id": [1, 2, 3], "city": ["Rome", "Oslo", "Lima"]}), path)
    return path


def test_a_folder_is_files_and_a_registered_name_is_none(tmp_path: Path) -> None:
    table(tmp_path / "orders.parquet")
    assert given_files.are_files([str(tmp_path)], tmp_path / "cache")
    assert not given_files.are_files(["sales"], tmp_path / "cache")


def test_files_are_named_several_times_and_not_next_to_a_name(tmp_path: Path) -> None:
    orders, items = table(tmp_path / "orders.parquet"), table(tmp_path / "x.parquet")
    data = [str(orders), f"items={items}"]
    assert given_files.are_files(data, tmp_path / "cache")
    assert given_files.tables(data, tmp_path / "cache") == {"items": [items], "orders": [orders]}
    with pytest.raises(UsageError, match="--data sales is no file"):
        given_files.are_files([*data, "sales"], tmp_path / "cache")


def test_tables_are_named_by_their_files_and_described_with_types(tmp_path: Path) -> None:
    table(tmp_path / "orders-01.parquet")
    table(tmp_path / "orders-02.parquet")
    found = given_files.tables([str(tmp_path)], tmp_path / "cache")
    assert [*given_files.described(found)] == ["orders: 6 rows: id int64, city string"]


def test_one_table_in_two_forms_is_refused(tmp_path: Path) -> None:
    table(tmp_path / "orders.parquet")
    (tmp_path / "orders.csv").write_text("id,city\n1,Rome\n")
    with pytest.raises(UsageError, match="both the table orders") as error:
        given_files.tables([str(tmp_path)], tmp_path / "cache")
    assert "--data orders=" in error.value.remedy


@pytest.mark.parametrize(("content", "what"), [(None, "empty"), ("notes.txt", "notes.txt")])
def test_a_folder_without_data_says_what_lies_in_it(tmp_path: Path, content: str | None, what: str) -> None:
    if content:
        (tmp_path / content).write_text("hello")
    with pytest.raises(UsageError, match=what):
        given_files.tables([str(tmp_path)], tmp_path / "cache")


def test_one_file_of_questions_is_a_suite(tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_text("SELECT 1 AS one;\nSELECT 2 AS two;\n")
    (tmp_path / "other.sql").write_text("SELECT 3 AS three;\n")
    assert len(suites.read(tmp_path / "mine.sql").questions) == 2


def test_data_is_called_by_its_folder_or_its_one_file(tmp_path: Path) -> None:
    (tmp_path / "sales").mkdir()
    assert given_files.called([str(tmp_path / "sales")]) == "sales"
    assert given_files.called([f"t={tmp_path}/sales/orders.csv"]) == "orders"
    assert given_files.called([f"{tmp_path}/sales/*.parquet"]) == "sales"
    assert given_files.called([f"{tmp_path}/sales/a.csv", f"{tmp_path}/sales/b.csv"]) == "sales"


@pytest.mark.promise("A file or folder of that name in the working directory is not what is read, and the run says so")
def test_a_folder_called_as_registered_data_is_not_passed_over_in_silence(weigh: Weigh) -> None:
    own = weigh.folder / "cache"
    own.mkdir()
    for folder in ("envs", "locks"):
        (own / folder).symlink_to(cache_folder() / folder)
    there = {"WEIGH_CACHE": str(own)}
    table(weigh.folder / "people.parquet")
    assert weigh("data", "register", "people.parquet", "--name", "twin-of-a-folder", **there).code == 0
    (weigh.folder / "queries").mkdir()
    (weigh.folder / "queries" / "one.sql").write_text("SELECT count(*) AS n FROM people\n")
    gate = ("gate", "--contender", "duckdb", "--data", "twin-of-a-folder")
    words = "the data registered so is read; write ./twin-of-a-folder for what lies here"
    assert words not in weigh(*gate, "--sql", "queries", **there).err
    (weigh.folder / "twin-of-a-folder").mkdir()
    assert words in weigh(*gate, "--sql", "queries", **there).err
    (weigh.folder / "weigh.toml").write_text('[experiment]\nworkload = "sql"\n[sql]\nfolder = "queries"\n')
    assert words in weigh(*gate, **there).err
