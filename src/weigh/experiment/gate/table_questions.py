"""Questions about whole tables, as a contender takes them: SQL, or a program for a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.data import frames

if TYPE_CHECKING:
    from weigh.experiment.gate.sampled_rows import Sample


def every_row(table: str, dialect: str) -> str:
    """All rows of a table."""
    return frames.whole(table, dialect) if frames.is_frames(dialect) else f"SELECT * FROM {table}"


def row_count(table: str, dialect: str) -> str:
    """The number of its rows."""
    return frames.counted(table, dialect) if frames.is_frames(dialect) else f"SELECT count(*) AS n FROM {table}"


def drawn_rows(table: str, dialect: str, sample: Sample) -> str:
    """The rows of a sample."""
    if frames.is_frames(dialect):
        return frames.drawn(table, dialect, sample.column, sample.modulus, sample.remainder)
    return f"SELECT * FROM {table} WHERE {sample.predicate}"
