"""A user's data that is no Parquet, folders of SQL, and parameters: from the files to the answers."""

from __future__ import annotations

import gzip
import json
import tomllib
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pyarrow.feather as feather
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Weigh

ROWS = 500
CITIES = ["Rome", "Oslo", "Lima"]
TABLE = pa.table({"id": list(range(ROWS)), "city": [CITIES[n % 3] for n in range(ROWS)]})
COUNT = "SELECT city, count(*) AS n, sum(id) AS s FROM orders GROUP BY city ORDER BY city"
CONTENDERS = ("--contender", "duckdb", "--contender", "datafusion")


def lines(newline: str = "\n") -> str:
    return newline.join(json.dumps(row) for row in TABLE.to_pylist())


def csv() -> str:
    return "id,city\n" + "".join(f"{row['id']},{row['city']}\n" for row in TABLE.to_pylist())


def stream(path: Path) -> None:
    with pa.ipc.new_stream(path, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=100)


def database(path: Path) -> None:
    with duckdb.connect(str(path)) as made:
        made.register("source", TABLE)
        made.execute("CREATE TABLE orders AS FROM source; CREATE VIEW other AS SELECT 1 AS one")


FORMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "orders.csv": (lambda path: path.write_text(csv()), "CSV"),
    "orders.tsv": (lambda path: path.write_text(csv().replace(",", "\t")), "CSV"),
    "orders.csv.gz": (lambda path: path.write_bytes(gzip.compress(csv().encode())), "CSV"),
    "orders.jsonl": (lambda path: path.write_text(lines()), "JSON"),
    "orders.json": (lambda path: path.write_text(f"[{lines(',')}]"), "JSON"),
    "orders.feather": (lambda path: feather.write_feather(TABLE, path), "Arrow"),
    "orders.arrows": (stream, "Arrow"),
    "orders.duckdb": (database, "DuckDB"),
}


# One of each reader in `make test`, and one that goes on to the answers: from there on all are Parquet.
FEW = {"orders.csv.gz", "orders.jsonl", "orders.arrows", "orders.duckdb"}


def names(few: set[str]) -> list[object]:
    """Every form; all but a few are for the long tests."""
    return [pytest.param(name, marks=() if name in few else pytest.mark.long) for name in FORMS]


def initialised(weigh: Weigh, name: str) -> str:
    """What ``weigh init`` says of data in that form, and a query over it."""
    make, _ = FORMS[name]
    make(weigh.folder / name)
    (weigh.folder / "q.sql").write_text(COUNT)
    made = weigh("init", "--data", name, "--sql", "q.sql", *CONTENDERS[:2])
    assert made.code == 0, made.err
    return made.out


@pytest.mark.long
@pytest.mark.parametrize("name", names(FEW))
def test_every_form_of_data_is_taken_and_said(weigh: Weigh, name: str) -> None:
    form = FORMS[name][1]
    said = initialised(weigh, name)
    assert f"{name}{', orders' if form == 'DuckDB' else ''} ({form}, blake3 " in said
    assert "was converted to Parquet by " in said
    described = tomllib.loads((weigh.folder / "queries/q.toml").read_text())
    assert [one["kind"] for one in described["column"]] == ["string", "integer", "integer"]


@pytest.mark.long
@pytest.mark.parametrize("name", names({"orders.duckdb"}))
def test_what_was_converted_is_answered_and_said_everywhere(weigh: Weigh, name: str) -> None:
    initialised(weigh, name)
    found = weigh("gate", "--trust", "duckdb", "--pin", "pins.json", "--json")
    assert "becomes Parquet" not in found.err, "it is converted once"
    assert found.code == 0, found.err
    (pinned,) = json.loads((weigh.folder / "pins.json").read_text())["answers"].values()
    assert "Rome" in json.dumps(pinned)
    assert "was converted to Parquet by" in " ".join(weigh("report", "latest", "--verbose").out.split())
    assert "was converted to Parquet by" in weigh("report", "latest", "--html", "-").out
    assert weigh("verify", "latest").code == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("orders.xlsx", b"PK", "'.xlsx' is no form that is taken"),
        ("orders.arrow", b"ARROW1\0\0rubbish", "cannot be read as Arrow"),
        ("orders.feather", b"", "it is empty"),
        ("orders.json", b'[{"a": 1', "cannot read it"),
        ("orders.duckdb", b"no database at all", "cannot read it"),
        ("orders.parquet.gz", b"", "is no form that is taken"),
        # Its end says that a hundred bytes were packed.
        ("orders.csv.gz", gzip.compress(csv().encode())[:-4] + b"d\0\0\0", "what is compressed in it is damaged"),
    ],
)
def test_what_cannot_be_converted_is_said(weigh: Weigh, name: str, content: bytes, said: str) -> None:
    (weigh.folder / name).write_bytes(content)
    refused = weigh("init", "--data", name, *CONTENDERS[:2])
    assert (refused.code, refused.out) == (2, "")
    assert name in refused.err
    assert said in refused.err
    assert not (weigh.folder / "weigh.toml").exists()


def test_a_table_that_the_database_does_not_have(weigh: Weigh) -> None:
    database(weigh.folder / "shop.duckdb")
    refused = weigh("init", "--data", "ordres=shop.duckdb", *CONTENDERS[:2])
    assert refused.code == 2
    assert "the database has no table 'ordres'" in refused.err
    assert "did you mean 'orders'?" in refused.err


@pytest.mark.long
def test_a_folder_of_sql_with_parameters(weigh: Weigh) -> None:
    (weigh.folder / "orders.csv").write_text(csv())
    sql = weigh.folder / "sql"
    sql.mkdir()
    one = "SELECT count(*) AS n FROM orders WHERE city = {city} AND id > $1 AND '$1' <> city -- $1"
    (sql / "one.sql").write_text(one)
    (sql / "all.sql").write_text(COUNT)
    lacking = weigh("init", "--data", "orders.csv", "--sql", "sql", *CONTENDERS, "--param", "city=Rome,O'Hara")
    # It is left out, and blocks no other.
    assert (lacking.code, "queries: all\n" in lacking.out) == (1, True)
    assert "query one: the parameter 1 has no value" in lacking.err
    values = ("--param", "city=Rome,O'Hara", "--param", "$1=10,100,400", "--force")
    assert weigh("init", "--data", "orders.csv", "--sql", "sql", *CONTENDERS, *values).code == 0
    toml = weigh.folder / "weigh.toml"
    assert tomllib.loads(toml.read_text())["sql"]["parameters"] == {"city": ["Rome", "O'Hara"], "1": [10, 100, 400]}
    found = weigh("gate", "--verbose", "--quiet")
    assert found.code == 0, found.err
    assert "All answers agree, 7 questions to each contender" in found.out
    first = weigh("gate", "--json", "--quiet").json
    assert {row["operation"]: row["status"] for row in first["gate"]} == {"all": "agreed", "one": "agreed"}

    toml.write_text(toml.read_text().replace("400]", "401]"))
    assert weigh("gate", "--json", "--quiet").json["experiment"]["id"] != first["experiment"]["id"]
    toml.write_text(toml.read_text().replace("city =", "ctiy ="))
    typo = weigh("gate")
    assert (typo.code, typo.out) == (2, "")
    assert "no query has the parameter 'ctiy'" in typo.err
    assert "did you mean 'city'?" in typo.err
