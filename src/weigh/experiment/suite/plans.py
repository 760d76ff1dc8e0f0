"""What a plan takes its rows from, in the words of each engine's EXPLAIN. Pure."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Source = Literal["table", "generated", "constant", "unknown"]


class _Words(NamedTuple):
    """What an engine's plans say where rows come from; the first that is found decides.

    Attributes:
        table: rows of a table or a file.
        generated: rows that the engine makes itself.
        constant: what was known before executing: constants, statistics of the files, or that nothing matches.
        before: words before the question.
        distinguished: whether two questions that ask something else have other plans: literals stand in them.
    """

    table: re.Pattern[str]
    generated: re.Pattern[str]
    constant: re.Pattern[str]
    before: str = "EXPLAIN "
    distinguished: bool = True


_WORDS = {
    "duckdb": _Words(
        table=re.compile(
            r"READ[ _]\w+|PARQUET[ _]SCAN|SEQ[ _]SCAN|TABLE[ _]SCAN|INDEX[ _]SCAN|ICEBERG[ _]SCAN|DELTA[ _]SCAN|"
            r"DUCKLAKE[ _]SCAN|ARROW[ _]SCAN|VORTEX",
            re.IGNORECASE,
        ),
        generated=re.compile(r"\bRANGE\b|GENERATE[ _]SERIES|\bUNNEST\b|\bREPEAT\b|RECURSIVE", re.IGNORECASE),
        constant=re.compile(r"DUMMY[ _]SCAN|COLUMN[ _]DATA[ _]SCAN|EMPTY[ _]RESULT", re.IGNORECASE),
    ),
    "clickhouse": _Words(
        table=re.compile(r"ReadFrom(?!PreparedSource|System(Numbers|One|Zeros)|Storage\b)\w+"),
        generated=re.compile(
            r"ReadFromSystemNumbers|ReadFromStorage \((SystemZeros|GenerateRandom|GenerateSeries)|arrayJoin", re.I
        ),
        constant=re.compile(
            r"ReadFromPreparedSource|ReadNothing|ReadFromSystemOne|ReadFromStorage \((SystemOne|Values)"
        ),
        distinguished=False,
    ),
    "datafusion": _Words(
        # The logical plan, which is told before the physical one, has tables that are not read then.
        table=re.compile(r"DataSourceExec: file_groups|ParquetExec"),
        generated=re.compile(r"LazyMemoryExec|UnnestExec|RecursiveQueryExec"),
        constant=re.compile(r"PlaceholderRowExec|EmptyExec|DataSourceExec: partitions"),
    ),
    "postgres": _Words(
        table=re.compile(r"(Seq|Index|Index Only|Bitmap Heap|Foreign|Sample|Tid|Tid Range) Scan|Custom Scan"),
        generated=re.compile(r"Function Scan|ProjectSet|Recursive Union"),
        constant=re.compile(r"^\s*(->\s*)?(Result|Values Scan)\b", re.MULTILINE),
    ),
    "sqlite": _Words(
        table=re.compile(r"\b(SCAN|SEARCH)\b(?! CONSTANT ROW| \d+ CONSTANT ROW)(?!.*VIRTUAL TABLE)"),
        generated=re.compile(r"VIRTUAL TABLE|RECURSIVE"),
        constant=re.compile(r"CONSTANT ROW"),
        before="EXPLAIN QUERY PLAN ",
        distinguished=False,
    ),
}
"""By lineage."""
_CUT = ("...", "…")
_FRAME = re.compile(r"[\u2500-\u257f]|~[\d,]+ rows?|\s+")
"""What says nothing of the question: frames, and numbers of rows that are guessed anew each time."""


def explain(sql: str, lineage: str) -> str | None:
    """The question about the plan of a question; None where weigh cannot read the engine's plans."""
    return _WORDS[lineage].before + sql if lineage in _WORDS else None


def source(plan: str, lineage: str) -> Source:
    """Where the rows of a plan come from; ``unknown`` where it has none of the words."""
    words = _WORDS[lineage]
    if words.table.search(plan):
        return "table"
    if words.generated.search(plan):
        return "generated"
    return "constant" if words.constant.search(plan) else "unknown"


def comparable(plan: str, lineage: str) -> str | None:
    """A plan as another question's can be compared with it; None where two that differ may look the same."""
    words = _WORDS[lineage]
    if not words.distinguished or any(one in plan for one in _CUT) or words.constant.search(plan):
        return None
    return " ".join(_FRAME.sub(" ", plan).split())
