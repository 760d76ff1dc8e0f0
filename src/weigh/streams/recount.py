"""Query streams by SQL: every figure from the times in the journal, by a second implementation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files, journal
from weigh.model.errors import DataFault, EvidenceFault
from weigh.recount.recount import Figures, Recount, Run, Skipped, impossible
from weigh.recount.student_t import quantile
from weigh.recount.text import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.recount.recount import Row

JSON = "verdicts.json"
QUERIES = ("FROM whole ORDER BY ALL;",)
"""What is asked of the views that the script makes."""
_FEWEST = 5
"""Lives of which an interval is made, at least."""
_ROWS = 1000
"""Of one INSERT."""
_NEVER = Skipped(
    what="verdicts, tier, statuses of answers",
    why="verify computes them from the journal; answers themselves are not kept",
)


class _Rules(msgspec.Struct, frozen=True, kw_only=True):
    confidence: float = 0.99


class _Experiment(msgspec.Struct, frozen=True, kw_only=True):
    workload: str
    rules: _Rules = _Rules()
    scale: float | None = None


class _Spec(msgspec.Struct, frozen=True, kw_only=True):
    experiment: _Experiment
    streams: int


class _Opened(msgspec.Struct, frozen=True, kw_only=True):
    spec: _Spec


class _Step(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    began: float
    ended: float


class _Test(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    steps: tuple[_Step, ...]


class _Life(msgspec.Struct, frozen=True, kw_only=True):
    repetition: int
    contender: str
    load_s: float | None
    tests: tuple[_Test, ...]


class _Figure(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    contender: str
    values: tuple[float, ...]
    mean: float | None
    low: float | None
    high: float | None


class _Printed(msgspec.Struct, frozen=True, kw_only=True):
    figures: tuple[_Figure, ...]


def script(folder: Path) -> str:
    """The SQL that computes the figures; it makes tables and views, and returns no row.

    Raises:
        EvidenceFault: the journal cannot be read.
    """
    opened: _Opened | None = None
    lives: list[_Life] = []
    with journal.believed(folder):
        for event in journal.events(folder):
            if opened is None:
                opened = files.converted(event.body, _Opened)
            elif event.event == "life":
                lives.append(files.converted(event.body, _Life))
    if opened is None:
        raise journal.misbegun(folder)
    rows = [
        f"({text(life.contender)}, {life.repetition}, {text(test.name)}, {text(one.name)}, {one.began!r}, "
        f"{one.ended!r})"
        for life in lives
        if life.repetition
        for test in life.tests
        for one in test.steps
    ]
    spec = opened.spec
    maintains = spec.experiment.workload == "tpcds"
    queries, functions = (99, 11) if maintains else (22, 2)
    level = spec.experiment.rules.confidence
    most = max((life.repetition for life in lives), default=1)
    student = ", ".join(f"({one}, {quantile(level, one)!r})" for one in range(1, max(most, 2)))
    return "\n".join((
        "CREATE TEMP TABLE setting (scale DOUBLE, streams INTEGER, fewest INTEGER, maintains BOOLEAN, queries INTEGER, "
        "functions INTEGER, sets INTEGER);",
        f"INSERT INTO setting VALUES ({spec.experiment.scale or 1.0!r}, {spec.streams}, {_FEWEST}, {maintains}, "
        f"{queries}, {functions}, {max(1, spec.streams // 2)});",
        "CREATE TEMP TABLE load (contender VARCHAR, repetition INTEGER, load_s DOUBLE);",
        *(
            f"INSERT INTO load VALUES ({text(one.contender)}, {one.repetition}, "
            f"{'NULL' if one.load_s is None else repr(one.load_s)});"
            for one in lives
        ),
        "CREATE TEMP TABLE student (freedom INTEGER, t DOUBLE);",
        f"INSERT INTO student VALUES {student};",
        "CREATE TEMP TABLE step (contender VARCHAR, repetition INTEGER, test VARCHAR, name VARCHAR, began DOUBLE, "
        "ended DOUBLE);",
        *(f"INSERT INTO step VALUES {', '.join(rows[at : at + _ROWS])};" for at in range(0, len(rows), _ROWS)),
        Path(__file__).with_suffix(".sql").read_text(),
    ))  # fmt: skip


def recount(folder: Path, run: Run) -> Recount:
    """Compute the figures by SQL and compare them with the printed ones.

    Args:
        folder: the evidence, sealed.
        run: executes SQL in DuckDB, and raises DataFault where a file defeats it.
    """
    found = Figures("times")
    try:
        printed = files.decoded(files.content(folder / JSON), _Printed)
        (rows,) = run(script(folder), QUERIES)
    except (OSError, EvidenceFault, DataFault) as error:
        return impossible(JSON, str(error))
    _compare(found, printed, rows)
    return found.result(_NEVER)


def _compare(found: Figures, printed: _Printed, rows: Sequence[Row]) -> None:
    computed = {(row["name"], row["contender"]): row for row in rows}
    for one in printed.figures:
        place = f"{one.contender}, {one.name}"
        row = computed.get((one.name, one.contender))
        if row is None:
            found.wrong(JSON, f"{place}: it is in the report, and its times give none")
            continue
        for name in ("mean", "low", "high"):
            found.compare(JSON, place, name, getattr(one, name), row[name])
        if len(one.values) != len(row["values"]):
            found.wrong(JSON, f"{place}: {len(one.values)} lives in the report, {len(row['values'])} by SQL")
            continue
        for number, (reported, other) in enumerate(zip(one.values, row["values"], strict=True), 1):
            found.compare(JSON, f"{place}, repetition {number}", one.name, reported, other)
