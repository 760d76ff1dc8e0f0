"""``weigh data diff``: what differs in how two tables are written, and what comparing them would compare."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from weigh.data.layout.difference import compare
from weigh.data.layout.physical import table_form

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

ROWS = 4_000


def table() -> pa.Table:
    chance = random.Random(3)
    return pa.table(
        {
            "id": [chance.getrandbits(60) for _ in range(ROWS)],
            "day": sorted(chance.randrange(1000) for _ in range(ROWS)),
            "name": [f"name {chance.randrange(50)}" for _ in range(ROWS)],
        }
    )


def write(path: Path, rows: pa.Table | None = None, **options: Any) -> Path:
    form: dict[str, Any] = {"compression": "zstd", "store_schema": False}
    pq.write_table(table() if rows is None else rows, path, **(form | options))
    return path


@pytest.fixture
def left(weigh: Weigh) -> Path:
    return write(weigh.folder / "left.parquet")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"compression": "snappy"}, {"codec"}),
        ({"compression_level": 9}, {"codec level"}),
        ({"row_group_size": 1000}, {"row groups", "pages"}),
        ({"data_page_size": 1024, "write_batch_size": 64}, {"pages"}),
        ({"data_page_version": "2.0"}, {"page headers"}),
        ({"write_statistics": False}, {"statistics"}),
        ({"write_page_index": True}, {"page index"}),
        ({"write_page_checksum": True}, {"page checksums"}),
        ({"bloom_filter_options": {"id": {"ndv": ROWS}}}, {"Bloom filter"}),
        ({"use_dictionary": ["name"]}, {"dictionary", "encodings"}),
        ({"version": "1.0"}, {"Parquet version", "encodings"}),
        ({"store_schema": True}, {"other things in the footer"}),
        ({"sorting_columns": [pq.SortingColumn(1)]}, {"order that the files declare"}),
    ],
)
def test_every_physical_difference_is_named(tmp_path: Path, options: dict[str, Any], what: set[str]) -> None:
    one, other = write(tmp_path / "left.parquet"), write(tmp_path / "right.parquet", **options)
    written = compare(table_form([one]), table_form([other]))
    found = {difference.what for difference in written.differences}
    # A page may be cut elsewhere for another reason's sake.
    assert what <= found <= what | {"pages"}
    assert written.kind == ("one thing" if len(found) == 1 else "several things")
    assert compare(written.left, written.left).kind == "alike"


def test_the_order_of_rows_is_a_difference_and_no_other_row(weigh: Weigh, left: Path) -> None:
    shuffled = list(range(ROWS))
    random.Random(1).shuffle(shuffled)
    write(weigh.folder / "right.parquet", table().take(shuffled))
    run = weigh("data", "diff", str(left), "right.parquet", "--json")
    assert (run.code, run.json["same"]) == (0, True)
    order = [one for one in run.json["tables"][0]["written"]["differences"] if one["what"] == "rows sorted by"]
    assert [(one["left"], one["right"]) for one in order] == [("day", "nothing")]


def test_the_same_codec_by_another_writer_is_a_comparison_of_writers(weigh: Weigh, left: Path) -> None:
    import polars

    polars.from_arrow(table()).write_parquet(weigh.folder / "right.parquet")
    run = weigh("data", "diff", str(left), "right.parquet")
    assert run.code == 0
    assert "a comparison of writers: the codec is the same (zstd)" in run.out
    assert "PyArrow 26.0.1 and Polars 2.1.0" in run.out
    polars.from_arrow(table()).write_parquet(weigh.folder / "right.parquet", compression="snappy")
    run = weigh("data", "diff", str(left), "right.parquet")
    assert "a comparison of writers" not in run.out
    assert "of the codec, of the writer or of both" in run.out


def test_what_is_written_alike_is_called_so(weigh: Weigh, left: Path) -> None:
    shutil.copy(left, weigh.folder / "right.parquet")
    run = weigh("data", "diff", str(left), "right.parquet", "--physical")
    assert run.code == 0
    assert "written alike" in run.out
    assert "the same rows" not in run.out
    assert weigh("data", "diff", str(left), "right.parquet", "--rows").out == "the same rows\n"


def test_physical_alone_has_its_own_exit_code(weigh: Weigh, left: Path) -> None:
    write(weigh.folder / "right.parquet", compression="gzip")
    assert weigh("data", "diff", str(left), "right.parquet", "--physical").code == 1
    assert weigh("data", "diff", str(left), "right.parquet").code == 0


def test_folders_patterns_and_tables(weigh: Weigh, left: Path) -> None:
    for side in ("a", "b"):
        (weigh.folder / side).mkdir()
        for number in range(2):
            write(weigh.folder / side / f"t-{number}.parquet", table().slice(number * 2000, 2000))
        write(weigh.folder / side / "u.parquet", pa.table({"x": [1, 2]}))
    both = weigh("data", "diff", "a", "b", "--json")
    assert (both.code, both.json["same"], both.json["alike"]) == (0, True, True)
    assert [pair["table"] for pair in both.json["tables"]] == ["t", "u"]
    one = weigh("data", "diff", str(left), "a", "--json").json["tables"]
    assert [(pair["table"], pair["written"]["right"]["files"]) for pair in one] == [("t", 2)]
    parts = weigh("data", "diff", str(left), "b/t-*.parquet", "--json").json["tables"]
    assert parts[0]["rows"]["only_left"] == 0
    (weigh.folder / "b" / "u.parquet").unlink()
    write(weigh.folder / "b" / "v.parquet", pa.table({"z": [1, 2]}))
    run = weigh("data", "diff", "a", "b")
    assert (run.code, run.out) == (2, "")
    assert "only a has a table u" in run.err


def test_other_columns_are_no_pair(weigh: Weigh, left: Path) -> None:
    write(weigh.folder / "right.parquet", table().rename_columns(["id", "day", "user"]))
    run = weigh("data", "diff", str(left), "right.parquet")
    assert (run.code, run.out) == (2, "")
    assert "has the column name" in run.err
    assert "compare files of the same table" in run.err


class _Kms(pe.KmsClient):
    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> str:
        return key_bytes.hex()

    def unwrap_key(self, wrapped_key: str, master_key_identifier: str) -> bytes:
        return bytes.fromhex(wrapped_key)


@pytest.mark.parametrize("plaintext_footer", [True, False])
def test_an_encrypted_file_is_named(weigh: Weigh, left: Path, plaintext_footer: bool) -> None:
    keys = pe.EncryptionConfiguration(
        footer_key="f", column_keys={"c": ["id"]}, plaintext_footer=plaintext_footer, double_wrapping=False
    )
    properties = pe.CryptoFactory(lambda _: _Kms()).file_encryption_properties(pe.KmsConnectionConfig(), keys)
    path = weigh.folder / "secret.parquet"
    with pq.ParquetWriter(path, table().schema, encryption_properties=properties) as file:
        file.write_table(table())
    for words in ((), ("--physical",), ("--rows",)):
        run = weigh("data", "diff", str(left), "secret.parquet", *words)
        assert (run.code, run.out) == (2, ""), words
        assert run.err.startswith("error: secret.parquet: ")
        assert "weigh does not read it" in run.err


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"id": pa.array([], pa.int32()), "v": pa.array([], pa.list_(pa.int32()))}),
        pa.table({"v": pa.array([1.5, float("nan"), None, -0.0], pa.float16())}),
    ],
    ids=["no rows", "halves"],
)
def test_what_is_whole_is_not_called_damaged(weigh: Weigh, rows: pa.Table) -> None:
    """A row group without rows has a dictionary alone; Arrow compares no halves."""
    path = write(weigh.folder / "whole.parquet", rows)
    run = weigh("data", "diff", path.name, path.name)
    assert (run.code, run.out.splitlines()[0]) == (0, "the same rows")


def test_two_fields_of_one_name_are_named_and_not_called_damage(weigh: Weigh) -> None:
    twins = pa.StructArray.from_arrays([pa.array([1]), pa.array(["a"])], names=["x", "x"])
    path = write(weigh.folder / "twins.parquet", pa.table({"v": twins}))
    run = weigh("data", "diff", path.name, path.name)
    assert (run.code, "two of its columns have one name" in run.err, "damaged" in run.err) == (2, True, False)
    assert weigh("data", "diff", "--rows", path.name, path.name).code == 0
