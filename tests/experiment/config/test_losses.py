"""What is guessed or lost where a text becomes a table."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import duckdb
import pytest

from weigh.experiment.config import losses
from weigh.experiment.config.csv_options import FOUND, CsvTable, parsed
from weigh.experiment.config.file import read_file
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = "id,price,name\n"
CASES: dict[str, tuple[str, list[str]]] = {
    "nothing": ("id,x\n1,2\n3,4\n", ["types guessed: id BIGINT, x BIGINT"]),
    "decimal commas": (
        'id,price\n1,"2,5"\n2,"3,75"\n',
        ["types guessed: id BIGINT, price VARCHAR",
         "price stays text; 2 of its 2 values look like numbers ('2,5'); numbers they are with --csv 'decimal=,'"],
    ),
    "currencies": ("id;p\n1;$ 1,200.50\n2;$ 3\n", ["p stays text; 2 of its 2 values look like numbers ('$ 1,200.50')"]),
    "empty fields": (f"{_HEAD}1,,a\n2,3,\n4,5,\n", ["NULL made of empty fields: 1 in price, 2 in name"]),
    "words for NULL": (
        f"{_HEAD}1,NULL,a\n2,3,NA\n",
        ["texts that often stand for NULL stay texts: 1 in price, 1 in name"],
    ),
    "comments": ("# a\n# b\nid,x\n1,2\n3,4\n", ["2 lines of 5 dropped (2 before the header)"]),
    "comments in between": (
        "id,x\n" + "1,2\n" * 5 + "# x\n" + "3,4\n" * 5,
        ["1 line of 12 dropped (1 beginning with #)"],
    ),
    "a preamble": ("Report of May\nsome junk line\nid,x\n1,2\n3,4\n", ["2 lines of 5 dropped (2 before the header)"]),
    "empty lines": ("id,x\n1,2\n\n\n3,4\n", ["2 empty lines dropped"]),
    "carriage returns alone": ("id,x\r1,2\r3,4\r", ["types guessed: id BIGINT, x BIGINT"]),
    "no header": ("1,2\n3,4\n", ["no line was taken for a header: its columns are called column0 to column1"]),
    "ragged": (
        "a,b,c\n" + "1,2,3\n" * 9 + "1,2\n",
        ["ragged: its lines have 2 to 3 fields, so that each line is read whole, as one text (quotes too): "
         "mend those lines"],
    ),
    "larger than any integer": (f"a,b\n{'9' * 44},1\n2,2\n", ["a is BIGNUM, and becomes VARCHAR in Parquet"]),
    "large numbers": ("a,b\n99999999999999999999,1\n", ["a is HUGEINT, and becomes DOUBLE in Parquet"]),
    "more digits than a double": (
        "id,v,w\n1,9007199254740993.5,1e400\n2,12345678901234567890123,1.5\n3,0.1,2.50\n",
        ["v: 2 of 3 values rounded, because a double does not hold all of their digits",
         "w: 1 of 3 values rounded, because a double does not hold all of their digits"],
    ),
    "doubles as they print": ("v,w\n0.30000000000000004,1.0E+2\n-1e-7,100\n", ["types guessed: v DOUBLE, w DOUBLE"]),
    "day or month first": (
        "id,d\n1,01/02/2024\n2,03/04/2024\n3,05/05/2024\n",
        ["d: read as day/month; 2 of its 3 values could be month/day"],
    ),
    "nanoseconds": (
        "t\n2024-01-01 00:00:00.123456789\n2024-01-01 00:00:00.123456000\n",
        ["t: 1 of 2 values cut to microseconds"],
    ),
    "some without a zone": (
        "id,t\n1,2024-01-01T10:00:00+02:00\n2,2024-01-01 10:00:00\n3,2024-01-01T10:00:00Z\n",
        ["t: 1 of 3 values without a time zone, taken for UTC"],
    ),
    "line breaks in quotes": ('a,b\n1,"x\ny"\n2,z\n', ["types guessed: a BIGINT, b VARCHAR"]),
}  # fmt: skip


def noted(path: Path, form: str, reader: str, csv: CsvTable = FOUND) -> tuple[str, ...]:
    made = path.with_suffix(".parquet")
    source = f"{reader}('{path}', sample_size = -1{csv.sql}{csv.types(['zip'])})"
    with duckdb.connect() as base:
        base.execute(f"COPY (SELECT * FROM {source}) TO '{made}' (FORMAT parquet)")

        def ask(queries: list[str]) -> list[losses.Rows]:
            found = []
            for query in queries:
                cursor = base.execute(query)
                names = [one[0] for one in cursor.description or ()]
                found.append([dict(zip(names, row, strict=True)) for row in cursor.fetchall()])
            return found

        return losses.notes(path, form, made, ask(losses.questions(path, form, source, made, csv)), ask, csv)


@pytest.mark.parametrize("name", CASES)
def test_csv(name: str, tmp_path: Path) -> None:
    text, wanted = CASES[name]
    path = tmp_path / "t.csv"
    path.write_text(text)
    found = noted(path, "CSV", "read_csv")
    assert set(wanted) <= set(found), found
    assert name != "ragged" or not any("look like numbers" in one for one in found)
    if name in ("nothing", "line breaks in quotes", "doubles as they print", "carriage returns alone"):
        assert list(found) == wanted


def test_what_is_packed_is_counted_as_well(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(CASES["comments"][0].encode()))
    assert "2 lines of 5 dropped (2 before the header)" in noted(path, "CSV", "read_csv")


def test_a_csv_is_read_as_it_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("zip;price;day\n01099;1.234,5;05.01.2024\n80331;-;07.02.2024\n")
    options = parsed("sep=;,decimal=,,thousands=.,null=NA|-,date=%d.%m.%Y,text=zip")
    assert noted(path, "CSV", "read_csv", options) == (
        "read with --csv sep=;,decimal=,,thousands=.,null=NA|-,date=%d.%m.%Y,text=zip",
        "types guessed: zip VARCHAR, price DOUBLE, day DATE",
        "NULL made of fields that --csv says are NULL: 1 in price",
    )


def test_lines_without_the_separator_that_was_told_are_told_of_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,name,since\n1,a,2020-01-01\n2,b,2020-01-02\n")
    found = " ".join(noted(path, "CSV", "read_csv", parsed("sep=;")))
    assert "each line is read whole" in found
    assert "leave sep=; out" in found


def test_digits_that_a_double_does_not_hold_are_counted_with_a_decimal_comma(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id;v\n1;9007199254740993,5\n2;0,1\n")
    found = noted(path, "CSV", "read_csv", parsed("sep=;,decimal=,"))
    assert "v: 1 of 2 values rounded, because a double does not hold all of their digits" in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sepp=;", "no option"),
        ("sep=;;", "one character"),
        ("skip=x", "skip"),
        ("header=perhaps", "header"),
        (";", "no option"),
    ],
)
def test_what_is_no_option_of_csv_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parsed(text)


def test_options_of_csv_stand_in_weigh_toml_and_a_wrong_key_names_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "weigh.toml"
    file.write_text('[sql.csv]\nsep = ";"\nnull = ["NA"]\n')
    table = read_file(file).sql
    assert table is not None
    assert table.csv == parsed("sep=;,null=NA")
    file.write_text('[sql.csv]\nsepp = ";"\n')
    with pytest.raises(UsageError) as error:
        read_file(file)
    assert "did you mean 'sep'?" in error.value.remedy


def test_options_of_csv_are_written_as_they_are_taken() -> None:
    text = "sep=tab,decimal=,,header=no,null=NA|-,skip=2,text=zip|id"
    assert parsed(parsed(text).written) == parsed(text)
    assert parsed(None) == FOUND


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"a": 1, "b": "2,5", "c d": 12345678901234567890123}\n{"a": 2, "c d": 1.5}\n')
    assert noted(path, "JSON", "read_json") == (
        "types guessed: a BIGINT, b VARCHAR, c d DOUBLE",
        "c d: 1 of 2 values rounded, because a double does not hold all of their digits",
        "b stays text; 1 of its 1 values look like numbers ('2,5')",
        "NULL made of missing or null fields: 1 in b",
    )
