"""TPC-H's two generators: the same rows in every form, and nothing half-made whatever happens."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import digest_arrow
from weigh.data import cache, tpch
from weigh.data.generator import Workshop, dataset_name, dataset_scale
from weigh.data.layout import parquet, row_order, written
from weigh.data.layout.physical import table_form
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model.errors import DataFault, EnvironmentFault, UsageError
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.data.cache import CachedData

ROWS = {
    "region": 5, "nation": 25, "supplier": 100, "customer": 1_500, "part": 2_000, "partsupp": 8_000, "orders": 15_000,
    "lineitem": 60_175,
}  # fmt: skip
"""Of clause 4.2.5 of the specification at a hundredth; lineitem as it is known."""
GENERATORS = ("tpchgen", "dbgen")
PLAIN = LayoutSpec(writer="pyarrow")


def python(requirements: list[str]) -> Path:
    return environment.ensure(requirements, cache_folder()).python


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, LayoutSpec], CachedData]:
    """A dataset at 0.01 in a layout, made once for all tests."""
    folder = tmp_path_factory.mktemp("tpch")
    return lambda name, spec: cache.ensure(dataset_name(name, 0.01, 1), spec, folder, environment=python)


@pytest.mark.parametrize("name", GENERATORS)
def test_the_tables_are_those_of_the_specification(made: Callable[..., CachedData], name: str) -> None:
    manifest = made(name, PLAIN).manifest
    assert {table: manifest.rows(table) for table in manifest.tables} == ROWS
    folder = made(name, PLAIN).folder
    types = {field.name: field.type for table in ROWS for field in pq.read_schema(folder / f"{table}-0000.parquet")}
    assert types["l_extendedprice"] == pa.decimal128(15, 2)
    assert types["l_shipdate"] == pa.date32()
    assert types["l_comment"] == pa.string()
    assert len(types) == 61


# What dbgen makes is compared with its digests by test_parts_are_removed_as_they_are_read too.
@pytest.mark.parametrize("name", ["tpchgen", pytest.param("dbgen", marks=pytest.mark.long)])
def test_every_layout_holds_the_same_rows(made: Callable[..., CachedData], name: str) -> None:
    usual = made(name, PLAIN)
    for spec in (LayoutSpec(files=2), LayoutSpec(writer="pyarrow", files=3, codec="snappy", row_group_rows=9_999)):
        other = made(name, spec)
        assert other.manifest.digests == usual.manifest.digests
        assert len(other.manifest.paths("lineitem")) == spec.files
        assert sorted(path.name for path in other.folder.iterdir() if path.is_dir()) == ["truth"]


def test_the_generators_differ_in_texts_and_in_nothing_else(made: Callable[..., CachedData]) -> None:
    columns: dict[str, dict[str, str]] = {}
    for name in GENERATORS:
        folder = made(name, PLAIN).folder
        tables = [pq.read_table(folder / f"{table}-0000.parquet") for table in ROWS]
        columns[name] = {one: digest_arrow(table.select([one])) for table in tables for one in table.column_names}
    one, other = columns.values()
    assert one.keys() == other.keys()
    differing = {column for column in one if one[column] != other[column]}
    assert {column.partition("_")[2] for column in differing} == {"address", "comment"}


@pytest.mark.long
def test_tpchgen_shows_the_level_and_what_it_does_always(made: Callable[..., CachedData]) -> None:
    stored = made(
        "tpchgen",
        LayoutSpec(
            writer="tpchgen", codec_level=9, parquet_version=1, page_version=1, dictionary=True, bloom_filters=False,
            statistics=True, page_index=True, page_checksums=False,
        ),
    )  # fmt: skip
    form = table_form([stored.folder / path for path in stored.manifest.paths("orders")])
    levels = [column.level for column in form.columns.values() if column.level is not None]
    assert levels
    assert all(3 < low <= 9 <= high for low, high in levels)
    assert {column.page_index for column in form.columns.values()} == {True}
    assert written.contradictions(stored.manifest.layout, form) == []
    assert stored.manifest.digests == made("tpchgen", PLAIN).manifest.digests


@pytest.mark.long
def test_a_sort_is_of_the_tables_that_have_its_columns(made: Callable[..., CachedData]) -> None:
    layout = LayoutSpec(writer="pyarrow", sort=("l_shipdate", "o_orderdate", "l_orderkey"))
    stored = made("tpchgen", layout)
    order = {
        table: row_order.ascending([stored.folder / path for path in stored.manifest.paths(table)])
        for table in ("lineitem", "orders", "part")
    }
    assert order["lineitem"][:2] == ("l_shipdate", "l_orderkey")
    assert order["orders"][:1] == ("o_orderdate",)
    assert order["part"] == ("p_partkey",)
    assert stored.manifest.digests == made("tpchgen", PLAIN).manifest.digests


# One file in zstd: test_tpchgen_shows_the_level_and_what_it_does_always.
@pytest.mark.parametrize(
    ("files", "codec"),
    [(2, "gzip"), *(pytest.param(*one, marks=pytest.mark.long) for one in ((1, "gzip"), (4, "zstd")))],
)
def test_tpchgen_may_keep_its_own_files(made: Callable[..., CachedData], files: int, codec: str) -> None:
    stored = made("tpchgen", LayoutSpec(writer="tpchgen", files=files, codec=codec))
    assert stored.manifest.digests == made("tpchgen", PLAIN).manifest.digests
    assert len(stored.manifest.paths("lineitem")) == files
    assert len(stored.manifest.paths("region")) == 1
    assert stored.manifest.writer == parquet.TPCHGEN.replace("==", " ")
    facts = stored.manifest.files[-1].parquet
    assert facts["created_by"].startswith("parquet-rs")
    assert {column["codec"].lower() for column in facts["columns"].values()} == {codec}


@pytest.mark.parametrize(
    ("name", "spec", "said"),
    [
        ("netflow", LayoutSpec(writer="tpchgen"), "tpchgen writes its own data"),
        ("dbgen", LayoutSpec(writer="tpchgen"), "tpchgen writes its own data"),
        ("tpchgen", LayoutSpec(writer="tpchgen", row_group_rows=4096), "row groups by size in bytes"),
        ("tpchgen", LayoutSpec(writer="tpchgen", files=0), "cannot be"),
    ],
)
def test_what_a_writer_cannot_do_is_refused(tmp_path: Path, name: str, spec: LayoutSpec, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        cache.ensure(dataset_name(name, dataset_scale(name, None), 1), spec, tmp_path, environment=python)
    assert caught.value.remedy
    assert not list(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.parametrize("name", GENERATORS)
def test_parts_are_removed_as_they_are_read(tmp_path: Path, made: Callable[..., CachedData], name: str) -> None:
    usual = {"tpchgen": tpch.tpchgen, "dbgen": tpch.dbgen}[name]
    parted = tpch.Tpch(name, usual.version, usual.requirements, 0.003, frozenset())
    told: list[tuple[int, int, str]] = []
    with ThreadPoolExecutor(2) as pool:
        shop = Workshop(
            tmp_path, python(list(usual.requirements)), pool, 2, LayoutSpec(), lambda *step: told.append(step)
        )
        source = parted.open(0.01, None, shop)
        assert told[-1] == (4, 4, f"data: parts by {name}")
        assert {table: content.rows for table, content in source.tables.items()} == ROWS
        digests = {}
        for table, content in source.tables.items():
            before = len(list(tmp_path.rglob(f"{table}/*.parquet")))
            batches = content.batches(pool)
            first = next(batches)
            assert len(list(tmp_path.rglob(f"{table}/*.parquet"))) == before
            digests[table] = digest_arrow(pa.Table.from_batches([first, *batches], content.schema))
            assert not list(tmp_path.rglob(f"{table}/*.parquet"))
    assert digests == made(name, PLAIN).manifest.digests


@pytest.mark.long
@pytest.mark.parametrize("name", GENERATORS)
def test_queries_and_answers_come_with_the_data(made: Callable[..., CachedData], name: str, tmp_path: Path) -> None:
    truth = made(name, PLAIN).truth
    assert list(truth["queries"]["number"]) == list(range(1, 23))
    assert not any(str(text).endswith((";", "\n")) for text in truth["queries"]["text"])
    assert "0.0001000000" in str(truth["queries"]["text"][10])
    missing = {2, 10, 13, 15, 20} if name == "tpchgen" else set()
    assert set(truth["answers"]["number"]) == set(range(1, 23)) - missing
    unpublished = cache.ensure(dataset_name(name, 0.002, 1), PLAIN, tmp_path, environment=python).truth
    assert set(unpublished) == {"queries"}


def test_the_fraction_of_query_11_follows_the_scale_factor() -> None:
    text = "SELECT sum(x) * 0.0001000000 FROM y;\n"
    assert tpch.query_text(11, text, 0.01) == tpch.query_text(11, text, 1.0) == "SELECT sum(x) * 0.0001000000 FROM y"
    assert "* 0.0000010000 " in tpch.query_text(11, text, 100.0)
    assert tpch.query_text(10, text, 100.0) == tpch.query_text(11, text, 1.0)
    with pytest.raises(DataFault):
        tpch.query_text(11, "SELECT 1", 10.0)


KNOWN = json.dumps({"queries": [], "answers": []})


@pytest.mark.parametrize(
    ("failing", "fault", "said"),
    [
        ("echo 'IO Error: No space left on device (os error 28)' >&2; exit 1", EnvironmentFault, "the disk is full"),
        ("echo 'thread panicked' >&2; exit 101", DataFault, "dbgen ended with code 101: thread panicked"),
        ("kill -9 $$", DataFault, "it said nothing"),
    ],
)
def test_a_generator_that_fails_leaves_nothing(tmp_path: Path, failing: str, fault: type[Exception], said: str) -> None:
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\ncase \"$3\" in *texts*) echo '{KNOWN}';; *) {failing};; esac\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(fault, match=said.replace("(", ".")):
        cache.ensure(dataset_name("dbgen", 0.3, None), PLAIN, tmp_path / "cache", environment=lambda _: script)
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == [
        tmp_path / "cache" / "data" / "dbgen-1.5.5-sf0.3" / f".{cache.layout_key(parquet.complete(PLAIN))}.lock"
    ]


def test_no_part_is_made_after_another_has_failed(tmp_path: Path) -> None:
    script = tmp_path / "python"
    folder = '$(echo "$3" | sed \'s/.*"folder": "\\([^"]*\\)".*/\\1/\')'
    slow = f"touch {tmp_path}/begun; sleep 1; mkdir -p {folder}/lineitem; touch {tmp_path}/late"
    # It fails while the other one is at work, however long that took to begin.
    fails = f"for i in $(seq 100); do [ -e {tmp_path}/begun ] && break; sleep 0.05; done; exit 3"
    script.write_text(
        f"#!/bin/sh\ncase \"$3\" in *texts*) echo '{KNOWN}';; *'\"part\": 1,'*) {fails};; *) {slow};; esac\n"
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(DataFault, match="code 3"):
        cache.ensure(
            dataset_name("dbgen", 0.2, None), PLAIN, tmp_path / "cache", environment=lambda _: script, threads=2
        )
    assert (tmp_path / "late").exists(), "the second part did not run alongside the first: nothing was tested"
    assert not list(tmp_path.glob("cache/data/*/making-*"))


def test_without_an_environment_it_is_said_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match=r"dbgen/1\.5\.5") as caught:
        cache.ensure(dataset_name("dbgen", 0.01, None), LayoutSpec(), tmp_path)
    assert "duckdb-extension-tpch==1.5.5" in caught.value.remedy


def test_the_seed_is_no_part_of_a_dataset_without_one() -> None:
    assert str(dataset_name("tpchgen", 0.01, 7)) == "tpchgen-4.0.0-sf0.01"
    assert str(dataset_name("dbgen", 10.0, None)) == "dbgen-1.5.5-sf10"
    assert str(dataset_name("netflow", 20_000, 7)) == "netflow-1-20000-7"
