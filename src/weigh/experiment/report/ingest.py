"""Loading tables: the table of what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults

HEADINGS = (
    "operation",
    "contender",
    "rows",
    "rows/s",
    "on disk",
    "of the files",
    "first answer after",
    "when it returns",
)
_DURABLE = {True: "durable", False: "NOT durable", None: "not known"}


def rows(results: ExperimentResults) -> list[tuple[str, ...]]:
    """A row for each load that may be shown."""
    return [
        (
            one.operation,
            one.contender,
            f"{one.rows:,}",
            f"{one.rows_per_s:,.0f}",
            units.size(one.stored_bytes) if one.stored_bytes is not None else "-",
            f"{one.of_files:.2f} x" if one.of_files is not None else "-",
            units.seconds(one.first_query_s) if one.first_query_s is not None else "-",
            f"{_DURABLE[one.durable]}: {one.by}" if one.by else _DURABLE[one.durable],
        )
        for one in results.ingested
    ]
