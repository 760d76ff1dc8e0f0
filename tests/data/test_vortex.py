"""Layouts of Vortex: the rows that were handed over are those that are read back, or nothing is kept."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest

from weigh.data import cache as store
from weigh.data.generator import dataset_name
from weigh.data.ground_truth import Truth
from weigh.data.layout import file_facts, knobs, parquet, vortex
from weigh.data.making import GivenRows
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.experiment.gate import sampled_rows
from weigh.model.dataset import DatasetName
from weigh.model.errors import DataFault, UsageError
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from pathlib import Path

VORTEX = LayoutSpec(format="vortex")
PYARROW = LayoutSpec(writer="pyarrow", row_group_rows=4_096)
INSTANT = dt.datetime(2020, 1, 1, 1, 2, 3, 4, dt.UTC)


def python(requirements: list[str]) -> Path:
    return environment.ensure(requirements, cache_folder()).python


class Rows:
    """Somebody's own rows, as a source."""

    def __init__(self, table: pa.Table) -> None:
        self.tables: Any = {"own": self}
        self.schema, self.rows, self._table = table.schema, table.num_rows, table

    def batches(self, _: object) -> Any:
        return iter(self._table.to_batches())

    def truth(self) -> Truth:
        return Truth({})


def written(table: pa.Table, place: Path, spec: LayoutSpec = VORTEX) -> store.CachedData:
    from weigh._native import digest_arrow

    name = DatasetName(generator="files/abc", scale=None)
    given = GivenRows(Rows(table), {"own": digest_arrow(table)})
    return store.ensure(name, spec, place, environment=python, given=given)


@pytest.mark.long
def test_it_holds_the_same_rows_as_parquet(tmp_path: Path) -> None:
    name = dataset_name("netflow", 1_000, 42)
    usual = store.ensure(name, PYARROW, tmp_path)
    made = store.ensure(name, LayoutSpec(format="vortex", files=3, sort=("user_name",)), tmp_path, environment=python)
    assert made.manifest.digests == usual.manifest.digests
    assert [file.path for file in made.manifest.files] == [f"events-{number:04}.vortex" for number in range(3)]
    assert made.manifest.writer == made.manifest.read_back == "vortex-data 0.93.0"
    assert made.manifest.vortex
    users = vortex.table([made.folder / file.path for file in made.manifest.files], python(vortex.REQUIREMENTS))
    names = [one for one in users["user_name"].to_pylist() if one is not None]
    assert names == sorted(names)
    assert store.ensure(name, made.manifest.layout or VORTEX, tmp_path).folder == made.folder
    # What it is decides the layout's name, and not what the other format has.
    plain = msgspec.json.decode(msgspec.json.encode(made.manifest.layout))
    assert plain == {"format": "vortex", "files": 3, "row_group_rows": None, "sort": ["user_name"]}


def test_values_are_kept_in_every_type_that_it_has(tmp_path: Path) -> None:
    table = pa.table(
        {
            "price": pa.array([Decimal("1.25"), None, Decimal("-3.00")], pa.decimal128(15, 2)),
            "day": pa.array([dt.date(2020, 1, 1), None, dt.date(1969, 1, 1)]),
            "at": pa.array([INSTANT.replace(tzinfo=None), None, None], pa.timestamp("us")),
            "instant": pa.array([INSTANT, None, None], pa.timestamp("ms", "Europe/Berlin")),
            "nano": pa.array([INSTANT, None, None], pa.timestamp("ns", "UTC")),
            "text": pa.array(["a", None, ""]),
            "bytes": pa.array([b"a", None, b""]),
            "list": pa.array([[1, None], None, []], pa.list_(pa.int32())),
            "struct": pa.array([{"a": 1}, None, {"a": None}], pa.struct([("a", pa.int32())])),
            "large": pa.array([1 << 63, None, 0], pa.uint64()),
            "number": pa.array([float("nan"), None, -0.0]),
            "never": pa.array([1, 2, 3]),
        }
    )
    # A file with fewer rows than files is empty.
    made = written(table, tmp_path, LayoutSpec(format="vortex", files=4))
    assert [file.rows for file in made.manifest.files] == [1, 1, 1, 0]


@pytest.mark.promise(
    "Columns of a type that vortex-data does not write, or that nobody reads from it, are refused by name"
)
@pytest.mark.parametrize(
    "kind",
    [
        pa.duration("us"), pa.binary(2), pa.map_(pa.string(), pa.int32()), pa.float16(), pa.time32("ms"),
        pa.date64(), pa.time64("ns"), pa.null(), pa.struct([("within", pa.duration("us"))]),
    ],
)  # fmt: skip
def test_a_type_that_it_cannot_keep_is_refused_with_its_column(tmp_path: Path, kind: pa.DataType) -> None:
    """Some of them end the process of whoever reads them."""
    with pytest.raises(DataFault, match="have no form for column odd of type"):
        written(pa.table({"fine": [1], "odd": pa.nulls(1, kind)}), tmp_path)
    assert not list(tmp_path.rglob("manifest.json"))


def test_an_instant_that_it_would_cut_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFault, match="no form for these rows"):
        written(pa.table({"at": pa.array([1], pa.timestamp("ns", "UTC"))}), tmp_path)


@pytest.mark.promise(
    "the digests of the rows that it was handed and of those that it reads are the same, or the files are not kept."
)
def test_other_rows_than_were_handed_over_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that loses a fraction, without any other layout to compare with."""
    real = vortex.write

    def lossy(parts: Any, paths: list[Path], *, schema: pa.Schema, python: Path) -> None:
        other = pa.schema([("score", pa.int64())])
        lost = ((path, (batch.cast(other, safe=False) for batch in part)) for path, part in parts)
        real(lost, paths, schema=other, python=python)

    monkeypatch.setattr(vortex, "write", lossy)
    with pytest.raises(DataFault, match=r"reads back other rows of own than it was given: score \(double, .*int64\)"):
        written(pa.table({"score": [1.5, 2.0]}), tmp_path)
    assert not list(tmp_path.rglob("manifest.json"))


@pytest.mark.long
def test_a_changed_file_is_found_with_and_without_a_reader(tmp_path: Path) -> None:
    made = written(pa.table({"number": [1, 2, 3]}), tmp_path)
    path = made.folder / made.manifest.files[0].path
    assert not file_facts.verify(made.folder, made.manifest, "digest", python)
    whole = path.read_bytes()
    vortex.write(
        [(path, iter(pa.table({"number": [1, 2, 4]}).to_batches()))],
        [path],
        schema=pa.schema([("number", pa.int64())]),
        python=python(vortex.REQUIREMENTS),
    )
    changed = msgspec.structs.replace(
        made.manifest, files=(msgspec.structs.replace(made.manifest.files[0], bytes=path.stat().st_size),)
    )
    assert [one.code for one in file_facts.verify(made.folder, changed, "hash", python)] == ["D8.rows"]
    assert [one.code for one in file_facts.verify(made.folder, changed)] == ["D8.damaged"]
    path.write_bytes(whole[:-8] + bytes(8))
    assert [one.code for one in file_facts.verify(made.folder, made.manifest, "hash", python)] == ["D8.damaged"]


@pytest.mark.long
def test_rows_are_drawn_from_it_as_from_parquet(tmp_path: Path) -> None:
    """The sample by which large tables are compared."""
    name = dataset_name("netflow", 20_000, 42)
    made = store.ensure(name, LayoutSpec(format="vortex", files=2), tmp_path, environment=python)
    usual = store.ensure(name, PYARROW, tmp_path)
    paths, plain = (tuple(str(one.folder / file.path) for file in one.manifest.files) for one in (made, usual))
    reads = python(vortex.REQUIREMENTS)
    drawn = sampled_rows.draw(paths, 20_000, reads)
    assert drawn is not None
    assert drawn.rows == sampled_rows.of(plain, drawn).num_rows > 0
    from weigh._native import digest_arrow

    assert digest_arrow(sampled_rows.of(plain, drawn)) == drawn.digest


@pytest.mark.parametrize(
    "said",
    [
        {"codec": "snappy"},
        {"writer": "pyarrow"},
        {"row_group_rows": 2048},
        {"page_checksums": True},
        {"dictionary": False},
    ],
)
def test_what_parquet_alone_has_is_refused(said: dict[str, Any]) -> None:
    (key,) = said
    with pytest.raises(UsageError, match=f"{key} is a key of Parquet"):
        parquet.check(LayoutSpec(format="vortex", **said), "netflow")


def test_what_both_have_is_checked() -> None:
    with pytest.raises(UsageError, match="a layout of 0 files"):
        parquet.check(LayoutSpec(format="vortex", files=0), "netflow")
    with pytest.raises(UsageError, match="sort names a column twice"):
        parquet.check(LayoutSpec(format="vortex", sort=("a", "a")), "netflow")


def test_layouts_of_parquet_are_called_as_ever() -> None:
    """By the key of the cache, which evidence and caches of before have."""
    usual = parquet.complete(LayoutSpec())
    assert store.layout_key(usual) == store.layout_key(parquet.complete(LayoutSpec(format="parquet"))) == "f514c7afe8a0"
    assert knobs.normal(LayoutSpec(format="parquet")) == LayoutSpec()
    assert b"format" not in msgspec.json.encode(usual)
