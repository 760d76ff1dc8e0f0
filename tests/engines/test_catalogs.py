"""Table formats: files registered where they lie, and what engines read through them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import digest_arrow, digest_parquet, hash_file
from weigh.data.catalog import registration
from weigh.data.catalog.registrar import Registrar, UnsupportedTable
from weigh.engines import engine as engines
from weigh.engines import environment as environments
from weigh.engines.loaded import TableFormat, Tables
from weigh.engines.prepared import cache_folder, check, ready
from weigh.experiment.gate.queries import read_answer
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

READERS = [
    "duckdb@1.5.5?catalog=iceberg",
    "duckdb@1.5.5?catalog=ducklake",
    *(
        pytest.param(spec, marks=pytest.mark.long)
        for spec in (
            "duckdb@1.5.5?catalog=delta",
            "chdb?catalog=iceberg",
            "chdb?catalog=delta",
            "polars?catalog=iceberg",
            "polars?catalog=delta",
            "datafusion?catalog=delta",
        )
    ),
]


@pytest.fixture(scope="module")
def registrar() -> Iterator[Registrar]:
    made = Registrar(lambda requirements: environments.ensure(requirements, cache_folder()).python)
    yield made
    made.rest()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A table in two files."""
    (tmp_path / "given").mkdir()
    paths = [tmp_path / "given" / f"some-{n}.parquet" for n in range(2)]
    for n, path in enumerate(paths):
        rows = range(n * 50, n * 50 + 50)
        values = {"id": list(rows), "name": [f"it's {row}" for row in rows], "score": [row / 3 for row in rows]}
        pq.write_table(pa.table(values), path)
    return paths


def test_every_reader_is_declared_once() -> None:
    """What is tried here is what engines say that they read."""
    tried = {getattr(one, "values", [one])[0] for one in READERS}
    ours = [engines.load(name) for name in ("duckdb", "chdb", "polars", "datafusion", "pyarrow", "sqlite", "postgres")]
    said = {f"{one.name}?catalog={format_.format}" for one in ours for format_ in one.catalogs}
    assert said == {str(spec).replace("@1.5.5", "") for spec in tried}
    for spec in tried:
        check(parse_contender(str(spec)))


@pytest.mark.long
@pytest.mark.parametrize("spec", READERS)
def test_rows_are_those_of_the_files(spec: str, files: list[Path], tmp_path: Path, registrar: Registrar) -> None:
    contender = parse_contender(spec)
    before = [hash_file(path) for path in files]
    made = registration.make(contender.catalog, {"parts": files}, tmp_path / "catalog", registrar)
    assert made.how == "hard links"
    assert [Path(path).stat().st_ino for path in made.paths["parts"]] == [path.stat().st_ino for path in files]
    tables = Tables(made.paths, "", TableFormat(made.kind, made.locations))
    with ready(contender, cache_folder()).start(tables) as worker:
        worker.prepare("SELECT * FROM parts", 60)
        assert worker.run(60).rows == 100
        assert str(digest_arrow(read_answer(worker.answer(60)[0]))) == digest_parquet(files)
        assert {Path(path).name for path in worker.files()} == {"0000.parquet", "0001.parquet"}
    read = registration.read(made, "it", "", "after", registrar)
    assert ([file.blake3 for file in read.files], read.wrong) == (before, "")


def test_a_column_that_may_be_null_in_a_later_file_alone(tmp_path: Path, registrar: Registrar) -> None:
    paths = [tmp_path / f"{number}.parquet" for number in range(2)]
    for path, values, nullable in zip(paths, ([1, 2], [3, None]), (False, True), strict=True):
        schema = pa.schema([pa.field("n", pa.int64(), nullable=nullable)])
        pq.write_table(pa.table([values], schema=schema), path)
    for kind in ("iceberg", "ducklake", "delta"):
        made = registration.make(kind, {"parts": paths}, tmp_path / kind, registrar)
        assert len(made.paths["parts"]) == 2


@pytest.mark.parametrize("kind", ["iceberg", "ducklake", "delta"])
def test_a_file_without_a_row(kind: str, files: list[Path], tmp_path: Path, registrar: Registrar) -> None:
    """As in a small table of many files: DuckLake takes none, and the others list them."""
    empty = tmp_path / "empty.parquet"
    pq.write_table(pq.read_table(files[0]).slice(0, 0), empty)
    made = registration.make(kind, {"parts": [*files, empty]}, tmp_path / "catalog", registrar)
    read = registration.read(made, "it", "", "after", registrar)
    assert ([file.path for file in read.files][2:], read.wrong) == (["parts/0002.parquet"], "")


@pytest.mark.promise("`uint32` and `uint64` are refused for Iceberg, every unsigned integer is for Delta")
@pytest.mark.parametrize(
    ("kind", "refused"),
    [("iceberg", {"uint32", "uint64"}), ("delta", {"uint8", "uint16", "uint32", "uint64"}), ("ducklake", set())],
)
def test_unsigned_integers_that_a_format_does_not_have(tmp_path: Path, kind: str, refused: set[str]) -> None:
    found = set()
    for name in ("uint8", "uint16", "uint32", "uint64", "int64"):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"u": pa.array([{"inner": 1}], pa.struct([("inner", name)]))}), path)
        try:
            registration.refuse(kind, {"t": [path]})
        except UnsupportedTable as error:
            assert f"column u holds {name}" in str(error)
            found.add(name)
    assert found == refused


@pytest.mark.promise("A catalog that lists a file that is gone, or another one, is not taken for the layout.")
def test_a_file_that_is_gone(files: list[Path], tmp_path: Path, registrar: Registrar) -> None:
    made = registration.make("delta", {"parts": files}, tmp_path / "catalog", registrar)
    Path(made.paths["parts"][1]).unlink()
    assert "0001.parquet is missing" in registration.read(made, "it", "", "after", registrar).wrong
    shutil.rmtree(tmp_path / "catalog" / "parts" / "_delta_log")
    assert "table parts as Delta: " in registration.read(made, "it", "", "after", registrar).wrong


def test_a_file_that_ducklake_takes_twice(files: list[Path], tmp_path: Path, registrar: Registrar) -> None:
    once = {"parts": [str(path) for path in files]}
    listed = registrar.register("ducklake", tmp_path, {"parts": [*once["parts"], once["parts"][0]]}).files
    assert "some-0.parquet is registered 2 times" in registration.contradiction(once, listed)
    gone = {"parts": [*once["parts"], str(tmp_path / "gone.parquet")]}
    assert "gone.parquet of table parts is not in it" in registration.contradiction(gone, once)
    # A catalog made of such files is refused, and so is the list itself.
    with pytest.raises(UsageError, match="its rows would count twice"):
        registration.make("ducklake", {"parts": [files[0], files[0]]}, tmp_path / "catalog", registrar)


def ids(path: Path, numbers: tuple[int | None, ...]) -> Path:
    """A file of two columns with these field ids."""
    metadata = [None if one is None else {"PARQUET:field_id": str(one)} for one in numbers]
    fields = [pa.field(name, pa.int64(), metadata=one) for name, one in zip("ab", metadata, strict=True)]
    pq.write_table(pa.table([[1, 2], [10, 20]], schema=pa.schema(fields)), path)
    return path


@pytest.mark.long
@pytest.mark.parametrize(("numbers", "sums"), [((2, 1), (30, 3)), ((1, 2), (3, 30)), ((None, None), (3, 30))])
def test_what_iceberg_makes_of_field_ids(
    numbers: tuple[int | None, ...],
    sums: tuple[int, int],
    tmp_path: Path,
    registrar: Registrar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of permuted ones columns are swapped, with no error: why weigh refuses them. Nothing else is refused."""
    path = ids(tmp_path / "t.parquet", numbers)
    if sums == (30, 3):
        with pytest.raises(UsageError, match="column a has field id 2"):
            registration.refuse("iceberg", {"t": [path]})
        monkeypatch.setattr(registration, "refuse", lambda *_: None)
    made = registration.make("iceberg", {"t": [path]}, tmp_path / "catalog", registrar)
    tables = Tables(made.paths, "", TableFormat(made.kind, made.locations))
    with ready(parse_contender("duckdb@1.5.5?catalog=iceberg"), cache_folder()).start(tables) as worker:
        worker.prepare("SELECT sum(a) AS a, sum(b) AS b FROM t", 60)
        worker.run(60)
        (row,) = read_answer(worker.answer(60)[0]).to_pylist()
    assert (row["a"], row["b"]) == sums


@pytest.mark.promise("Files without ids, or with 1, 2, 3 in the order of their columns, are right in every reader.")
def test_ids_of_the_table_and_copies_are_not_refused(tmp_path: Path) -> None:
    """Of rows that a user has twice each counts; a file that is named twice is one file."""
    files = [ids(tmp_path / f"{at}.parquet", numbers) for at, numbers in enumerate([(1, 2), (1, 2), (None, None)])]
    for kind in ("iceberg", "ducklake", "delta"):
        registration.refuse(kind, {"t": files})
    registration.refuse("ducklake", {"t": [ids(tmp_path / "permuted.parquet", (2, 1))]})


def test_what_a_format_does_not_have(tmp_path: Path, registrar: Registrar) -> None:
    """Iceberg has no nanoseconds, and pyiceberg says so."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"at": pa.array([1], pa.timestamp("ns"))}), path)
    other = tmp_path / "u.parquet"
    pq.write_table(pa.table({"at": [1]}), other)
    unsigned = tmp_path / "w.parquet"
    pq.write_table(pa.table({"at": pa.array([1], pa.uint64())}), unsigned)
    files = {"t": [path], "u": [other], "w": [unsigned]}
    made = registration.make("iceberg", files, tmp_path / "catalog", registrar)
    # The table alone is out.
    assert set(made.paths) == {"u"}
    assert set(made.lacking) == {"t", "w"}
    assert "table t as Iceberg" in made.lacking["t"]
    assert "holds uint64" in made.lacking["w"]
    made = registration.make("iceberg", {"t": [path]}, tmp_path / "nothing", registrar)
    assert (made.paths, set(made.lacking)) == ({}, {"t"})
