"""``tpcds-dsdgen``: the 24 tables of TPC-DS, by the generator in DuckDB's extension ``tpcds``.

It is not ours, and runs in an environment of its own. With every dataset come the 99 queries, as the extension has
them: nothing of TPC's text is part of weigh, it is read from the installed package when a dataset is made.

The specification's smallest database is of scale factor 1 and its queries have the literals of that. Below 1 some of
them find nothing, and an empty answer compares nothing: there those literals are others (``literals``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from weigh.data.ground_truth import Truth
from weigh.data.tpch import Made, Parts, run_maker, texts
from weigh.model.errors import DataFault

from .literals import SMALL

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.data.generator import Source, Unit, Workshop
    from weigh.model.units import Scale

DSDGEN = ("duckdb==1.5.5", "duckdb-extension-tpcds==1.5.5")
"""What makes the data, and has the queries."""


class Tpcds:
    """The generator."""

    name = "tpcds-dsdgen"
    version = DSDGEN[0].partition("==")[2]
    base = "times the base, which is 19.6 million rows in 24 tables"
    unit: Unit = "scale factor"
    scale: Scale = 1.0
    least: Scale = 0.01  # below, dsdgen of this version does not end
    seeded = False
    requirements = DSDGEN
    unit_bytes = 400e6

    def open(self, scale: Scale, seed: int | None, workshop: Workshop) -> Source:
        """Make all tables, and read the queries."""
        folder = workshop.folder / "made"
        workshop.progress(0, 1, f"data: by {self.name}")
        run_maker({"do": "dsdgen", "scale": float(scale), "folder": str(folder)}, workshop.python)
        workshop.progress(1, 1, f"data: by {self.name}")
        reply = json.loads(run_maker({"do": "tpcds_texts"}, workshop.python, workshop.folder))
        queries = [(number, query_text(number, text, scale)) for number, text in reply["queries"]]
        return Made(_tables(folder), Truth({"queries": texts(queries)}))


def _tables(folder: Path) -> dict[str, Parts]:
    return {place.name: Parts(sorted(place.glob("*.parquet"))) for place in sorted(folder.iterdir()) if place.is_dir()}


def query_text(number: int, text: str, scale: Scale) -> str:
    """A query as engines get it: without its semicolon, and at a scale below 1 with literals that find something.

    Raises:
        DataFault: a literal is not where it should be.
    """
    text = text.strip().rstrip(";").rstrip()
    for old, new in SMALL.get(number, ()) if scale < 1 else ():
        if old not in text:
            raise DataFault(f"query {number} of TPC-DS has no {old!r} where it should have one", remedy="report this")
        text = text.replace(old, new)
    return text


dsdgen = Tpcds()
