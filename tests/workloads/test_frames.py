"""Functions for data frames: what is taken of a file, and the programs that ask with it."""

from __future__ import annotations

import ast
import datetime
from pathlib import Path

import pytest

import weigh.workloads.netflow
from weigh.model.answer import Column, ResultSchema
from weigh.model.data import frames
from weigh.model.errors import UsageError
from weigh.model.operation import Case, Operation, Workload
from weigh.workloads.frames import functions, with_functions
from weigh.workloads.netflow import OPERATIONS, workload
from weigh.workloads.salted import column, salted

LIBRARIES = sorted(file.stem for file in (Path(weigh.workloads.netflow.__file__).parent / "frames").glob("*.py"))
FILE = '''"""About."""

import polars as pl
import re

LEAST = 3


def many(sales, *, least=LEAST, shop):
    return _only(sales, shop).filter(pl.col("n") >= least)


def any_at_all(sales):
    return sales


def _only(sales, shop):
    return sales.filter(pl.col("shop") == _plain(shop))


def _plain(text):
    return text.strip()
'''


class Source:
    name = "sql"
    dataset = "files"

    def __init__(self, text: str) -> None:
        self.text = text

    def frames(self, library: str) -> tuple[str, str] | None:
        return (self.text, "my_frames.py") if library == "polars" else None


def test_a_function_comes_with_what_it_needs_and_nothing_else() -> None:
    assert functions(FILE, "my_frames.py")["any_at_all"] == "def any_at_all(sales):\n    return sales\n"
    found = functions(FILE, "my_frames.py")["many"]
    assert [line for line in found.splitlines() if line.startswith(("import", "LEAST", "def"))] == [
        "import polars as pl",
        "LEAST = 3",
        "def _only(sales, shop):",
        "def _plain(text):",
        "def many(sales, *, least=LEAST, shop):",
    ]


def test_a_program_gives_tables_and_literals_by_name() -> None:
    source = f"# frames/polars\n{functions(FILE, 'f.py')['many']}"
    assert frames.program(source, {"shop": "o'brien", "unused": 1}).endswith(
        '\n# question\nanswer = many(sales=tables["sales"], shop="o\'brien")\n'
    )
    assert frames.program(source, {"shop": "a", "least": 7}).endswith(
        "answer = many(sales=tables[\"sales\"], least=7, shop='a')\n"
    )


def test_a_program_is_salted_by_a_constant_in_its_answer() -> None:
    text = frames.whole("t", "frames/polars")
    assert salted(text, 7) == f'{text}answer = with_constant(answer, "{column(7)}", 7)\n'


def test_a_function_gets_the_values_that_a_template_was_filled_with() -> None:
    source = frames.filled(functions(FILE, "f.py")["many"], {"shop": datetime.date(2026, 1, 2)})
    assert source.endswith("def many_filled(sales):\n    return many(sales=sales, shop=datetime.date(2026, 1, 2))\n")
    assert "\nimport datetime\n" in source
    assert frames.program(source, {}).endswith('answer = many_filled(sales=tables["sales"])\n')


@pytest.mark.parametrize(("name", "function"), [("by_day", "by_day"), ("by-day", "by_day"), ("01", "q01")])
def test_an_operation_that_is_no_name_of_python(name: str, function: str) -> None:
    assert frames.function_name(name) == function


@pytest.mark.parametrize(
    ("text", "message"),
    [("def by_action(events:\n  pass", "it is no Python"), ("def by_actoin(events): pass", "by_actoin")],
)
def test_a_file_that_cannot_be_taken_is_refused(text: str, message: str) -> None:
    built = _built()
    with pytest.raises(UsageError, match=message) as error:
        with_functions(built, Source(text), ["frames/polars"])
    assert "my_frames.py" in str(error.value)
    assert with_functions(built, Source(text), ["duckdb"]) is built
    with pytest.raises(UsageError, match="there are no functions for pandas"):
        with_functions(built, Source(text), ["frames/pandas"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_netflow_has_a_function_for_every_operation(library: str) -> None:
    file = workload.frames(library)
    assert file is not None
    found = functions(*file)
    assert found.keys() == set(OPERATIONS)
    for text in found.values():
        ast.parse(text)


def test_a_dialect_without_a_function_leaves_the_sql() -> None:
    built = with_functions(_built(), Source("def by_action(events):\n    return events\n"), ["frames/polars"])
    case = Case(name="only")
    assert frames.is_program(built.operation("by_action").text(case, "frames/polars"))
    assert not frames.is_program(built.operation("by_action").text(case, "duckdb"))
    assert not frames.is_program(built.operation("by_proto").text(case, "frames/polars"))


def _built() -> Workload:
    schema = ResultSchema(columns=(Column(name="n", kind="integer"),))
    operations = tuple(
        Operation(
            name=name, sql="SELECT count(*) AS n FROM events", schema=schema, cases=(Case(name="only", timed=True),)
        )
        for name in ("by_action", "by_proto")
    )
    return Workload(name="sql", dataset="files", operations=operations)
