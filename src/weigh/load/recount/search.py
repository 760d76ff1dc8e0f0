"""A search for the highest rate by SQL: what each probe saw of its budgets, and between which rates they break."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.recount import raw
from weigh.recount.recount import Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.recount.recount import Figures, Row

VIEWS = ("seen", "outcome", "highest")
QUERIES = tuple(f"FROM {name} ORDER BY ALL;" for name in VIEWS)
"""What is asked of the views that the script makes."""
NEVER = Skipped(
    what="of a search: the rate at which it is kept as often as not, its interval, which probes say nothing",
    why="they need the posterior, or what the machine did; verify computes them from the journal",
)
NAMES_OF = {0.5: "p50", 0.9: "p90", 0.95: "p95", 0.99: "p99", 0.999: "p999", 0.9999: "p9999"}
"""Percentiles as the figures by SQL are named."""
_PRINTED = ("kept", "broken")
"""Verdicts of probes that say something of the server."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a budget."""

    text: str
    percentile: float | None
    limit_s: float | None
    errors: float | None


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of what a probe saw of one."""

    value: float | None


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a probe."""

    run: int
    rate: float
    verdict: str
    budgets: tuple[Measured, ...]


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a search in the document of a load."""

    budgets: tuple[Budget, ...]
    sustained: float | None = msgspec.field(name="kept")
    broken: float | None
    probes: tuple[Probe, ...]


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """The document, likewise."""

    rate_search: Searched | None = None


def script(places: Sequence[raw.Place]) -> str:
    """The SQL that computes what searches found; it stands below ``figures.sql``.

    Raises:
        EvidenceFault: a document cannot be read.
    """
    probes, budgets = [], []
    for place in places:
        found = _read(place)
        if found is None:
            continue
        key = (place.attempt, place.arm)
        probes += [(*key, one.run) for one in found.probes if one.verdict in _PRINTED]
        budgets += [
            (*key, at, NAMES_OF.get(one.percentile or 0, ""), one.errors if one.percentile is None else one.limit_s)
            for at, one in enumerate(found.budgets)
        ]
    return "\n".join(
        (
            raw.table("probe", "attempt INTEGER, arm VARCHAR, run INTEGER", probes),
            raw.table("budget", "attempt INTEGER, arm VARCHAR, place INTEGER, name VARCHAR, most DOUBLE", budgets),
            raw.file("search"),
        )
    )


def compare(found: Figures, place: raw.Place, file: str, tables: Sequence[Sequence[Row]]) -> bool:
    """Compare what a search found.

    Args:
        found: where it is counted.
        place: of the load.
        file: its document, for people.
        tables: what :data:`QUERIES` gave, of this load and others.

    Returns:
        Whether there is a search.

    Raises:
        EvidenceFault: the document cannot be read.
    """
    printed = _read(place)
    if printed is None:
        return False
    values_by_budget, outcomes, highest = (
        [row for row in rows if (row["attempt"], row["arm"]) == (place.attempt, place.arm)] for rows in tables
    )
    values = {(row["run"], row["place"]): row["value"] for row in values_by_budget}
    known = {row["run"]: row for row in outcomes}
    for probe in printed.probes:
        if probe.verdict not in _PRINTED:
            continue
        where = f"probe of run {probe.run}"
        row = known.get(probe.run)
        found.compare(file, where, "rate", probe.rate, row["asked"] if row else None)
        computed = "nothing" if row is None else "kept" if row["kept"] else "broken"
        found.word(file, where, "verdict", probe.verdict, computed)
        for at, (budget, one) in enumerate(zip(printed.budgets, probe.budgets, strict=False)):
            found.compare(file, f"{where}, {budget.text}", "value", one.value, values.get((probe.run, at)))
    whole = next(iter(highest), None)
    for name, rate in (("kept", printed.sustained), ("broken", printed.broken)):
        found.compare(file, "the search", name, rate, whole[name] if whole else None)
    return True


def _read(place: raw.Place) -> Searched | None:
    printed: Printed = raw.read(place.folder / raw.JSON, Printed)
    return printed.rate_search
