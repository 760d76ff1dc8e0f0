"""A load of one server by SQL: the figures of every run and operation, and where the next run falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.recount import raw, search
from weigh.model import codes
from weigh.model.errors import DataFault, EvidenceFault
from weigh.recount.recount import Figures, Recount, Run, Skipped, impossible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weigh.recount.recount import Row

VIEWS = ("counted", "quantile", "longest", "mean", "rate", "fault", "between_runs", "loops")
QUERIES = (*(f"FROM {name} ORDER BY ALL;" for name in VIEWS), *search.QUERIES)
"""What is asked of the views that the script makes."""
NAMES = ("p50", "p90", "p95", "p99", "p999", "p9999")
CANCELLING = ("rate_cv",)
_FAULTS = {
    codes.L2_RATE.code: "missed",
    codes.L7_ERRORS.code: "failed",
    codes.E8_LATE.code: "late",
    codes.E8_LITTLE.code: "crowded",
}
"""What a run says against itself that follows from its histograms and counts: code, and column of the view."""
_YES, _NO = "a reason", "no reason"
NEVER = (
    Skipped(
        what="intervals inside a run, which percentiles a run resolves, effective samples, steady state, other reasons "
        "of a run, tier",
        why="they need the order of the intervals; verify computes them from the journal",
    ),
)


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a mean."""

    value: float


class Percentile(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a percentile."""

    value: float | None
    low: float | None
    high: float | None
    resolved: bool
    empirical: float | None = msgspec.field(name="seen")


class Spectrum(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of what requests took."""

    mean: Mean | None
    p50: Percentile
    p90: Percentile
    p95: Percentile
    p99: Percentile
    p999: Percentile
    p9999: Percentile
    max: Percentile


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """How late requests were sent."""

    no_connection: Spectrum
    generator_late: Spectrum


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of an operation."""

    name: str
    count: int
    errors: dict[str, int]
    timeouts: int
    response: Spectrum
    service: Spectrum
    failures: Spectrum
    lag: Lag

    @property
    def spectra(self) -> dict[str, Spectrum]:
        """By the name of their histograms."""
        return {
            "response": self.response,
            "service": self.service,
            "failed": self.failures,
            "lag_free": self.lag.no_connection,
            "lag_late": self.lag.generator_late,
        }


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of one."""

    code: str


class PrintedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a run; of one by agents, who are judged each by itself, that there are some."""

    number: int
    loop: str
    agents: tuple[msgspec.Raw, ...] = ()
    rate_achieved: Mean | None
    rate_cv: float | None
    operations: tuple[Operation, ...]
    reasons: tuple[Reason, ...]


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a figure over several runs."""

    name: str
    values: tuple[float, ...]
    mean: float
    low: float
    high: float


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of runs of one kind."""

    loop: str
    connections: int
    runs: tuple[int, ...]
    between: tuple[Between, ...]


class Loops(msgspec.Struct, frozen=True, kw_only=True):
    """The open loop against the closed one."""

    open_p99: float
    closed_p99: float
    open_max: float
    closed_max: float
    ratio: float


class Required(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a budget in a run."""

    budget: str
    verdict: str
    value: float | None


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a run of which something is required."""

    run: int
    budgets: tuple[Required, ...]


class Requirements(msgspec.Struct, frozen=True, kw_only=True):
    """Likewise of all."""

    budgets: tuple[search.Budget, ...]
    runs: tuple[Holding, ...]


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the document."""

    runs: tuple[PrintedRun, ...]
    groups: tuple[Group, ...]
    loops: Loops | None = None
    requirements: Requirements | None = None


def script(folder: Path) -> str:
    """The SQL that computes the figures of a load; it makes tables and views, and returns no row.

    Raises:
        EvidenceFault: a journal or a document cannot be read.
    """
    place = raw.Place(folder)
    parts = map(raw.file, ("figures", "student_t", "repeats"))
    return "\n".join((raw.script([place]), member([place]), *parts, search.script([place])))


def member(places: Sequence[raw.Place]) -> str:
    """The table of the runs of each kind.

    Raises:
        EvidenceFault: a document cannot be read.
    """
    columns = "attempt INTEGER, arm VARCHAR, loop VARCHAR, connections INTEGER, run INTEGER"
    rows = [
        (place.attempt, place.arm, group.loop, group.connections, number)
        for place in places
        for group in raw.read(place.folder / raw.JSON, Printed).groups
        for number in group.runs
    ]
    return raw.table("member", columns, rows)


def recount(folder: Path, run: Run) -> Recount:
    """Compute the figures by SQL and compare them with the printed ones.

    Args:
        folder: the evidence, sealed.
        run: executes SQL in DuckDB, and raises DataFault where a file defeats it.
    """
    found = Figures("histograms", CANCELLING)
    try:
        searched = compare(found, raw.Place(folder), raw.JSON, run(script(folder), QUERIES))
    except (EvidenceFault, DataFault) as error:
        return impossible(raw.JSON, error.what)
    return found.result(*NEVER, *((search.NEVER,) if searched else ()))


def compare(found: Figures, place: raw.Place, file: str, tables: Sequence[Sequence[Row]]) -> bool:
    """Compare every figure of a load.

    Args:
        found: where they are counted.
        place: of the load.
        file: its document, for people.
        tables: what :data:`QUERIES` gave, of this load and others.

    Returns:
        Whether it is a search.

    Raises:
        EvidenceFault: the document cannot be read.
    """
    printed: Printed = raw.read(place.folder / raw.JSON, Printed)
    of = {
        name: [row for row in rows if (row["attempt"], row["arm"]) == (place.attempt, place.arm)]
        for name, rows in zip(VIEWS, tables, strict=False)
    }
    searched = search.compare(found, place, file, tables[len(VIEWS) :])
    load = _Load(found, file, of)
    load.runs(printed.runs)
    if printed.requirements is not None:
        load.requirements(printed.requirements, {run.number: run for run in printed.runs})
    _groups(found, file, printed.groups, of["between_runs"])
    if printed.loops is not None:
        row = next(iter(of["loops"]), None)
        for name in Loops.__struct_fields__:
            found.compare(file, "open and closed loop", name, getattr(printed.loops, name), row[name] if row else None)
    return searched


class _Load:
    """The figures of every run and operation."""

    def __init__(self, found: Figures, file: str, of: Mapping[str, Sequence[Row]]) -> None:
        self._found, self._file = found, file
        self._counted = {(row["run"], row["operation"]): row for row in of["counted"]}
        self._percentiles = {(*_key(row), row["name"]): row["seen"] for row in of["quantile"]}
        self._longest = {_key(row): row["max"] for row in of["longest"]}
        self._means = {_key(row): row["mean"] for row in of["mean"]}
        self._rates = {row["run"]: row for row in of["rate"]}
        self._faults = {row["run"]: row for row in of["fault"]}

    def runs(self, printed: Sequence[PrintedRun]) -> None:
        """Compare rate, errors and percentiles of every run that the report has with those by SQL."""
        for run in printed:
            row = self._rates.get(run.number)
            # Of a run that is refused no rate is told.
            if run.rate_achieved is not None:
                self._compare(run, "", "rate", run.rate_achieved.value, row["rate"] if row else None)
            self._compare(run, "", "rate_cv", run.rate_cv, row["rate_cv"] if row else None)
            codes_named = {one.code for one in run.reasons}
            for code, name in _FAULTS.items():
                if run.agents and code == codes.E8_LATE.code:
                    continue
                words = (_YES if code in codes_named else _NO, _YES if self._faults[run.number][name] else _NO)
                self._found.word(self._file, f"run {run.number}", code, *words)
            for at, one in enumerate(run.operations):
                # Where there are several, all together come first.
                self._operation(run, one, "" if at == 0 and len(run.operations) > 1 else one.name)

    def requirements(self, printed: Requirements, runs: Mapping[int, PrintedRun]) -> None:
        """Compare what a run saw of each budget, and on which side of it a decided one stands."""
        for one in printed.runs:
            operations = runs[one.run].operations
            name = "" if len(operations) > 1 else operations[0].name if operations else ""
            counted = self._counted.get((one.run, name))
            for budget, outcome in zip(printed.budgets, one.budgets, strict=False):
                place = f"run {one.run}, required {budget.text}"
                if budget.percentile is not None:
                    key = (one.run, name, "response", search.NAMES_OF[budget.percentile])
                    computed, limit = self._percentiles.get(key), budget.limit_s
                else:
                    failed = counted["errors"] + counted["timeouts"] if counted else 0
                    asked = failed + counted["answered"] if counted else 0
                    computed, limit = failed / asked if asked else None, budget.errors
                self._found.compare(self._file, place, "value", outcome.value, computed)
                if outcome.verdict != "OPEN" and computed is not None and limit is not None:
                    word = "HOLDS" if computed <= limit else "BROKEN"
                    self._found.word(self._file, place, "verdict", outcome.verdict, word)

    def _operation(self, run: PrintedRun, one: Operation, name: str) -> None:
        row = self._counted.get((run.number, name))
        for figure, printed in (("count", one.count), ("errors", sum(one.errors.values())), ("timeouts", one.timeouts)):
            computed = row["answered" if figure == "count" else figure] if row else None
            self._compare(run, one.name, figure, printed, computed)
        for kind, spectrum in one.spectra.items():
            place = f"{one.name}, {kind}"
            key = (run.number, name, kind)
            self._compare(run, place, "mean", spectrum.mean.value if spectrum.mean else None, self._means.get(key))
            self._compare(run, place, "max", spectrum.max.empirical, self._longest.get(key))
            for percentile in NAMES:
                figures: Percentile = getattr(spectrum, percentile)
                recomputed = self._percentiles.get((*key, percentile))
                self._compare(run, place, percentile, figures.empirical, recomputed)
                if figures.resolved or figures.value is not None:
                    self._compare(run, place, percentile, figures.value, recomputed)

    def _compare(self, run: PrintedRun, place: str, name: str, printed: float | None, computed: float | None) -> None:
        where = f"run {run.number}, {place}" if place else f"run {run.number}"
        self._found.compare(self._file, where, name, printed, computed)


def _groups(found: Figures, file: str, printed: Sequence[Group], rows: Sequence[Row]) -> None:
    """Where the next run of each kind falls."""
    known = {(row["loop"], row["connections"], row["name"]): row for row in rows}
    for group in printed:
        for one in group.between:
            row = known.get((group.loop, group.connections, one.name))
            place = f"{one.name} of {len(group.runs)} runs, {group.loop} loop, {group.connections} connections"
            for name in ("mean", "low", "high"):
                found.compare(file, place, name, getattr(one, name), row[name] if row else None)


def _key(row: Row) -> tuple[int, str, str]:
    return row["run"], row["operation"], row["kind"]
