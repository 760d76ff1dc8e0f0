"""Reproducers as files: a script that stands alone whatever things are called, and data that is a part of the whole."""

from __future__ import annotations

import datetime
import subprocess
import sys
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.engines.engine import Engine
from weigh.engines.environment import Environment
from weigh.engines.loaded import Tables
from weigh.engines.prepared import PreparedContender
from weigh.experiment.reproducer import package, script, subset
from weigh.experiment.reproducer.pair import Found, Question, kinds
from weigh.model.answer import Column, ResultSchema
from weigh.model.contender import Contender
from weigh.model.gate import Difference
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

HOSTILE = 'x"""\\ \'\n"; import os  # \x1b[31m ../../é ///'


def made(
    rows: Sequence[tuple[Any, ...]],
    right: pa.Table,
    columns: Sequence[Column],
    *,
    name: str = "old",
    sql: str = "SELECT 1",
    source: str = "",
    **schema: Any,
) -> package.Reproducer:
    """A reproducer of an engine whose script answers these rows."""
    engine = Engine(name="fixed", lineage="fixed", adapter=Path("none"), script=source or f"ask = lambda *_: {rows!r}")
    environment = Environment(python=Path(sys.executable), key="k", lock="pytest==9.2.0\n# via nobody\n")
    ready = PreparedContender(
        contender=Contender(name=name, engine="fixed", pins=("pytest==9.2.0",)),
        engine=engine,
        environment=environment,
        settings={"weigh.url": "postgres://secret", "level": 3},
        cache=Path("none"),
    )
    question = Question(sql, (sql,), ResultSchema(columns=tuple(columns), **schema))
    found = Found(right, right, (Difference(row=name, column=name, got="1", expected="2"),))
    return package.Reproducer(ready, name, question, found, name, (name, "Found."))


def write(one: package.Reproducer, folder: Path) -> str:
    """What is reported about a script that is missing; ``folder`` is the reproducer's."""
    folder.mkdir()
    return package.add_script(one, folder, Tables({one.ready.name: [str(folder / "t.parquet")]}, "key"), 60)


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(folder / package.SCRIPT)], capture_output=True, text=True, check=False
    )


NUMBER = [Column(name="n", kind="integer")]
RIGHT = pa.table({"n": [7]})


@pytest.mark.long
@pytest.mark.parametrize("name", ["old", HOSTILE, "../../../etc/passwd", "chdb@4.1.8+chdb-core==26.3.0?a=1&b=2"])
def test_a_script_stands_alone_whatever_things_are_called(tmp_path: Path, name: str) -> None:
    one = made([(3,)], RIGHT, [Column(name=name, kind="integer")], name=name, sql="SELECT 'ü\\'''")
    assert write(one, tmp_path / "r") == ""
    done = run(tmp_path / "r")
    assert done.returncode == 1, done.stderr
    assert ": 3, not 7" in done.stdout
    text = (tmp_path / "r" / package.SCRIPT).read_text()
    assert "\x1b" not in text
    assert "secret" not in text
    block = text.split("# /// script\n")[1].split("# ///\n")[0]
    header = tomllib.loads("".join(line.removeprefix("# ") + "\n" for line in block.splitlines()))
    assert header["dependencies"] == ["pytest==9.2.0"]
    assert header["requires-python"] == f"=={sys.version_info.major}.{sys.version_info.minor}.*"
    assert (tmp_path / "r" / package.QUERY).read_text() == "SELECT 'ü\\'''\n"
    place = package.place(tmp_path, one)
    assert place.parent == tmp_path / package.FOLDER
    package.keep(tmp_path / "r", place)
    assert run(place).returncode == 1
    assert package.place(tmp_path, one) != place


@pytest.mark.long
@pytest.mark.promise(
    "weigh has seen the script fail before it offers it.",
    "It exits with 1 where the answers differ, 0 where they agree, 2 where there was none.",
)
@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        ("ask = lambda *_: [(7,)]", 0, "asked by its script, the engine is right"),
        ("def ask(*_):\n    raise RuntimeError('no file')", 2, "its script ended with code 2 (RuntimeError: no file)"),
        ("import nowhere", 2, "its script ended with code 2 (ModuleNotFoundError: No module named 'nowhere')"),
        ("def ask(*_):\n    import os\n    os._exit(1)", 1, "its script ended with code 1 (nothing)"),
        ("def plain(x): return x\ndef main(): pass\nask = lambda *_: [(plain(3),)]", 1, ""),
    ],
)
def test_only_a_script_that_shows_it_is_handed_out(tmp_path: Path, source: str, code: int, said: str) -> None:
    one = made([], RIGHT, NUMBER, source=source)
    assert write(one, tmp_path / "r") == said
    assert (tmp_path / "r" / package.SCRIPT).exists() == (not said)
    (tmp_path / "r" / package.SCRIPT).write_text(
        package.text(one, Tables({"t": ["t.parquet"]}, "key"), [(7,)]), encoding="utf-8"
    )
    assert run(tmp_path / "r").returncode == code


def test_without_a_script_of_the_engine_or_with_a_huge_answer_there_is_data_and_query(tmp_path: Path) -> None:
    huge = pa.table({"n": range(package.EMBEDDED_ROWS + 1)})
    assert write(made([], huge, NUMBER), tmp_path / "a") == "the right answer has 1,001 rows"
    odd = pa.table({"n": pa.array([1], pa.timestamp("ns"))})
    nanoseconds = write(made([], odd, [Column(name="n", kind="timestamp")]), tmp_path / "b")
    assert nanoseconds == "the right answer holds values that a script cannot"
    for name in "ab":
        assert [path.name for path in (tmp_path / name).iterdir()] == [package.QUERY]


VALUES = pa.table(
    {
        "i": pa.array([1, None, -(2**62)], pa.int64()),
        "d": pa.array([Decimal("1.10"), None, Decimal("-0.01")], pa.decimal128(38, 2)),
        "f": pa.array([float("nan"), float("inf"), None], pa.float64()),
        "s": pa.array(["'\"\\\n", None, "ü"], pa.string()),
        "t": pa.array([datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC), None, None], pa.timestamp("us", "UTC")),
        "day": pa.array([datetime.date(2024, 1, 1), None, None], pa.date32()),
        "b": pa.array([True, False, None], pa.bool_()),
        "l": pa.array([[1, 2], None, []], pa.list_(pa.int64())),
    }
)
KINDS = ("integer", "decimal", "double", "string", "timestamp", "date", "boolean", "string")


def test_every_type_of_an_answer_is_written_down_and_agrees_with_itself(tmp_path: Path) -> None:
    columns = [Column(name=name, kind=kind) for name, kind in zip(VALUES.column_names, KINDS, strict=True)]  # type: ignore[arg-type]
    naive = VALUES.set_column(4, "t", VALUES["t"].cast(pa.timestamp("us")))
    rows = [tuple(row.values()) for row in naive.to_pylist()]
    source = f"from decimal import Decimal\nask = lambda *_: {rows!r}\n"
    assert write(made([], VALUES, columns, source=source), tmp_path / "r") == "asked by its script, the engine is right"
    other = source.replace("'1.10'", "'1.11'")
    assert other != source
    assert write(made([], VALUES, columns, source=other), tmp_path / "w") == ""


def column(kind: str, match: str = "exact", rel: float = 0.0) -> tuple[str, str, str, float]:
    return ("c", kind, match, rel)


@pytest.mark.parametrize(
    ("columns", "got", "expected", "same"),
    [
        ([column("integer")], [(1,), (2,)], [(2,), (1,)], True),
        ([column("integer")], [(1,), (1,)], [(2,), (1,)], False),
        ([column("integer")], [(1,)], [(1,), (1,)], False),
        ([column("integer")], [(1, 2)], [(1,)], False),
        ([column("integer")], [("12",), (True,)], [(1,), (12,)], True),
        ([column("integer")], [(None,)], [(0,)], False),
        ([column("decimal")], [(Decimal("1.1000"),)], [(Decimal("1.1"),)], True),
        ([column("decimal")], [(1.1,)], [(Decimal("1.1"),)], True),
        ([column("decimal")], [(Decimal("1.1000000001"),)], [(Decimal("1.1"),)], False),
        ([column("decimal")], [(1.1001,)], [(Decimal("1.1"),)], False),
        ([column("double", "approx", 1e-9)], [(1 + 1e-12,)], [(1.0,)], True),
        ([column("double", "approx", 1e-9)], [(1 + 1e-6,)], [(1.0,)], False),
        ([column("double")], [(1 + 1e-12,)], [(1.0,)], False),
        ([column("decimal", "quotient")], [(Decimal("0.0344"),)], [(Decimal("0.034436"),)], True),
        ([column("decimal", "quotient")], [(Decimal("0.0342"),)], [(Decimal("0.034436"),)], False),
        ([column("string")], [(b"abc",)], [("abc",)], True),
        ([column("string")], [("1",)], [("01",)], False),
        ([column("date")], [("2024-01-01",)], [(datetime.date(2024, 1, 1),)], True),
        ([column("timestamp")], [("2024-01-01T00:00:00+02:00",)], [(datetime.datetime(2023, 12, 31, 22),)], True),
        ([column("boolean")], [(1,)], [(True,)], True),
        (
            [column("string"), column("double", "approx", 1e-9)],
            [("b", 2.0), ("a", 1.0), ("a", 3.0)],
            [("a", 3.0 + 1e-12), ("a", 1.0), ("b", 2.0)],
            True,
        ),
    ],
)
def test_a_script_compares_by_value(
    monkeypatch: pytest.MonkeyPatch, columns: list[Any], got: list[Any], expected: list[Any], same: bool
) -> None:
    monkeypatch.setattr(script, "COLUMNS", columns)
    assert (not script.differing(got, expected)) == same


@pytest.mark.parametrize(
    ("got", "same"),
    [
        ([("a", 9), ("b", 5)], True),
        ([("a", 9), ("c", 5)], True),  # whoever ties with the last one
        ([("b", 5), ("a", 9)], False),  # another order
        ([("x", 9), ("b", 5)], False),
        ([("a", 9), ("b", 4)], False),
        ([("a", 9)], False),
    ],
)
def test_a_script_accepts_ties_at_a_limit_and_no_other_order(
    monkeypatch: pytest.MonkeyPatch, got: list[Any], same: bool
) -> None:
    monkeypatch.setattr(script, "COLUMNS", [column("string"), column("integer")])
    monkeypatch.setattr(script, "ORDERED_BY", [1])
    monkeypatch.setattr(script, "LIMIT", 2)
    assert (not script.differing(got, [("a", 9), ("b", 5)])) == same


def test_a_reproducer_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    one = made([(3,)], RIGHT, NUMBER)
    write(one, tmp_path / "r")
    (tmp_path / "r" / "gone").symlink_to(tmp_path / "nowhere")
    place = package.place(tmp_path, one)
    with pytest.raises(OSError):
        package.keep(tmp_path / "r", place)
    assert not place.parent.exists()


def test_a_sum_of_nothing_is_another_kind_of_difference() -> None:
    def of(got: str, expected: str, name: str = "total") -> Any:
        return kinds([Difference(row="", column=name, got=got, expected=expected)])

    assert of("3", "7") == of("12", "4000")
    assert of("3", "7") != of("7", "3")
    assert of("0", "NULL") != of("3", "7")
    assert of("nan", "1.5") != of("2.5", "1.5")
    assert of("3", "7", "other") != of("3", "7")
    assert of("41 rows", "42 rows", "(rows)") == of("1,000 rows", "1,001 rows", "(rows)")
    assert of("'x'", "'y'") == of("'y'", "'x'")
    assert len({of("'x'", "'y'"), of("NULL", "'y'"), of("'x'", "NULL")}) == 3


# Excerpts.


def test_an_excerpt_is_the_rows_that_were_asked_for(tmp_path: Path) -> None:
    whole = pa.table({"a": range(1000), "b": [str(i % 7) for i in range(1000)], "c.d": range(1000)})
    paths = []
    for number, (first, rows) in enumerate([(0, 400), (400, 0), (400, 600)]):
        paths.append(str(tmp_path / f"{number}.parquet"))
        pq.write_table(whole.slice(first, rows), paths[-1], row_group_size=130)
    source = subset.Source({"t": paths})
    assert source.rows == {"t": 1000}
    assert source.columns == {"t": ["a", "b", "c.d"]}
    for first, rows in [(0, 1000), (0, 1), (129, 2), (399, 2), (999, 1), (390, 300), (0, 0), (1000, 0)]:
        read = source.read("t", ["c.d", "a"], first, rows)
        assert read.combine_chunks() == whole.select(["c.d", "a"]).slice(first, rows).combine_chunks()
    part = subset.Excerpt({"t": whole, "../u": whole}, LayoutSpec(writer="pyarrow"))
    written = part.taking("t", pa.array([3, 5, 8]).to_numpy()).write(tmp_path, None, "x-{}", files=2)
    assert [Path(path).name for paths in written.paths.values() for path in paths] == [
        "x-t-0000.parquet",
        "x-t-0001.parquet",
        "x-u-0000.parquet",
        "x-u-0001.parquet",
    ]
    assert pq.read_table(written.paths["t"])["a"].to_pylist() == [3, 5, 8]
    assert subset.size(written) == sum(path.stat().st_size for path in tmp_path.glob("x-*"))


def test_tables_of_any_name_have_files_of_their_own() -> None:
    names = ["Events", "events", "ev/ents", "ev ents", "..", "", "é", "x" * 300]
    stems = subset.stems(names)
    assert len({stem.casefold() for stem in stems}) == len(names)
    assert all(stem and "/" not in stem and not stem.startswith(".") and len(stem) < 80 for stem in stems)
