"""``weigh data make --match`` and ``--reproducible``: files like a given one, and the same files again."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from weigh.data import cache as store
from weigh.data import reproducible
from weigh.data.generator import dataset_name
from weigh.data.layout import file_facts
from weigh.data.layout.match import match
from weigh.data.layout.physical import table_form
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

ROWS = 8_000


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> store.CachedData:
    name = dataset_name("netflow", ROWS, 42)
    return store.ensure(name, LayoutSpec(writer="pyarrow"), tmp_path_factory.mktemp("match"))


def like(plain: store.CachedData, path: Path, sort: tuple[str, ...] = (), **options: Any) -> Path:
    rows = pq.read_table(plain.folder / "events-0000.parquet")
    if sort:
        rows = rows.sort_by([(name, "ascending") for name in sort])
    pq.write_table(rows, path, store_schema=False, **options)
    return path


STRANGE: dict[str, Any] = {
    "compression": "gzip", "compression_level": 5, "row_group_size": 3_000, "use_dictionary": ["action", "proto"],
    "data_page_version": "2.0", "version": "1.0", "data_page_size": 8_192, "write_batch_size": 256,
    "write_page_index": True, "write_page_checksum": True, "write_statistics": ["ts", "bytes"],
    "bloom_filter_options": {"user_name": {"ndv": 3_000, "fpp": 0.01}},
}  # fmt: skip


def test_every_knob_of_a_file_is_found(plain: store.CachedData, tmp_path: Path) -> None:
    form = table_form([like(plain, tmp_path / "like.parquet", ("action", "ts"), **STRANGE)])
    found = match(form, LayoutSpec(writer="pyarrow"))
    assert found.lacks == ()
    assert found.layout == LayoutSpec(
        writer="pyarrow", codec="gzip", codec_level=5, row_group_rows=3_000, dictionary=("proto", "action"),
        page_version=2, parquet_version=1, page_size=8_192, page_index=True, page_checksums=True,
        statistics=("ts", "bytes"), bloom_filters=("user_name",), sort=("action", "ts"),
    )  # fmt: skip


def test_what_is_made_like_a_file_differs_from_it_in_nothing(weigh: Weigh, plain: store.CachedData) -> None:
    like(plain, weigh.folder / "like.parquet", ("action", "ts"), **STRANGE, max_rows_per_page=1 << 20)
    run = weigh("data", "make", "--scale", "8K", "--writer", "pyarrow", "--match", "like.parquet", "--json")
    assert run.code == 0, run.err
    assert run.json["match"]["lacks"] == []
    assert run.json["match"]["written"]["kind"] == "alike", run.json["match"]["written"]["differences"]
    assert weigh("data", "diff", "like.parquet", run.json["folder"], "--rows").code == 0


@pytest.mark.promise("It prints what it set, what the writer lacks, and what still differs")
def test_what_a_writer_lacks_is_listed_and_what_differs_is_said(weigh: Weigh, plain: store.CachedData) -> None:
    like(plain, weigh.folder / "like.parquet", **STRANGE)
    run = weigh("data", "make", "--scale", "8K", "--match", "like.parquet", "--quiet")
    assert run.code == 0, run.err
    lacks = [line.removeprefix("not to be had: ") for line in run.out.splitlines() if line.startswith("not to be had")]
    for said in (
        "row groups of 3,000 rows", "level of gzip", "pages of version 2", "dictionaries for", "Bloom filters for",
        "statistics for", "a page index", "page checksums",
    ):  # fmt: skip
        assert any(said in lack for lack in lacks), said
    assert len(lacks) == 8
    assert "a comparison of writers: the codec is the same (gzip)" in run.out
    assert "row groups of 4,096 rows" in run.out


def test_flags_count_more_than_the_file(weigh: Weigh, plain: store.CachedData) -> None:
    like(plain, weigh.folder / "like.parquet", compression="snappy")
    words = ("--scale", "8K", "--writer", "pyarrow", "--codec", "lz4", "--files", "2", "--page-index", "on")
    run = weigh("data", "make", *words, "--match", "like.parquet", "--json")
    layout = run.json["manifest"]["layout"]
    assert (layout["codec"], layout["files"], layout["page_index"]) == ("lz4", 2, True)
    assert {"codec", "files", "page index"} <= {one["what"] for one in run.json["match"]["written"]["differences"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "not a readable Parquet file"),
        (b"ts,user\n1,ann\n", "arquet"),
        ("cut", "arquet"),
        ("brotli", "brotli, which no layout has"),
        ("columns", "has other columns than any table of netflow"),
        ("sorted", "has other columns than any table of netflow"),
    ],
)
def test_bad_files_to_match(weigh: Weigh, plain: store.CachedData, content: bytes | str | None, said: str) -> None:
    path = weigh.folder / "like.parquet"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content == "cut":
        path.write_bytes((plain.folder / "events-0000.parquet").read_bytes()[:-50])
    elif content == "brotli":
        like(plain, path, compression="brotli")
    elif content in ("columns", "sorted"):
        rows = pq.read_table(plain.folder / "events-0000.parquet").select(["action"]).rename_columns(["other"])
        pq.write_table(rows.sort_by("other") if content == "sorted" else rows, path)
    run = weigh("data", "make", "--scale", "1K", "--writer", "pyarrow", "--match", "like.parquet", "--quiet")
    assert (run.code, run.out) == (2, "")
    assert said in run.err
    assert run.err.count("\n") >= 2, "a remedy"


def test_the_same_files_again(weigh: Weigh) -> None:
    words = ("data", "make", "--scale", "8K", "--files", "2", "--reproducible")
    run = weigh(*words, "--quiet")
    assert run.code == 0, run.err
    assert "made twice: 2 files with the same bytes each time, by duckdb 2.0.0" in run.out
    document = weigh(*words, "--writer", "pyarrow", "--json").json
    assert document["reproduction"] == {"writer": "pyarrow 26.0.1", "files": 2, "unequal": []}


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"sort": ("event_id",)}, "the rows are in another order"),
        ({"row_group_size": 5_000}, "row groups of 8,000 rows, and of 5,000, 3,000"),
        ({"use_dictionary": ["ts"]}, "the same rows in the same order; other bytes in 1 column: ts"),
        ({"sorting_columns": [pq.SortingColumn(0)]}, "the footer"),
    ],
)
def test_files_that_became_others_are_named(
    plain: store.CachedData, tmp_path: Path, options: dict[str, Any], where: str
) -> None:
    usual = {"compression": "zstd", "use_dictionary": False}
    first = like(plain, tmp_path / "events-0000.parquet", **usual)
    (tmp_path / "second").mkdir()
    second = like(plain, tmp_path / "second" / "events-0000.parquet", **(usual | options))
    made = [plain._replace(folder=path.parent, manifest=manifest_of(plain, path)) for path in (first, second)]
    found = reproducible.compare(*made)
    assert [one.path for one in found.unequal] == ["events-0000.parquet"]
    assert where in found.unequal[0].where
    shutil.copy(first, second)
    again = plain._replace(folder=second.parent, manifest=manifest_of(plain, second))
    assert reproducible.compare(made[0], again).unequal == ()


def manifest_of(plain: store.CachedData, path: Path) -> Any:
    import msgspec

    return msgspec.structs.replace(plain.manifest, files=(file_facts.file_facts(path, "events", path.name),))
