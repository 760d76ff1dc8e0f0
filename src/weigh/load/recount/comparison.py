"""Several servers under one load by SQL: the figures of every run, verdicts, the noise floor of every question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import attempts, journal
from weigh.evidence.verification import is_name
from weigh.load.recount import load, raw, search
from weigh.model import codes
from weigh.model.errors import DataFault, EvidenceFault
from weigh.recount import noncentral_t
from weigh.recount.recount import Figures, Recount, Run, Skipped, impossible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from weigh.recount.recount import Row

JSON = "load-comparison.json"
FOLDER = "contenders"
"""The folder inside the evidence that holds a folder for each arm."""
VIEWS = ("shown", "verdict", "floor", "typical", "metric")
QUERIES = (*(f"FROM {name} ORDER BY ALL;" for name in VIEWS), *load.QUERIES)
"""What is asked of the views that the script makes."""
POWER = 0.80
_MOST = 10_000
"""Blocks of a comparison: every number of them has a table row."""
_FIGURES = ("starts", "ratio", "low", "high", "low_fcr", "high_fcr", "noise_floor")
_DETECTABLE = 1e-6
"""Relative difference of two ways to Student's noncentral t that is their rounding."""
_REFUSED = "contender VARCHAR, loop VARCHAR, connections INTEGER, operation VARCHAR, metric VARCHAR"
_KILLED = "it was killed, and which intervals of its runs count is written nowhere, so that no verdict is compared"
_OWN = frozenset(
    one.code
    for one in (
        codes.T1, codes.T1_CLOCK, codes.T1_MEDIANS, codes.T1_FLOOR, codes.T1_CONSTANT, codes.T4, codes.T7_UNSTABLE,
        codes.T7_STARTS, codes.T8_LOST, codes.T10, codes.X_METRIC,
    )
)  # fmt: skip
"""Codes of reasons that follow from the figures themselves. Every other one is of something else, and forbids."""
_FEWEST = 5
_GIVEN = Skipped(
    what="why a verdict is refused that its figures would allow, warm-up, runs that are refused, starts_needed, "
    "findings, tier",
    why="they are taken as the report has them: they follow from rows, settings and the machine, or from the order of "
    "the intervals; verify computes them from the journals",
)
_Key = tuple[str, int, str, str, str]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of one."""

    code: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a figure is about."""

    loop: str
    connections: int
    operation: str
    metric: str


class Verdict(Question, frozen=True, kw_only=True):
    """What is read of a verdict."""

    contender: str
    baseline: str
    verdict: str
    value: float | None
    baseline_value: float | None
    starts: int
    ratio: float | None
    low: float | None
    high: float | None
    low_fcr: float | None
    high_fcr: float | None
    noise_floor: float | None
    detectable: float | None
    reasons: tuple[Reason, ...]

    @property
    def forbidden(self) -> bool:
        """Whether it is refused for something that is not in its figures."""
        why = {one.code for one in self.reasons} - _OWN
        if self.starts < _FEWEST:
            why -= {codes.T10_STARTS.code}
        return self.verdict == "refused" and bool(why)


class Floor(Question, frozen=True, kw_only=True):
    """What is read of a noise floor."""

    ratio: float
    low: float
    high: float


class BlockRun(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a run."""

    attempt: int
    block: int
    arm: str
    loop: str
    connections: int
    run: int
    verdict: str


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a contender as it took part."""

    name: str
    contender: str
    load: str


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Error rates and bounds."""

    margin: float
    confidence: float
    fdr: float
    equivalence: float
    unstable: float


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of what was offered."""

    baseline: str


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the highest rate of a contender."""

    contender: str
    sustained: float | None = msgspec.field(name="kept")
    broken: float | None


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of searches in turn."""

    rates: tuple[Rate, ...]


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the document."""

    offered: Offered
    rules: Rules
    contenders: tuple[Arm, ...]
    verdicts: tuple[Verdict, ...]
    floors: tuple[Floor, ...]
    runs: tuple[BlockRun, ...]
    rate_search: Rates | None = None


class PrintedFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The document, to know every figure of its runs."""

    runs: tuple[dict[str, Any], ...]


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the spec of the load."""

    error_budget: float


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the spec of the comparison."""

    load: Budget
    rules: Rules


def script(folder: Path) -> str:
    """The SQL that computes the figures of a comparison; it makes tables and views, and returns no row.

    Raises:
        EvidenceFault: a journal or a document cannot be read.
    """
    printed: Printed = raw.read(folder / JSON, Printed)
    spec: Spec = raw.read(folder / "spec.json", Spec)
    # Named in the document and in the spec: what decides is the latter.
    rules = spec.rules
    counts = [(run.attempt, run.arm, run.run) for run in printed.runs if run.verdict == "counts"]
    blocks = min(max((one.starts for one in printed.verdicts), default=0), _MOST)
    refused = [
        (one.contender, one.loop, one.connections, _operation(one), one.metric)
        for one in printed.verdicts
        if one.forbidden
    ]
    factors = [
        (freedom, noncentral_t.detectable(rules.confidence, POWER, freedom))
        for freedom in sorted({one.starts - 1 for one in printed.verdicts if one.starts <= blocks} - {0, -1})
    ]
    places, _ = _places(folder, printed)
    return "\n".join(
        (
            raw.script(places, counts),
            "-- What was asked for, before anything ran.",
            raw.table(
                "chosen",
                "baseline VARCHAR, margin DOUBLE, confidence DOUBLE, fdr DOUBLE, equivalence DOUBLE, unstable DOUBLE, "
                "error_budget DOUBLE",
                [(printed.offered.baseline, *msgspec.structs.astuple(rules), spec.load.error_budget)],
            ),
            raw.table(
                "refused",
                "contender VARCHAR, loop VARCHAR, connections INTEGER, operation VARCHAR, metric VARCHAR",
                refused,
            ),
            raw.table("factor", "freedom INTEGER, factor DOUBLE", factors),
            load.member(places),
            *map(raw.file, ("figures", "student_t", "repeats", "verdicts")),
            search.script(places),
        )
    )


def recount(folder: Path, run: Run) -> Recount:
    """Compute the figures by SQL and compare them with the printed ones.

    Args:
        folder: the evidence, sealed.
        run: executes SQL in DuckDB, and raises DataFault where a file defeats it.
    """
    found = Figures("histograms", (*load.CANCELLING, "noise_floor", "errors"))
    try:
        printed: Printed = raw.read(folder / JSON, Printed)
        places, killed = _places(folder, printed)
        rows, verdicts, floors, typical, metrics, *loads = run(script(folder), QUERIES)
        figures: PrintedFigures = raw.read(folder / JSON, PrintedFigures)
        _runs(found, printed, figures, rows, [row["metric"] for row in metrics], killed)
        for number in sorted(killed):
            found.skip(_KILLED, f"attempt {number}")
        # Searches in turn have one verdict on the ratio of two rates, and no floor.
        if not killed and printed.rate_search is None:
            _verdicts(found, printed, verdicts, typical)
            _floors(found, printed, floors)
        if not killed and printed.rate_search is not None:
            _rates(found, printed.rate_search, loads[-1])
        for place in places:
            if place.folder.parent.parent == folder.resolve():
                load.compare(found, place, f"{FOLDER}/{place.folder.name}/{raw.JSON}", loads)
    except (EvidenceFault, DataFault) as error:
        return impossible(JSON, error.what)
    return found.result(_GIVEN, *load.NEVER, *((search.NEVER,) if printed.rate_search else ()))


def _places(folder: Path, printed: Printed) -> tuple[list[raw.Place], set[int]]:
    """The loads of every arm in this and the earlier attempts; and attempts that were killed before they had documents.

    Raises:
        EvidenceFault: the document leads out of the evidence.
    """
    places: list[raw.Place] = []
    killed: set[int] = set()
    for path in (one.resolve() for one in attempts.history_folders(folder)):
        opened = journal.first(path)
        number = opened.body.get("attempt") if opened and isinstance(opened.body, dict) else None
        for arm in printed.contenders:
            place = path / _inside(arm)
            if not isinstance(number, int) or not journal.begun(place):
                continue
            if path != folder.resolve() and not (place / raw.JSON).exists():
                killed.add(number)
            else:
                places.append(raw.Place(place, number, arm.name, arm.contender))
    return places, killed


def _inside(arm: Arm) -> str:
    """Where the load of an arm lies in the evidence.

    Raises:
        EvidenceFault: the document leads out of it.
    """
    above, _, name = arm.load.partition("/")
    if above != FOLDER or not is_name(name):
        raise EvidenceFault(f"{arm.name} has its load in no folder of the evidence", remedy="the evidence was edited")
    return arm.load


def _operation(one: Question) -> str:
    """As SQL names it: all together have no name."""
    return "" if one.operation == "all" else one.operation


def _key(one: Question, contender: str) -> _Key:
    return one.loop, one.connections, _operation(one), one.metric, contender


def _place(one: Question, contender: str = "") -> str:
    of = f" of {contender}" if contender else " of the two arms"
    return f"{one.metric} of {one.operation}{of}, {one.loop} loop, {one.connections} connections"


def _row_key(row: Row, contender: str | None = None) -> _Key:
    own = row["contender"] if contender is None else contender
    return row["loop"], row["connections"], row["operation"], row["metric"], own


def _runs(
    found: Figures,
    printed: Printed,
    figures: PrintedFigures,
    rows: Sequence[Row],
    metrics: Sequence[str],
    killed: set[int],
) -> None:
    """The figures of all operations together of every run."""
    known = {
        (row["attempt"], row["arm"], row["run"], row["metric"]): row["value"] for row in rows if row["operation"] == ""
    }
    for one, values in zip(printed.runs, figures.runs, strict=True):
        for metric in metrics if one.attempt not in killed else ():
            place = f"run {one.run} of {one.arm} in block {one.block} of attempt {one.attempt}"
            value = values.get(metric)
            number = value if isinstance(value, int | float) else None
            found.compare(JSON, place, metric, number, known.get((one.attempt, one.arm, one.run, metric)))


def _verdicts(found: Figures, printed: Printed, rows: Sequence[Row], typical: Sequence[Row]) -> None:
    computed: Mapping[_Key, Row] = {_row_key(row): row for row in rows}
    values = {_row_key(row): row["value"] for row in typical}
    for one in printed.verdicts:
        key = _key(one, one.contender)
        place = _place(one, one.contender)
        row = computed.get(key)
        found.word(JSON, place, "verdict", one.verdict, row["verdict"] if row else "refused")
        found.compare(JSON, place, "value", one.value, values.get(key))
        found.compare(JSON, place, "baseline_value", one.baseline_value, values.get((*key[:-1], one.baseline)))
        # What scatters within one start says nothing about the next one, and is not printed.
        silent = one.forbidden and codes.T10_STARTS.code in {reason.code for reason in one.reasons}
        for name in _FIGURES:
            hidden = silent and name not in ("starts", "ratio")
            by_sql = row[name] if row and not hidden else 0 if name == "starts" and not row else None
            found.compare(JSON, place, name, getattr(one, name), by_sql)
        by_sql = row["detectable"] if row and not silent else None
        found.compare(JSON, place, "detectable", one.detectable, by_sql, _DETECTABLE)
    printed_keys = {_key(one, one.contender) for one in printed.verdicts}
    for key in computed.keys() - printed_keys:
        loop, connections, operation, metric, contender = key
        question = Question(loop=loop, connections=connections, operation=operation or "all", metric=metric)
        found.wrong(
            JSON, f"{_place(question, contender)}: the report has no verdict, and SQL has one from the histograms"
        )


def _floors(found: Figures, printed: Printed, rows: Sequence[Row]) -> None:
    computed = {_row_key(row, ""): row for row in rows}
    for one in printed.floors:
        row = computed.get(_key(one, ""))
        for name in ("ratio", "low", "high"):
            found.compare(JSON, _place(one), name, getattr(one, name), row[name] if row else None)


def _rates(found: Figures, printed: Rates, rows: Sequence[Row]) -> None:
    """Of each contender, from the probes of all attempts."""
    known = {row["contender"]: row for row in rows if row["attempt"] == 0}
    for one in printed.rates:
        row = known.get(one.contender)
        for name, rate in (("kept", one.sustained), ("broken", one.broken)):
            found.compare(JSON, f"the search of {one.contender}", name, rate, row[name] if row else None)
