"""Files that are not well end in `DigestError`, never in a crash; what files say of themselves; hashes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest

from support.random_tables import one, realistic, write
from weigh._native import (
    DigestError,
    diff_parquet,
    digest_arrow,
    digest_parquet,
    hash_bytes,
    hash_file,
    merge_digests,
    parquet_facts,
)

if TYPE_CHECKING:
    from pathlib import Path


# Files that are not well


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "t.parquet"
    options = {
        "compression": "snappy",
        "row_group_size": 700,
        "write_page_checksum": True,
        "data_page_size": 4096,
    }
    write(realistic(2000), path, **options)
    return path.read_bytes()


def every_function(path: Path) -> None:
    """Calls what reads Parquet; only `DigestError` may come of it."""
    for call in (
        lambda: digest_parquet([str(path)], threads=2),
        lambda: parquet_facts(str(path)),
        lambda: diff_parquet([str(path)], [str(path)]),
    ):
        try:
            call()
        except DigestError as error:
            assert str(path) in str(error)


def test_truncated_files(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "cut.parquet"
    for length in [0, 1, 3, 4, 8, 11, 12, len(sound) // 2, *range(len(sound) - 40, len(sound))]:
        path.write_bytes(sound[:length])
        with pytest.raises(DigestError, match=r"cut\.parquet"):
            digest_parquet([str(path)])
        every_function(path)


def test_a_flipped_bit_in_a_page_is_seen(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "flipped.parquet"
    footer = int.from_bytes(sound[-8:-4], "little")
    expected = digest_parquet([str(_written(path, sound))])
    rng = random.Random(2)
    silent = 0
    for _ in range(60):
        position = rng.randrange(4, len(sound) - footer - 8)
        damaged = bytearray(sound)
        damaged[position] ^= 1 << rng.randrange(8)
        try:
            # A page header has no checksum: a flip in a statistic there changes nothing, and is all that may.
            silent += digest_parquet([str(_written(path, damaged))]) == expected
        except DigestError as error:
            assert "flipped.parquet" in str(error)
    assert silent < 20


def test_any_flipped_byte_is_survived(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "fuzz.parquet"
    rng = random.Random(3)
    footer = int.from_bytes(sound[-8:-4], "little")
    for n in range(300):
        damaged = bytearray(sound)
        low = len(sound) - footer - 8 if n % 2 else 4
        for _ in range(rng.choice([1, 1, 4])):
            damaged[rng.randrange(low, len(sound))] = rng.randrange(256)
        every_function(_written(path, damaged))


def _written(path: Path, data: bytes | bytearray) -> Path:
    path.write_bytes(data)
    return path


def test_what_is_not_there_or_not_parquet(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("not parquet at all, but long enough")
    for path in (tmp_path / "missing.parquet", tmp_path / "text.parquet", tmp_path):
        with pytest.raises(DigestError, match=path.name):
            digest_parquet([str(path)])
        every_function(path)
    with pytest.raises(DigestError, match="missing"):
        hash_file(str(tmp_path / "missing"))


def test_types_without_encoding_are_named() -> None:
    union = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    with pytest.raises(DigestError, match="column 0"):
        one(union)


def test_streams_that_are_none() -> None:
    with pytest.raises(AttributeError):
        digest_arrow([1, 2])  # type: ignore[arg-type]
    with pytest.raises(DigestError):
        digest_arrow(pa.chunked_array([[1]]))
    reader = realistic(10).to_reader()
    digest_arrow(reader)
    assert digest_arrow(realistic(10)[:0]) == merge_digests([])


def test_a_failing_producer_is_reported() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("the engine died")

    with pytest.raises(DigestError, match="the engine died"):
        digest_arrow(pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches()))


@pytest.mark.parametrize("text", ["", "x3s2:1:2", "x3s1:0:" + "0" * 32, "x3s2:-1:" + "0" * 32])
def test_what_is_not_a_digest(text: str) -> None:
    with pytest.raises(DigestError):
        merge_digests([text])


# Facts and hashes


def test_facts(tmp_path: Path) -> None:
    table = realistic(2000)
    plain = parquet_facts(write(table, tmp_path / "plain.parquet", row_group_size=1500))
    assert plain["rows"] == 2000
    assert plain["row_groups"] == {"count": 2, "min_rows": 500, "max_rows": 1500}
    assert plain["created_by"] is not None
    assert plain["created_by"].startswith("parquet-cpp-arrow")
    assert not plain["page_checksums"]
    assert not plain["page_index"]
    assert list(plain["columns"]) == table.column_names
    price = plain["columns"]["price"]
    assert (price["physical_type"], price["logical_type"]) == ("FIXED_LEN_BYTE_ARRAY", "DECIMAL(6,2)")
    assert price["codec"] == "SNAPPY"
    assert price["encodings"] == sorted(price["encodings"])
    assert "RLE_DICTIONARY" in price["encodings"]
    assert price["statistics"]
    assert price["compressed_bytes"] > 0
    assert price["uncompressed_bytes"] > 0
    assert price["bloom_filter_bytes"] == 0

    options = {"write_page_checksum": True, "write_page_index": True, "write_statistics": ["key"]}
    rich = parquet_facts(write(table, tmp_path / "rich.parquet", use_dictionary=False, compression="zstd", **options))
    assert rich["page_checksums"]
    assert rich["columns"]["key"]["codec"] == "ZSTD"
    assert rich["columns"]["key"]["statistics"]
    assert not rich["columns"]["score"]["statistics"]
    assert rich["columns"]["key"]["offset_index"]
    assert "RLE_DICTIONARY" not in rich["columns"]["key"]["encodings"]


def test_facts_of_bloom_filters(tmp_path: Path) -> None:
    file = str(tmp_path / "duck.parquet")
    duckdb.sql(f"copy (select i % 100 as k from range(5000) t(i)) to '{file}' (format parquet)")
    facts = parquet_facts(file)
    assert facts["columns"]["k"]["bloom_filter_bytes"] > 0


def test_hashes(tmp_path: Path) -> None:
    data = random.Random(4).randbytes(200_000)
    assert hash_file(str(_written(tmp_path / "data", data))) == hash_bytes(data)
    assert hash_bytes(b"") == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
