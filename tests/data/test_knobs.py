"""Knobs of layouts: the bytes show each that a writer has, the rows stay the same, and what it lacks is refused."""

from __future__ import annotations

import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support import parquet_bytes as raw
from weigh._native import DigestError, pages_between, parquet_footer
from weigh.data import cache as store
from weigh.data.generator import dataset_name
from weigh.data.layout import knobs, sorting, written
from weigh.data.layout.physical import TableForm, table_form
from weigh.data.layout.row_order import ascending
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder
from weigh.model.errors import DataFault, UsageError
from weigh.model.spec import Codec, LayoutSpec, Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    Made = Callable[[LayoutSpec], tuple[TableForm, dict[str, str]]]

NAME = dataset_name("netflow", 6_000, 7)
ORDER = ("user_name", "ts")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """How the files of a layout are written, and the digest of their rows; made once for all tests."""
    folder = tmp_path_factory.mktemp("knobs")

    def environment(needed: list[str]) -> Path:
        # The other writers are among what weigh is developed with.
        own = any(name.startswith("arro3") for name in needed)
        return environments.ensure(needed, cache_folder()).python if own else Path(sys.executable)

    def make(spec: LayoutSpec) -> tuple[TableForm, dict[str, str]]:
        stored = store.ensure(NAME, spec, folder, environment=environment)
        paths = [stored.folder / path for path in stored.manifest.paths("events")]
        return table_form(paths), stored.manifest.digests

    return make


def of_columns(form: TableForm, fact: str) -> set[object]:
    return {getattr(column, fact) for column in form.columns.values()}


def with_it(form: TableForm, fact: str) -> set[str]:
    return {name for name, column in form.columns.items() if getattr(column, fact)}


def with_dictionary(form: TableForm) -> set[str]:
    return {name for name, column in form.columns.items() if column.dictionary != "none"}


def level_is(form: TableForm, level: int) -> bool:
    """Small pages look the same at levels that are near; 1, 3 and 9 are not."""
    known = [column.level for column in form.columns.values() if column.level is not None]
    others = {1, 3, 9} - {level}
    return bool(known) and all(
        low <= level <= high and not any(low <= other <= high for other in others) for low, high in known
    )


def pages_of_4k(form: TableForm) -> bool:
    plain = [form.columns[name] for name in ("event_id", "duration")]
    return all(column.pages >= 3 and column.largest_page_bytes < 40_000 for column in plain)


Shows = dict[str, tuple[Any, "Callable[[TableForm], bool]"]]

PYARROW: list[Shows] = [
    {
        "parquet_version": (1, lambda form: form.parquet_versions == (1,)),
        "page_version": (1, lambda form: of_columns(form, "page_versions") == {(1,)}),
        "dictionary": (True, lambda form: of_columns(form, "dictionary") == {"all"}),
        "bloom_filters": (False, lambda form: not with_it(form, "bloom_filter_bytes")),
        "statistics": (False, lambda form: not with_it(form, "statistics")),
        "page_index": (False, lambda form: not with_it(form, "page_index")),
        "page_checksums": (True, lambda form: of_columns(form, "checksums") == {True}),
        "sort": (ORDER, lambda form: form.sorted_by == ORDER),
    },
    {
        "codec_level": (9, lambda form: level_is(form, 9)),
        "parquet_version": (2, lambda form: form.parquet_versions == (2,)),
        "page_version": (2, lambda form: of_columns(form, "page_versions") == {(2,)}),
        "dictionary": (False, lambda form: of_columns(form, "dictionary") == {"none"}),
        "page_size": (4096, pages_of_4k),
        "bloom_filters": (True, lambda form: len(with_it(form, "bloom_filter_bytes")) == len(form.columns)),
        "statistics": (True, lambda form: of_columns(form, "statistics") == {True}),
        "page_index": (True, lambda form: of_columns(form, "page_index") == {True}),
        "page_checksums": (False, lambda form: of_columns(form, "checksums") == {False}),
    },
    {
        "dictionary": (("bytes",), lambda form: with_dictionary(form) == {"bytes"}),
        "bloom_filters": (("ts", "bytes"), lambda form: with_it(form, "bloom_filter_bytes") == {"ts", "bytes"}),
        "statistics": (("ts",), lambda form: with_it(form, "statistics") == {"ts"}),
    },
]  # fmt: skip
DUCKDB: list[Shows] = [
    {
        "codec_level": (1, lambda form: level_is(form, 1)),
        "parquet_version": (2, lambda form: "DELTA_BINARY_PACKED" in form.columns["score"].encodings
                            or "DELTA_BINARY_PACKED" in form.columns["event_id"].encodings),
        "page_version": (1, lambda form: of_columns(form, "page_versions") == {(1,)}),
        "dictionary": (False, lambda form: of_columns(form, "dictionary") == {"none"}),
        "page_size": (4096, pages_of_4k),
        "bloom_filters": (False, lambda form: not with_it(form, "bloom_filter_bytes")),
        "sort": (ORDER, lambda form: form.sorted_by == ORDER),
    },
    {
        "codec_level": (9, lambda form: level_is(form, 9)),
        "parquet_version": (1, lambda form: form.parquet_versions == (1,)),
        "dictionary": (True, lambda form: of_columns(form, "dictionary") == {"all"}),
        "bloom_filters": (True, lambda form: len(with_it(form, "bloom_filter_bytes")) == len(form.columns)),
        "statistics": (True, lambda form: of_columns(form, "statistics") == {True}),
        "page_index": (False, lambda form: not with_it(form, "page_index")),
        "page_checksums": (False, lambda form: not with_it(form, "checksums")),
    },
]  # fmt: skip
POLARS: list[Shows] = [
    {
        "codec_level": (9, lambda form: level_is(form, 9)),
        "page_size": (4096, pages_of_4k),
        "statistics": (False, lambda form: not with_it(form, "statistics")),
        "bloom_filters": (False, lambda form: not with_it(form, "bloom_filter_bytes")),
        "sort": (ORDER, lambda form: form.sorted_by == ORDER),
    },
    {
        "codec_level": (1, lambda form: level_is(form, 1)),
        "parquet_version": (1, lambda form: form.parquet_versions == (1,)),
        "page_version": (1, lambda form: of_columns(form, "page_versions") == {(1,)}),
        "statistics": (True, lambda form: of_columns(form, "statistics") == {True}),
        "page_index": (True, lambda form: of_columns(form, "page_index") == {True}),
        "page_checksums": (False, lambda form: not with_it(form, "checksums")),
    },
]
RUST: list[Shows] = [
    {
        "codec_level": (9, lambda form: level_is(form, 9)),
        "parquet_version": (2, lambda form: form.parquet_versions == (2,)),
        "dictionary": (False, lambda form: of_columns(form, "dictionary") == {"none"}),
        "page_size": (4096, pages_of_4k),
        "bloom_filters": (True, lambda form: len(with_it(form, "bloom_filter_bytes")) == len(form.columns)),
        "sort": (ORDER, lambda form: form.sorted_by == ORDER),
    },
    {
        "codec_level": (1, lambda form: level_is(form, 1)),
        "parquet_version": (1, lambda form: form.parquet_versions == (1,)),
        "dictionary": (True, lambda form: of_columns(form, "dictionary") == {"all"}),
        "bloom_filters": (False, lambda form: not with_it(form, "bloom_filter_bytes")),
        "statistics": (True, lambda form: of_columns(form, "statistics") == {True}),
        "page_index": (True, lambda form: of_columns(form, "page_index") == {True}),
        "page_checksums": (False, lambda form: not with_it(form, "checksums")),
    },
]
SHOWN = [("pyarrow", shows) for shows in PYARROW] + [("duckdb", shows) for shows in DUCKDB]
SHOWN += [("polars", shows) for shows in POLARS] + [("parquet-rs", shows) for shows in RUST]


@pytest.mark.long
@pytest.mark.promise("The row digest is the same whatever the keys say")
@pytest.mark.parametrize(("writer", "shows"), SHOWN, ids=[f"{writer}-{n}" for n, (writer, _) in enumerate(SHOWN)])
def test_the_bytes_show_every_knob_and_the_rows_are_the_same(made: Made, writer: Any, shows: Shows) -> None:
    spec = LayoutSpec(writer=writer, **{name: value for name, (value, _) in shows.items()})
    form, digests = made(spec)
    assert {name: shown(form) for name, (_, shown) in shows.items()} == dict.fromkeys(shows, True)
    assert digests == made(LayoutSpec(writer="pyarrow"))[1]


def test_every_knob_of_every_writer_is_shown_above() -> None:
    tried = {writer: {name for one, shows in SHOWN if one == writer for name in shows} for writer, _ in SHOWN}
    for writer, names in tried.items():
        able = {name for name in knobs.KNOBS if not all(knobs.lacking(one) for one in each_value(writer, name))}
        assert names == able, writer


def each_value(writer: Any, name: str) -> list[LayoutSpec]:
    values: dict[str, tuple[Any, ...]] = {
        "codec_level": (3,), "parquet_version": (1, 2), "page_version": (1, 2), "page_size": (4096,), "sort": (ORDER,),
    }  # fmt: skip
    return [LayoutSpec(writer=writer, **{name: value}) for value in values.get(name, (True, False))]


@pytest.mark.long
def test_gzip_has_levels_too(made: Made) -> None:
    one, nine = (made(LayoutSpec(writer="pyarrow", codec="gzip", codec_level=level))[0] for level in (1, 9))
    assert level_is(one, 1)
    assert level_is(nine, 9)
    assert one.bytes > nine.bytes


@pytest.mark.long
@pytest.mark.parametrize("codec", get_args(Codec))
@pytest.mark.parametrize("writer", [name for name in get_args(Writer) if name != "tpchgen"])
def test_every_writer_has_every_codec_at_a_level_of_its_own(made: Made, writer: Any, codec: Any) -> None:
    form, digests = made(LayoutSpec(writer=writer, codec=codec))
    assert of_columns(form, "codec") == {codec}
    assert digests == made(LayoutSpec(writer="pyarrow"))[1]


@pytest.mark.promise("What a writer does not have is refused with a writer that has it")
@pytest.mark.parametrize(
    ("spec", "said", "remedy"),
    [
        (LayoutSpec(codec="snappy", codec_level=3), "snappy has no levels", "'zstd' or 'gzip'"),
        (LayoutSpec(codec_level=23), "levels from 1 to 22, not 23", "from 1 to 22"),
        (LayoutSpec(codec="gzip", codec_level=3), "duckdb cannot set the level of gzip", "writer = 'pyarrow'"),
        (LayoutSpec(page_version=2), "duckdb cannot write pages of version 2", "writer = 'pyarrow'"),
        (LayoutSpec(statistics=False), "it always writes statistics", "'pyarrow' or 'polars'"),
        (LayoutSpec(page_checksums=True), "it never writes page checksums", "'pyarrow'"),
        (LayoutSpec(bloom_filters=("ts",)), "for ts alone", "'pyarrow'"),
        (LayoutSpec(bloom_filters=True, dictionary=False), "with dictionaries alone", "leave out"),
        (LayoutSpec(writer="polars", dictionary=True), "decides that by itself", "'duckdb' or 'pyarrow'"),
        (LayoutSpec(writer="parquet-rs", page_version=2), "decides that by itself", "'pyarrow'"),
        (LayoutSpec(writer="polars", page_index=False), "it always writes a page index", "'duckdb' or 'pyarrow'"),
        (LayoutSpec(writer="pyarrow", parquet_version=3), "there is no Parquet version 3", "1 or 2"),
        (LayoutSpec(writer="pyarrow", page_size=0), "pages of 0 bytes", "at least 1"),
        (LayoutSpec(writer="pyarrow", sort=("ts", "ts")), "names a column twice", "once"),
        (LayoutSpec(writer="pyarrow", sort=("tz",)), "'tz', which no table has", "did you mean 'ts'?"),
        (LayoutSpec(writer="pyarrow", statistics=False, page_index=True), "statistics of pages", "leave out"),
    ],
)
def test_what_a_writer_lacks_is_refused(tmp_path: Path, spec: LayoutSpec, said: str, remedy: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        store.ensure(NAME, spec, tmp_path, environment=lambda _: Path(sys.executable))
    assert remedy in raised.value.remedy


@pytest.mark.parametrize(("name", "noun"), [("files", "files"), ("row_group_rows", "rows")])
def test_what_is_no_number_is_named_by_what_it_counts(name: str, noun: str) -> None:
    with pytest.raises(UsageError, match=f"'x' is not a number of {noun}"):
        knobs.parse(name, "x")


def test_layouts_without_knobs_keep_their_keys() -> None:
    assert store.layout_key(LayoutSpec(row_group_rows=122_880)) == "f514c7afe8a0"
    assert msgspec.to_builtins(LayoutSpec()) == {
        "writer": "duckdb",
        "codec": "zstd",
        "files": 1,
        "row_group_rows": None,
    }


def test_one_layout_said_in_two_ways_is_one() -> None:
    one, other = (LayoutSpec(writer="pyarrow", dictionary=names) for names in (("a", "b"), ("b", "a")))
    assert knobs.normal(one) == knobs.normal(other)
    assert knobs.normal(LayoutSpec(writer="pyarrow", statistics=())).statistics is False


@pytest.mark.promise("a layout that they do not show is an error")
def test_files_that_are_not_what_was_asked_for_are_refused(made: Made) -> None:
    form, _ = made(LayoutSpec(writer="pyarrow"))
    asked = LayoutSpec(
        writer="pyarrow", codec="gzip", page_version=2, parquet_version=1, bloom_filters=True, statistics=("ts",)
    )
    assert len(written.contradictions(asked, form)) == 5
    assert written.contradictions(LayoutSpec(writer="pyarrow", page_version=1, statistics=True), form) == []


def test_a_sorted_table_keeps_what_ties_and_puts_null_last(tmp_path: Path) -> None:
    schema = pa.schema({"a": pa.string(), "b": pa.int64()})
    batches = [
        pa.record_batch([pa.array(["x", None, "w"]).dictionary_encode(), [1, 2, 3]], names=["a", "b"]),
        pa.record_batch([pa.array(["w", "x"]).dictionary_encode(), [4, 0]], names=["a", "b"]),
    ]
    found = pa.Table.from_batches(sorting.ordered(batches, ["a"], schema, tmp_path), schema)
    assert found.to_pydict() == {"a": ["w", "w", "x", "x", None], "b": [3, 4, 1, 0, 2]}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        ({"a": [1, 1, 2, None], "b": [1, 2, 0, 0]}, ("a", "b")),
        ({"a": [1, None, 2], "b": [3, 3, 3]}, ()),
        ({"a": [1.0, float("nan"), 2.0], "b": ["", "x", "x"]}, ("b",)),
        ({"a": [2, 1], "b": [[1], [2]]}, ()),
        ({"year": [1, 1, 2, 2], "day": [1, 2, 3, 4]}, ("day",)),
    ],
)
def test_the_order_of_rows_is_found(tmp_path: Path, columns: dict[str, list[Any]], order: tuple[str, ...]) -> None:
    table = pa.table(columns)
    whole, parts = tmp_path / "whole.parquet", [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    pq.write_table(table, whole, row_group_size=2)
    for number, path in enumerate(parts):
        pq.write_table(table.slice(2 * number, 2), path)
    assert ascending([whole]) == ascending(parts) == order


def test_a_damaged_footer_is_named(tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.parquet", tmp_path / "damaged.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": [["x"], None]}), whole, store_schema=False)
    content = whole.read_bytes()
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    chance = random.Random(4)
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(3):
            damaged[chance.randrange(begin, len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged)
        with suppress(DataFault):
            table_form([path])


def test_headers_of_pages_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "rubbish"
    for content in (b"", b"\x00" * 40, b"\xff" * 4000, b"\x15\x00\x15\xff\xff\xff\xff\x0f", bytes(range(256)) * 20):
        path.write_bytes(content)
        with pytest.raises(DigestError, match=r"page at byte|cannot read"):
            pages_between(path, 0, max(len(content), 9))


def test_the_footer_is_what_another_reader_finds(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    number = pa.field("a", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "7"})
    schema = pa.schema([number, pa.field("b", pa.list_(pa.string()))])
    table = pa.table([range(5), [["x"], None, [], ["y"], ["z"]]], schema=schema)
    order = [pq.SortingColumn(0, descending=True)]
    pq.write_table(
        table, path, row_group_size=3, sorting_columns=order, write_statistics=["a"], write_page_index=True
    )  # fmt: skip
    ours, theirs = parquet_footer(path), pq.read_metadata(path)
    assert [(one["name"], one["required"], one["field_id"]) for one in ours["columns"]] == [
        ("a", True, 7),
        ("b.list.element", False, None),
    ]
    assert ours["version"] == 2
    assert ours["keys"] == [one.decode() for one in theirs.metadata]
    assert [(group["rows"], group["order"]) for group in ours["groups"]] == [(3, [(0, True)]), (2, [(0, True)])]
    for number, group in enumerate(ours["groups"]):
        for column, chunk in enumerate(group["chunks"]):
            there = theirs.row_group(number).column(column)
            assert chunk["begin"] == there.dictionary_page_offset
            assert chunk["bytes"] == there.total_compressed_size
            assert (chunk["statistics"], chunk["page_index"]) == (there.is_stats_set, there.has_column_index)
            listed = pages_between(path, chunk["begin"], chunk["begin"] + chunk["bytes"])
            assert [page.kind for page in listed] == ["dictionary", "data"]
            assert listed[-1].values == there.num_values


def test_row_groups_that_share_their_pages_are_refused(tmp_path: Path) -> None:
    """Listing the pages of each would take memory without end."""
    page = raw.thrift({1: 0, 2: 800, 3: 800, 5: {1: 100, 2: raw.PLAIN, 3: raw.RLE, 4: raw.RLE}}) + bytes(800)
    meta = {
        1: raw.INT64, 2: [raw.PLAIN], 3: ["n"], 4: raw.UNCOMPRESSED, 5: ("i64", 100), 6: ("i64", len(page)),
        7: ("i64", len(page)), 9: ("i64", 4),
    }  # fmt: skip
    group = {1: [{2: ("i64", 4), 3: meta}], 2: ("i64", len(page)), 3: ("i64", 100)}
    schema = [raw.root(1), raw.element("n", 0, raw.INT64)]
    path = tmp_path / "shared.parquet"
    for times in (1, 1000):
        footer = raw.thrift({1: 1, 2: schema, 3: ("i64", 100 * times), 4: [group] * times})
        path.write_bytes(b"PAR1" + page + footer + len(footer).to_bytes(4, "little") + b"PAR1")
        if times == 1:
            assert table_form([path]).columns["n"].pages == 1
    with pytest.raises(DataFault, match="overlap"):
        table_form([path])
