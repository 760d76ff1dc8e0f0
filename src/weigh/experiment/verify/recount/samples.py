"""What was executed, as SQL reads it: the samples of an evidence directory and of its earlier attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.evidence import attempts as store
from weigh.evidence import journal
from weigh.experiment import derived
from weigh.model.sample import OF_SOME
from weigh.recount.text import text

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = {
    "operation": "VARCHAR", "case": "VARCHAR", "contender": "VARCHAR", "arm": "VARCHAR", "attempt": "INTEGER",
    "block": "INTEGER", "turn": "INTEGER", "round": "INTEGER", "run": "INTEGER", "outcome": "VARCHAR",
    "solo": "BOOLEAN", "temperature": "VARCHAR", "wall_s": "DOUBLE", "round_trip_s": "DOUBLE",
    "cpu_s": "DOUBLE", "peak_memory": "BIGINT", "bytes_read": "BIGINT", "stored_bytes": "BIGINT",
    "first_query_s": "DOUBLE", "build": "INTEGER", "said_s": "DOUBLE", "queue_s": "DOUBLE", "scanned_bytes": "BIGINT",
    "billed_bytes": "BIGINT", "credits": "DOUBLE",
}  # fmt: skip
_USUAL = {
    "case": "'only'", "attempt": "number", "round": "'0'", "outcome": "'ok'", "solo": "'false'", "temperature": "'hot'",
    "bytes_read": "'0'",
}  # fmt: skip
"""What a turn in a journal is where it says nothing of it."""
_OF_SOME = "SELECT {} WHERE false".format(
    ", ".join(f"NULL::{kind} AS {name}" for name, kind in _COLUMNS.items() if name in OF_SOME)
)
"""Of an experiment that loads no table, say, no sample has these columns."""
_JOURNAL_LINE = 1 << 28
"""Longest line of a journal that is read, bytes: the gate's line holds every answer that differed."""


def samples(folder: Path) -> str:
    """One SELECT over the samples of this and the earlier attempts."""
    attempts = [path.resolve() for path in store.history_folders(folder)]
    files = [path / derived.SAMPLES for path in attempts if (path / derived.SAMPLES).exists()]
    # A killed attempt has only its journal; the verdicts read that, so it is read here.
    journals = [path / journal.NAME for path in attempts if not (path / derived.SAMPLES).exists()]
    columns = [f'"{name}"' for name in _COLUMNS]
    parts = []
    if files:
        names = ", ".join(_path(path) for path in files)
        parts.append(
            f"SELECT {', '.join(columns)}\n"
            f"FROM (FROM read_parquet([{names}], union_by_name = true, hive_partitioning = false) "
            f"UNION ALL BY NAME {_OF_SOME})"
        )
    if journals:
        names = ", ".join(_path(path) for path in journals)
        lines = (
            f"read_json(\n"
            f"        [{names}], format = 'newline_delimited', columns = {{event: 'VARCHAR', body: 'JSON'}},\n"
            f"        filename = true, ignore_errors = true, maximum_object_size = {_JOURNAL_LINE}\n"
            f"    )"
        )
        selected = ",\n    ".join(f'{_of_turn(name)}::{kind} AS "{name}"' for name, kind in _COLUMNS.items())
        parts.append(
            f"SELECT\n    {selected}\n"
            f"FROM (\n"
            f"    SELECT filename, body, unnest(range(json_array_length(body, '$.run')::BIGINT)) AS nth\n"
            f"    FROM {lines}\n"
            f"    WHERE event = 'turn'\n"
            f") JOIN (\n"
            f"    SELECT filename, body->>'attempt' AS number\n"
            f"    FROM {lines}\n"
            f"    WHERE event = 'opened'\n"
            f") USING (filename)"
        )
    return "\nUNION ALL\n".join(parts)


def _of_turn(name: str) -> str:
    """What a journal's turn says of its execution ``nth``: one value for all of them, or a list of them."""
    column, usual = name.removesuffix("_s"), _USUAL.get(name, "NULL")
    if name == "contender":
        usual = f"regexp_replace({_of_turn('arm')}, '#2$', '')"
    value = (
        f"CASE json_type(body, '$.{column}') WHEN 'ARRAY' THEN body->'{column}'->>nth "
        f"ELSE CASE WHEN json_exists(body, '$.{column}') THEN body->>'{column}' ELSE {usual} END END"
    )
    return f"(({value})::DOUBLE / 1e9)" if name != column else f"({value})"


def _path(path: Path) -> str:
    """A file's name as DuckDB reads it: a bracket, a star and a question mark would be patterns."""
    return text("".join(f"[{letter}]" if letter in "[*?" else letter for letter in str(path)))
