"""Files as public test suites have them: what others read is read, or said not to be; never called damaged."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from golden.in_process import weigh
from support import parquet_corpus
from support.parquet_corpus import CORPUS
from weigh._native import digest_arrow, merge_digests

if TYPE_CHECKING:
    from pathlib import Path

_DAMAGE = re.compile(r"corrupt|damaged|not a readable|no page header|beyond its end|D4\.", re.IGNORECASE)


class Described(NamedTuple):
    """What weigh said of all files: facts and faults by the name of the file, and the same of its pages."""

    files: dict[str, dict[str, Any]]
    unread: dict[str, str]
    checked: str


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("corpus")
    made = {name: folder / f"{number:03}.parquet" for number, name in enumerate(CORPUS)}
    for name, path in made.items():
        CORPUS[name](path)
    return made


@pytest.fixture(scope="module")
def described(paths: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Described:
    folder = tmp_path_factory.mktemp("here")
    shown = weigh(["data", "describe", "--json", *map(str, paths.values())], folder)
    found = json.loads(shown.out)
    names = {str(path): name for name, path in paths.items()}
    unread = {names[name]: one["what"] for one in found.get("unread", ()) for name in names if name in _whole(one)}
    assert shown.code == (2 if unread else 0)
    checked = weigh(["data", "check", *map(str, paths.values())], folder)
    return Described({names[one["path"]]: one for one in found["files"]}, unread, checked.out + checked.err)


def _whole(one: dict[str, str]) -> str:
    return f"{one['path']}: {one['what']}"


def _pyarrow(path: Path) -> pa.Table | None:
    try:
        with pq.ParquetFile(path, arrow_extensions_enabled=False) as file:
            return file.read()
    except (pa.ArrowException, OSError):
        return None


def _duckdb(path: Path) -> bool:
    try:
        return duckdb.sql(f"SELECT count(COLUMNS(*)) FROM read_parquet('{path}')").fetchall() is not None
    except duckdb.Error:
        return False


def _polars(path: Path) -> bool:
    try:
        return polars.read_parquet(path) is not None
    except (Exception, polars.exceptions.PanicException):
        return False


def test_there_are_as_many_as_promised() -> None:
    assert len(CORPUS) >= 60


@pytest.mark.promise("A file that PyArrow reads is never called damaged")
@pytest.mark.parametrize("name", CORPUS)
def test_of_what_others_read(name: str, paths: dict[str, Path], described: Described) -> None:
    path = paths[name]
    table = _pyarrow(path)
    fault = described.unread.get(name, "")
    about = [line.partition(", no page checksums")[0] for line in described.checked.splitlines() if str(path) in line]
    said = [fault, *about]
    readers = [table is not None, _duckdb(path), _polars(path)]
    if all(readers):
        assert not [one for one in said if _DAMAGE.search(one)], said
        assert not fault or "weigh does not read" in fault
    if sum(readers) > 1:
        # What two others read, weigh reads as well: today there is nothing to be left out.
        assert not fault
    if table is not None and name not in _OTHERWISE and not fault:
        assert described.files[name]["digest"] == digest_arrow(table)
        assert described.files[name]["rows"] == table.num_rows


def _instants(values: list[int]) -> str:
    """The digest of a column of instants, each in a unit that holds it, nanoseconds since 1970."""
    return merge_digests(
        [
            digest_arrow(pa.table({"at": pa.array([one // 1000 if one % 1000 == 0 else one],
                                                  pa.timestamp("us" if one % 1000 == 0 else "ns"))}))
            for one in values
        ]
    )  # fmt: skip


_OTHERWISE = {"durations", "interval", *parquet_corpus.INT96, "int96 in a list"}
"""PyArrow takes durations from what their writer noted for itself, intervals for bytes, and INT96 modulo 2^64."""


@pytest.mark.parametrize("name", parquet_corpus.INT96)
def test_int96_in_its_whole_range(name: str, described: Described) -> None:
    assert described.files[name]["digest"] == _instants(parquet_corpus.INT96[name])


def test_int96_in_a_list(described: Described) -> None:
    at = parquet_corpus
    microseconds = pa.array([[at.END // 1000], None], pa.list_(pa.timestamp("us")))
    first = pa.array([[at.NOON_2024 + 1, at.NOON_2024 + 1]], pa.list_(pa.timestamp("ns")))
    assert described.files["int96 in a list"]["rows"] == 3
    whole = described.files["int96 in a list"]["digest"]
    assert whole.startswith("x3s2:3:")
    for part in (microseconds, first):
        assert whole != digest_arrow(pa.table({"at": part}))


def test_months_of_an_interval_count(tmp_path: Path) -> None:
    digests = []
    for months in (1, 2):
        path = tmp_path / f"{months}.parquet"
        with duckdb.connect() as base:
            base.execute(f"COPY (SELECT to_months({months}) + to_days(3) AS x) TO '{path}' (FORMAT parquet)")
        digests.append(weigh(["data", "digest", str(path)], tmp_path).out.strip())
        span = pa.array([pa.MonthDayNano((months, 3, 0))], pa.month_day_nano_interval())
        assert digests[-1] == digest_arrow(pa.table({"x": span}))
    assert digests[0] != digests[1]


def test_int96_that_fits_no_unit_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet_corpus._int96([parquet_corpus.END + 1])(path)
    shown = weigh(["data", "describe", str(path)], tmp_path)
    assert shown.code == 2
    assert "weigh does not read column at: an INT96 of" in shown.err
    assert not _DAMAGE.search(shown.err)


def test_rows_of_a_difference_are_shown_in_their_own_year(tmp_path: Path) -> None:
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    parquet_corpus._int96([parquet_corpus.END])(one)
    parquet_corpus._int96([parquet_corpus.FIRST])(other)
    shown = weigh(["data", "diff", str(one), str(other), "--rows"], tmp_path)
    assert shown.code == 1
    assert "9999-12-31 03:00:00" in shown.out
    assert "0001-01-01 00:00:00" in shown.out


def test_what_is_encrypted_is_not_called_damaged(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain.parquet", tmp_path / "t.parquet"
    CORPUS["one row"](plain)
    path.write_bytes(plain.read_bytes()[:-4] + b"PARE")
    for command in (["data", "describe"], ["data", "digest"], ["data", "check"]):
        shown = weigh([*command, str(path)], tmp_path)
        assert shown.code == 2
        assert "weigh does not read it: it is encrypted" in shown.err
        assert not _DAMAGE.search(shown.err), shown.err


def _flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]


def test_what_is_damaged_is_called_so(tmp_path: Path) -> None:
    """The other side: a flipped bit behind a checksum, a file cut short, pages that do not decompress."""
    whole = tmp_path / "whole.parquet"
    pq.write_table(parquet_corpus.numbers(), whole, write_page_checksum=True, compression="zstd")
    content = whole.read_bytes()
    flipped, cut, broken = (tmp_path / f"{name}.parquet" for name in ("flipped", "cut", "broken"))
    flipped.write_bytes(_flipped(content, 200))
    cut.write_bytes(content[: len(content) // 2])
    pq.write_table(parquet_corpus.numbers(), broken, compression="zstd")
    unsound = broken.read_bytes()
    broken.write_bytes(unsound[:4] + b"\xff" * 40 + unsound[44:])
    for path in (flipped, cut, broken):
        shown = weigh(["data", "describe", str(path)], tmp_path)
        assert shown.code == 2
        assert _DAMAGE.search(shown.err), shown.err
        assert "weigh does not read" not in shown.err


def test_one_bad_file_ends_itself(tmp_path: Path) -> None:
    good, other, bad = (tmp_path / f"{name}.parquet" for name in ("a", "c", "b"))
    CORPUS["one row"](good)
    CORPUS["writer polars"](other)
    bad.write_bytes(b"PAR1 and nothing else")
    shown = weigh(["data", "describe", str(good), str(bad), str(other)], tmp_path)
    assert shown.code == 2
    assert "1 rows" in shown.out
    assert "300 rows" in shown.out
    assert "b.parquet: not a readable Parquet file" in shown.err
    found = json.loads(weigh(["data", "describe", "--json", str(tmp_path), "none.parquet"], tmp_path).out)
    assert [one["path"].rpartition("/")[2] for one in found["files"]] == [good.name, other.name]
    assert len(found["unread"]) == 2


def test_a_file_of_another_form_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,name\n1,a\n")
    shown = weigh(["data", "describe", str(path)], tmp_path)
    assert shown.code == 2
    assert "it is no Parquet file" in shown.err
    assert "weigh data register" in shown.err
    assert not _DAMAGE.search(shown.err), shown.err
