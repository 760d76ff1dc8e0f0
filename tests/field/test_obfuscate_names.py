"""Obfuscation keeps no name: words planted wherever a file has room for them are in no output."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from golden.in_process import weigh

if TYPE_CHECKING:
    from pathlib import Path

WORDS = {
    "name": "zebrafield", "inner": "quokkainner", "deep": "walrusdeep", "element": "lemurelement", "key": "okapikey",
    "value": "narwhalvalue", "category": "tapircategory", "unused": "ibexunused", "metadata": "dingometa",
    "comment": "ospreycomment", "file": "marmotfile", "folder": "pangolinfolder", "binary": "caracalbinary",
    "json": "axolotljson", "zone": "kakapofixed",
}  # fmt: skip
"""By the place that each is planted at."""


def planted(rows: int = 40) -> pa.Table:
    word = WORDS
    struct = pa.struct(
        [
            pa.field(word["inner"], pa.int16(), metadata={"description": word["comment"]}),
            (word["value"], pa.string()),
            (
                word["deep"],
                pa.list_(pa.field(word["element"], pa.struct([(f"{word['deep']}two", pa.decimal128(9, 2))]))),
            ),
        ]
    )
    deep = [{f"{word['deep']}two": Decimal("1.25")}]
    kinds = pa.DictionaryArray.from_arrays([0] * rows, [word["category"], word["unused"]])
    columns = {
        f"{word['name']}_id": pa.array(range(rows)),
        f"{word['name']}_struct": pa.array(
            [{word["inner"]: n, word["value"]: word["value"], word["deep"]: deep} for n in range(rows)], struct
        ),
        f"{word['name']}_map": pa.array([[(word["key"], {word["inner"]: n})] for n in range(rows)],
                                        pa.map_(pa.string(), pa.struct([(word["inner"], pa.int32())]))),
        f"{word['name']}_kind": kinds,
        f"{word['name']}_bytes": pa.array([word["binary"].encode()] * rows),
        f"{word['name']}_fixed": pa.array([word["zone"].encode()] * rows, pa.binary(len(word["zone"]))),
        f"{word['name']}_json": pa.array([json.dumps({word["json"]: word["value"]})] * rows, pa.json_()),
        f"{word['name']}_list": pa.array([[word["value"], None]] * rows, pa.list_(pa.string(), 2)),
        f"pg_{word['name']}": pa.array([word["value"]] * rows),
    }  # fmt: skip
    noted = {word["metadata"]: word["metadata"], "pandas": json.dumps({"columns": [word["comment"]]}),
             "geo": json.dumps({"primary_column": word["comment"]})}  # fmt: skip
    return pa.table(columns).replace_schema_metadata(noted)


def source(folder: Path) -> Path:
    place = folder / WORDS["folder"]
    place.mkdir()
    for number in (1, 2):
        # Types of one table that become wider, each at another row.
        pq.write_table(planted(40 * number), place / f"{WORDS['file']}-{number}.parquet", write_page_index=True)
    pq.write_table(planted().select([0, 1]), place / f"{WORDS['file']}_other.parquet", compression="none")
    return place


def _found(content: bytes) -> list[str]:
    lowered = content.lower()
    return [word for word in WORDS.values() if word.encode() in lowered]


@pytest.mark.parametrize("flags", [[], ["--json"], ["--ids", "*_id"]], ids=["terminal", "json", "ids"])
@pytest.mark.promise("No name of the data, and no word of it, is in an obfuscated copy or in what is printed about it")
def test_no_planted_word_is_in_any_output(flags: list[str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shown = weigh(["data", "obfuscate", str(source(tmp_path)), "--out", str(copy), "--quiet", *flags], tmp_path)
    assert shown.code == 0, shown.err
    assert not _found((shown.out + shown.err).encode())
    files = [path for path in copy.rglob("*") if path.is_file()]
    assert len(files) == 4
    for path in files:
        assert not _found(str(path.relative_to(tmp_path)).encode())
        assert not _found(path.read_bytes()), path.name
        if path.suffix == ".parquet":
            # The same without compression and dictionaries, and every value.
            table = pq.read_table(path)
            plain = tmp_path / "plain.parquet"
            pq.write_table(table, plain, compression="none", use_dictionary=False)
            assert not _found(plain.read_bytes()), path.name
            assert not _found(str(table.to_pylist()).encode())
            assert table.num_rows in (40, 80)


def test_a_copy_keeps_the_shape(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    weigh(["data", "obfuscate", str(source(tmp_path)), "--out", str(copy), "--quiet"], tmp_path)
    first = planted(80)
    (made,) = (table for path in copy.glob("*.parquet") if (table := pq.read_table(path)).num_rows == 80)
    entries = made.column(2).to_pylist()
    assert len({entry[0][0] for entry in entries}) == 1
    assert [entry[0][1] is None for entry in entries] == [False] * 80
    assert [len(one) for one in made.column(7).to_pylist()] == [2] * 80
    assert made.num_columns == first.num_columns


@pytest.mark.parametrize("flags", [["--ids", "*_nothing"], []], ids=["pattern", "twins"])
def test_messages_have_no_name_either(flags: list[str], tmp_path: Path) -> None:
    place = source(tmp_path)
    if not flags:
        twins = pa.table([pa.array([1]), pa.array([2])], names=[WORDS["name"], WORDS["name"].upper()])
        pq.write_table(twins, place / "twins.parquet")
    given = tmp_path / "given"
    place.rename(given)
    shown = weigh(["data", "obfuscate", str(given), "--out", str(tmp_path / "copy"), "--quiet", *flags], tmp_path)
    assert shown.code == 2
    assert not _found((shown.out + shown.err).encode()), shown.err
