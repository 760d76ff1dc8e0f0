"""``weigh data probe-checksums``: which engines write page checksums, and which compare them."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from weigh._native import check_pages
from weigh.data import damage
from weigh.doctor.checksum_probe import CODECS, Probe, Reader, Reading, Writing
from weigh.doctor.checksum_report import report, verifying

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

VERIFIES = "pyarrow?page_checksum_verification=true"
ALL = ("duckdb", "chdb", "datafusion", "polars", "pyarrow", VERIFIES)


def cells(document: dict[str, Any], *, checksums: bool, writer: str = "pyarrow") -> dict[tuple[str, str, str], str]:
    return {
        (one["contender"], one["codec"], one["page"]): one["noticed"]
        for one in document["readings"]
        if one["checksums"] == checksums and one["writer"] == writer
    }


@pytest.mark.long
def test_a_flipped_bit_is_noticed_by_who_compares_checksums(weigh: Weigh) -> None:
    run = weigh("data", "probe-checksums", "--engines", f"duckdb,pyarrow,{VERIFIES}", "--quiet", "--json")
    assert run.code == 0, run.err
    assert run.json["verify"] == [VERIFIES]
    assert {(one["engine"], one["checksums"]["zstd"]) for one in run.json["writers"]} == {
        ("duckdb", False),
        ("pyarrow", False),
        ("pyarrow", True),
    }
    with_, without = (cells(run.json, checksums=checksums) for checksums in (True, False))
    assert len(with_) == len(without) == 3 * 5 * 2
    assert {word for (name, _, _), word in with_.items() if name == VERIFIES} == {"raised"}
    # gzip has a checksum of its own; the engine may or may not look at it.
    for found in (with_, without):
        assert {word for (name, codec, _), word in found.items() if name == "duckdb" and codec != "gzip"} == {"wrong"}
    assert {word for (name, codec, _), word in without.items() if name == VERIFIES and codec != "gzip"} == {"wrong"}


def test_who_writes_no_checksums_is_asked_over_files_that_have_them(weigh: Weigh) -> None:
    run = weigh("data", "probe-checksums", "--engines", "duckdb", "--quiet")
    assert run.code == 0, run.err
    assert "Files by pyarrow 26.0.1 with page checksums" in run.out
    assert "answers wrongly and says nothing: duckdb" in run.out


@pytest.mark.long
def test_every_engine(weigh: Weigh) -> None:
    document = weigh("data", "probe-checksums", "--engines", ",".join(ALL), "--quiet", "--json").json
    assert document["verify"] == ["chdb", VERIFIES]
    assert {one["engine"] for one in document["writers"] if all(one["checksums"].values())} == {"chdb", "pyarrow"}
    for writer in ("chdb", "pyarrow"):
        found = cells(document, checksums=True, writer=writer)
        for name in ("duckdb", "datafusion", "polars", "pyarrow"):
            assert {found[name, codec, "data"] for codec in ("none", "snappy", "lz4")} == {"wrong"}


def test_the_matrix_fits_a_terminal() -> None:
    readers = [
        Reader(name="duckdb", engine="duckdb", version="2.0.0", settings={}),
        Reader(name=VERIFIES, engine="pyarrow", version="26.0.1", settings={"page_checksum_verification": True}),
    ]
    readings = [
        Reading(
            contender=reader.name,
            writer="pyarrow",
            checksums=checksums,
            codec=codec,
            page=page,
            decodes=codec != "gzip",
            noticed="raised" if reader.name == VERIFIES and checksums else "wrong",
        )
        for reader in readers
        for checksums in (True, False)
        for codec in CODECS
        for page in get_args(damage.Kind)
    ]
    writing = Writing(engine="pyarrow", version="26.0.1", settings={}, checksums=dict.fromkeys(CODECS, True))
    found = Probe(writers=(writing,), readers=tuple(readers), readings=tuple(readings))
    assert verifying(found) == {VERIFIES}
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(report(found))
    shown = console.file.getvalue().splitlines()
    assert max(map(len, shown)) <= 80
    (head, *_), (row, *_) = (
        [line for line in shown if line.startswith(f"  {what}")] for what in ("a bit", "pyarrow 26.0.1 ")
    )
    assert [row[head.index(codec) :].split()[0] for codec in CODECS] == ["raised"] * 5
    assert f"compares page checksums: {VERIFIES}" in shown


@pytest.mark.parametrize(("named", "said"), [("nobody", "there is no engine 'nobody'"), (",", "names no engine")])
def test_mistakes(weigh: Weigh, named: str, said: str) -> None:
    run = weigh("data", "probe-checksums", "--engines", named)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "lz4"])
@pytest.mark.parametrize("kind", ["data", "dictionary"])
def test_a_flip_changes_values_and_one_byte(tmp_path: Path, codec: str, kind: damage.Kind) -> None:
    path = tmp_path / "x.parquet"
    drawn = np.random.default_rng(2)
    table = pa.table({"n": drawn.choice(drawn.integers(0, 1 << 40, 300), 3000)})
    pq.write_table(table, path, compression=codec, row_group_size=1000, write_page_checksum=True)
    before = path.read_bytes()
    flip = damage.flip(path, 1, "n", random.Random(1), kind)
    assert flip is not None
    assert (flip.kind, flip.row_group, flip.checksum, flip.decodes) == (kind, 1, True, True)
    after = path.read_bytes()
    assert [n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [flip.offset]
    assert (before[flip.offset] ^ after[flip.offset]).bit_count() == 1
    assert pq.read_table(path) != table
    (bad,) = check_pages(path)["bad"]
    assert (bad["row_group"], bad["page"]) == (1, flip.page)


def test_a_column_without_such_a_page_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": range(1000)}), path, use_dictionary=False)
    before = path.read_bytes()
    assert damage.flip(path, 0, "n", random.Random(1), "dictionary") is None
    assert path.read_bytes() == before
