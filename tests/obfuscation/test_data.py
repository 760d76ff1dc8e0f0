"""``weigh data obfuscate``: netflow, and what else files may hold."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.leaks import leaked, strings
from weigh.obfuscation.key import Key
from weigh.obfuscation.mapping import Mapping

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

KEY = bytes(range(32))
MAPPING = Mapping(Key(KEY))


def key_file(folder: Path) -> Path:
    path = folder / "key"
    path.write_text(KEY.hex())
    path.chmod(0o600)
    return path


@pytest.mark.long
@pytest.mark.promise(
    "No text of five characters or more that is in the data is in the copy, in the figures or in what is printed"
)
def test_netflow(weigh: Weigh, tmp_path: Path) -> None:
    source = weigh("data", "make", "netflow", "--scale", "20K", "--quiet").out.splitlines()[0]
    out = tmp_path / "copy"
    done = weigh("data", "obfuscate", source, "--out", str(out), "--key-file", str(key_file(tmp_path)), "--quiet")
    assert done.code == 0, done.err
    (was,) = [pq.read_table(path) for path in weigh_files(source)]
    made = pq.read_table(out / f"{MAPPING.name('events')}.parquet")
    found = json.loads((out / "obfuscation.json").read_text())
    (table,) = found["tables"]
    assert (
        [one["name"] for one in table["columns"]]
        == made.schema.names
        == [MAPPING.name(one) for one in was.schema.names]
    )
    for one in table["columns"]:
        for same in ("nulls", "distinct", "top", "type"):
            assert one[same][0] == one[same][1], one
        assert one["length"] is None or one["length"][0] == one["length"][1]
    order = dict(zip(was.schema.names, (one["order"] for one in table["columns"]), strict=True))
    assert {name for name, kept in order.items() if kept == 1} == {
        "ts", "src_port", "dst_port", "bytes", "packets", "duration", "score",
    }  # fmt: skip
    # What a literal of a statement becomes is what the data became.
    users = was["user_name"]
    assert made[MAPPING.name("user_name")].to_pylist() == [
        None if user is None else MAPPING.text(user) for user in users.to_pylist()
    ]
    assert made[MAPPING.name("bytes")][0].as_py() == int(MAPPING.numbers.one(str(was["bytes"][0].as_py())))
    inside = [*strings(was), *was.schema.names, "events"]
    outside = [*strings(made), *made.schema.names, (out / "obfuscation.json").read_text(), done.out, done.err]
    assert not leaked(inside, outside)
    assert KEY.hex() not in "".join(outside)
    assert MAPPING.key.id in done.out
    for said in ("kept       NULL shares", "kept       order of 7 columns", "destroyed  order of 6 columns"):
        assert said in done.out


def weigh_files(folder: str) -> list[Path]:
    from weigh.data import sides

    return [path for paths in sides.tables(folder).values() for path in paths]


def test_types_and_several_tables(weigh: Weigh, tmp_path: Path) -> None:
    source = tmp_path / "data"
    source.mkdir()
    table = pa.table(
        {
            "Id": pa.array([1, 40_000, None], pa.uint16()),
            "big": pa.array([2**63, 5, 2**64 - 1], pa.uint64()),
            "low": pa.array([-(2**63), 2**62, 0], pa.int64()),
            "amount": pa.array([Decimal("99.99"), None, Decimal("-0.01")], pa.decimal128(4, 2)),
            "flag": pa.array([True, None, False]),
            "day": pa.array([datetime.date(1994, 1, 1), None, datetime.date(9999, 12, 31)]),
            "blob": pa.array([b"secret-bytes", b"", None]),
            "tags": pa.array([["alpha-tag", None], None, []], pa.list_(pa.string())),
            "pair": pa.array([{"inner": "alpha-tag", "n": 7}, None, {"inner": None, "n": 1}]),
            "nothing": pa.nulls(3),
            "kind": pa.array(["alpha-tag", "", "alpha-tag"]).dictionary_encode(),
        }
    )
    pq.write_table(table, source / "shop-1.parquet")
    pq.write_table(table.slice(1), source / "shop-2.parquet")
    pq.write_table(pa.table({"id": [40_000], "word": ["alpha"]}), source / "other.parquet")
    out = tmp_path / "copy"
    done = weigh("data", "obfuscate", str(source), "--out", str(out), "--key-file", str(key_file(tmp_path)), "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["schema"] == "weigh/obfuscation/1"
    shop = MAPPING.name("shop")
    made = pq.read_table(out / f"{shop}-0000.parquet").rename_columns(table.schema.names)
    one = MAPPING.numbers.one
    assert made["Id"].to_pylist() == [int(one("1")), int(one("40000")), None]
    assert made["big"].to_pylist() == [Decimal(one(str(2**63))), Decimal(one("5")), Decimal(one(str(2**64 - 1)))]
    assert made["low"].to_pylist() == [-(2**63), int(one(str(2**62))), 0]
    assert made["amount"].to_pylist() == [Decimal(one("99.99")), None, Decimal(one("-0.01"))]
    assert made["flag"].to_pylist() == table["flag"].to_pylist()
    assert made["day"].to_pylist() == [
        datetime.date.fromisoformat(MAPPING.text("1994-01-01")),
        None,
        datetime.date(9999, 12, 31),
    ]
    assert made["tags"].to_pylist() == [[MAPPING.text("alpha-tag"), None], None, []]
    inner = {MAPPING.name("inner"): MAPPING.text("alpha-tag"), MAPPING.name("n"): int(one("7"))}
    assert made["pair"].to_pylist()[:2] == [inner, None]
    assert made["kind"].to_pylist() == [MAPPING.text("alpha-tag"), "", MAPPING.text("alpha-tag")]
    assert made["blob"][0].as_py() != b"secret-bytes"
    other = pq.read_table(out / f"{MAPPING.name('other')}.parquet")
    assert other.column(0)[0].as_py() == made["Id"][1].as_py()
    assert not pq.read_schema(out / f"{shop}-0001.parquet").metadata


def test_identifiers_stay_among_themselves(weigh: Weigh, tmp_path: Path) -> None:
    source = tmp_path / "shop"
    source.mkdir()
    people = pa.table({"Person_ID": pa.array(range(1, 101), pa.int8()), "age": pa.array(range(1, 101), pa.int8())})
    visits = pa.table(
        {
            "person_id": pa.array([one * 7 % 50 + 1 for one in range(400)] + [None], pa.int64()),
            "visit_id": pa.array(range(401), pa.int32()),
            "code_id": ["alpha-tag"] * 401,
        }
    )
    pq.write_table(people, source / "people.parquet")
    pq.write_table(visits.slice(0, 200), source / "visits-1.parquet")
    pq.write_table(visits.slice(200), source / "visits-2.parquet")
    out, key = tmp_path / "copy", str(key_file(tmp_path))
    command = ("data", "obfuscate", str(source), "--key-file", key, "--quiet", "--ids")
    typo = weigh(*command, "visits_id", "--out", str(out))
    assert typo.code == 2
    assert typo.err.endswith(
        "no column of whole numbers is called so\n  give a pattern of the names of such columns, as '*_id'\n"
    )
    done = weigh(*command, "*_id", "--out", str(out))
    assert done.code == 0, done.err
    name = MAPPING.name
    person, visit = name("person_id"), name("visit_id")
    assert f"exchanged  whole numbers of {person}: each is less than 256 from what it was" in done.out
    one = pq.read_table(out / f"{name('people')}.parquet")
    two = pa.concat_tables([pq.read_table(out / f"{name('visits')}-{part:04}.parquet") for part in (0, 1)])
    assert [one.schema.field(person).type, two.schema.field(person).type] == [pa.int8(), pa.int64()]
    images = dict(zip(people["Person_ID"].to_pylist(), one[person].to_pylist(), strict=True))
    assert sorted(images.values()) == [*images]
    assert not [was for was, now in images.items() if was == now]
    assert two[person].to_pylist() == [images.get(was) for was in visits["person_id"].to_pylist()]
    assert {now for was, now in images.items() if was <= 50} == set(range(1, 51))
    assert sorted(two[visit].to_pylist()) == [*range(401)]
    assert one[name("age")].to_pylist() == [int(MAPPING.numbers.one(str(age))) for age in range(1, 101)]
    assert two[name("code_id")][0].as_py() == MAPPING.text("alpha-tag")
    found = json.loads((out / "obfuscation.json").read_text())
    # Every column has all of its ranges, and its estimates stay with any permutation.
    assert found["ids"] == {
        "columns": sorted((person, visit)),
        "limits": [0, 1, 51, 101, 401],
        "draws": [0] * 6,
        "off": 0,
    }
    assert "estimates of distinct values, once loaded, are within 0.0 % of" in done.out

    done = weigh(*command, "nothing*", "--out", str(tmp_path / "new"))
    assert (done.code, "no column of whole numbers is called so" in done.err) == (2, True)
    pq.write_table(pa.table({"low_id": [-1, 5]}), source / "low.parquet")
    done = weigh(*command, "*_id", "--out", str(tmp_path / "new"))
    assert (done.code, "--ids *_id: identifiers are whole numbers from 0" in done.err) == (2, True)
    # No message says a name of the data.
    assert "low" not in done.err


def test_what_goes_wrong_is_said(weigh: Weigh, tmp_path: Path) -> None:
    (tmp_path / "no.parquet").write_bytes(b"PAR1 not at all")
    key = str(key_file(tmp_path))
    out = tmp_path / "copy"
    done = weigh("data", "obfuscate", str(tmp_path / "no.parquet"), "--out", str(out), "--key-file", key)
    assert (done.code, out.exists()) == (2, False)
    assert "no.parquet" in done.err
    assert "Traceback" not in done.err
    out.mkdir()
    (out / "mine").touch()
    pq.write_table(pa.table({"a": [1], "A": [2]}), tmp_path / "t.parquet")
    done = weigh("data", "obfuscate", str(tmp_path / "t.parquet"), "--out", str(out), "--key-file", key)
    assert (done.code, "there is something already" in done.err) == (2, True)
    done = weigh("data", "obfuscate", str(tmp_path / "t.parquet"), "--out", str(tmp_path / "new"), "--key-file", key)
    assert (done.code, "called alike but for their case" in done.err) == (2, True)
