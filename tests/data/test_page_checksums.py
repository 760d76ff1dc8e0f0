"""Page checksums: ``weigh data check`` over files with and without them, damaged in every page."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import DigestError, check_pages, column_pages

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

_ROWS = 3000
_FORMS: dict[str, dict[str, Any]] = {
    "plain": {"compression": "none", "use_dictionary": False},
    "dictionaries": {"compression": "zstd", "row_group_size": 700},
    "version-2": {"compression": "snappy", "data_page_version": "2.0", "data_page_size": 500},
    "small-pages": {"compression": "gzip", "data_page_size": 100, "write_batch_size": 50},
    "index": {"compression": "lz4", "write_page_index": True, "row_group_size": 1000},
}


def table() -> pa.Table:
    """Plain, repeating, missing and nested values."""
    drawn = random.Random(7)
    return pa.table(
        {
            "id": pa.array(range(_ROWS), pa.int64()),
            "name": [drawn.choice(["ann", "bob", None, "x" * 40]) for _ in range(_ROWS)],
            "price": [drawn.random() for _ in range(_ROWS)],
            "tags": [[n, n + 1] if n % 3 else None for n in range(_ROWS)],
        }
    )


def written(path: Path, form: str, **more: Any) -> Path:
    pq.write_table(table(), path, **{"write_page_checksum": True, **_FORMS[form], **more})
    return path


def columns(path: Path) -> list[tuple[int, str]]:
    metadata = pq.ParquetFile(path).metadata
    return [
        (group, metadata.row_group(group).column(column).path_in_schema)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]


@pytest.mark.parametrize("form", _FORMS)
def test_every_page_is_compared(tmp_path: Path, form: str) -> None:
    path = written(tmp_path / "x.parquet", form)
    pages = [page for group, column in columns(path) for page in column_pages(path, group, column)]
    found = check_pages(path)
    assert found["bad"] == []
    assert found["pages"] == found["with_checksum"] == len(pages) >= 4
    assert found["bytes"] == sum(page.compressed for page in pages)
    assert check_pages(path, threads=1) == check_pages(path, threads=9) == found


@pytest.mark.parametrize("form", _FORMS)
def test_a_flipped_bit_is_found_where_it_is(tmp_path: Path, form: str) -> None:
    path = written(tmp_path / "x.parquet", form)
    whole = path.read_bytes()
    drawn = random.Random(form)
    for group, column in drawn.sample(columns(path), 4):
        pages = column_pages(path, group, column)
        number = drawn.randrange(len(pages))
        page = pages[number]
        if not page.compressed:
            continue
        at = page.contents + drawn.randrange(page.compressed)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << drawn.randrange(8)]) + whole[at + 1 :])
        (bad,) = check_pages(path)["bad"]
        assert (bad["row_group"], bad["column"], bad["page"], bad["header"]) == (group, column, number, page.header)
        assert (bad["stored"], bad["reason"]) == (page.checksum, None)
        assert bad["found"] != bad["stored"]
        path.write_bytes(whole)


def test_the_checksum_is_that_of_everybody(tmp_path: Path) -> None:
    """CRC-32 as zlib computes it, over the contents without the header."""
    import zlib

    path = written(tmp_path / "x.parquet", "version-2")
    content = path.read_bytes()
    for page in column_pages(path, 0, "price"):
        assert zlib.crc32(content[page.contents : page.contents + page.compressed]) == page.checksum


def test_the_command_says_which_page(weigh: Weigh) -> None:
    good, bad = (written(weigh.folder / name, "dictionaries") for name in ("good.parquet", "bad.parquet"))
    run = weigh("data", "check", str(good))
    assert run.code == 0
    assert run.out.count("all fit their checksums") == 1
    page = column_pages(bad, 2, "price")[1]
    content = bytearray(bad.read_bytes())
    content[page.contents + 40] ^= 0x10
    bad.write_bytes(content)
    run = weigh("data", "check", "good.parquet", "bad.parquet")
    assert run.code == 1
    assert "D4.page bad.parquet: page 1 of column price in row group 2, at byte " in run.out
    document = weigh("data", "check", "good.parquet", "bad.parquet", "--json")
    assert document.code == 1
    assert [one["bad"] for one in document.json["files"]] == [0, 1]
    assert document.codes == {"D4.page"}


@pytest.mark.parametrize("dictionary", [True, False])
def test_a_row_group_without_rows_is_not_damaged(tmp_path: Path, dictionary: bool) -> None:
    """PyArrow writes a row group with a dictionary, and with data pages at byte 0: there are none."""
    path = tmp_path / "none.parquet"
    pq.write_table(pa.table({"a": pa.array([], pa.int32())}), path, use_dictionary=dictionary)
    assert check_pages(path)["bad"] == []


def test_a_file_without_checksums_is_said_to_have_none(weigh: Weigh) -> None:
    written(weigh.folder / "x.parquet", "plain", write_page_checksum=False)
    run = weigh("data", "check", ".")
    assert run.code == 0
    assert "no page checksums" in run.out
    (file,) = weigh("data", "check", ".", "--json").json["files"]
    assert (file["with_checksum"], file["bad"]) == (0, 0)
    assert file["pages"] >= 4


def test_what_is_no_file_of_pages_is_refused(weigh: Weigh) -> None:
    path = written(weigh.folder / "x.parquet", "plain")
    content = path.read_bytes()
    (weigh.folder / "empty.parquet").write_bytes(b"")
    (weigh.folder / "cut.parquet").write_bytes(content[:-5])
    (weigh.folder / "text.parquet").write_text("a,b\n1,2\n" * 100)
    (weigh.folder / "locked.parquet").write_bytes(content[:-4] + b"PARE")
    (weigh.folder / "folder").mkdir()
    os.mkfifo(weigh.folder / "pipe.parquet")
    for name in ("empty", "cut", "text", "locked", "pipe", "gone"):
        run = weigh("data", "check", f"{name}.parquet")
        assert (run.code, run.out) == (2, ""), name
        assert f"{name}.parquet" in run.err
    assert "no Parquet file" in weigh("data", "check", "folder").err


def test_encrypted_columns_are_said_to_be_encrypted(tmp_path: Path) -> None:
    """Their footer may be readable, and their page headers are not: that is no damage."""
    from pyarrow.parquet import encryption

    class Keys(encryption.KmsClient):
        def wrap_key(self, key_bytes: bytes, _: str) -> bytes:
            return key_bytes.hex().encode()

        def unwrap_key(self, wrapped_key: bytes, _: str) -> bytes:
            return bytes.fromhex(wrapped_key.decode())

    factory = encryption.CryptoFactory(lambda _: Keys())
    settings = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"c": ["id", "price"]}, plaintext_footer=True
    )
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
    path = tmp_path / "x.parquet"
    with pq.ParquetWriter(path, table().schema, encryption_properties=properties) as writer:
        writer.write_table(table())
    with pytest.raises(DigestError, match="encrypted"):
        check_pages(path)
