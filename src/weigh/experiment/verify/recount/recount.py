"""A second implementation: the simple figures of a report, by SQL over ``samples.parquet``.

``figures.sql`` has the arithmetic, in a language that a sceptic reads and pastes; nothing of ``weigh.verdict`` is
imported here. What it computes is compared with what the report printed.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from weigh.evidence import files as evidence_files
from weigh.experiment.verify.recount import cost as costs
from weigh.experiment.verify.recount import grid as grids
from weigh.experiment.verify.recount import overall, templates
from weigh.experiment.verify.recount.samples import samples
from weigh.model import codes
from weigh.model.errors import DataFault, EvidenceFault
from weigh.model.operation import Workload
from weigh.model.rules import Typical
from weigh.model.spec import Spec
from weigh.model.verdict import Suite, Timing, Verdict
from weigh.recount import student_t
from weigh.recount.recount import Figures, Recount, Row, Run, Skipped, impossible
from weigh.recount.text import text as _text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_Kind = TypeVar("_Kind")
QUERIES = ("FROM timing ORDER BY ALL;", "FROM verdict ORDER BY ALL;", "FROM suite ORDER BY ALL;")
"""What is asked of the views that the script makes."""

_CANCELLING = ("cv", "noise_floor", "around")
"""These are what is left when one figure is taken from another."""
_VERDICTS = "verdicts.json"
_METRICS = (
    "wall_s", "cpu_s", "peak_memory", "bytes_read", "stored_bytes", "first_query_s", "cost", "server_s", "queue_s",
)  # fmt: skip
_TIMING = ("starts", "runs", "min", "median", "max", "cv", "around")
_VERDICT = ("starts", "runs", "ratio", "low", "high", "median_ratio", "noise_floor")
_TOTAL = ("ratio", "low", "high")
_NOBODY = "('', 1, NULL)"
"""Where there is no interval at all."""
_SUITE = ("mean", "low", "high")
_EFFECT = ("starts", "ratio", "low", "high")
_COST = ("starts", "mean", "low", "high")
_KEY = ("operation", "contender", "metric", "temperature")
_HOT = "hot"
"""The temperature that needs no word."""
_NEVER = (
    "names of verdicts and their reasons, low_fcr, high_fcr, detectable, starts_needed, findings, tier",
    "they need the session as a whole, or more than sums, medians and means; verify computes them from the journal",
)
_MOST_STARTS = 10_000
"""The quantile of Student's distribution takes a step for each of them."""


class _Printed(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of verdicts.json."""

    timings: tuple[Timing, ...]
    verdicts: tuple[Verdict, ...]
    suites: tuple[Suite, ...] = ()
    grid: grids.PrintedGrid | None = None
    templates: tuple[templates.Printed, ...] = ()
    overall: tuple[overall.Printed, ...] = ()
    cost: costs.Printed | None = None

    @property
    def effects(self) -> tuple[grids.Effect, ...]:
        """Of the grid; none where there is none."""
        return self.grid.effects if self.grid else ()


def script(folder: Path) -> str:
    """The SQL that computes the figures of an evidence directory; it makes tables and views, and returns no row.

    Raises:
        EvidenceFault: there is no evidence, or it has no spec, verdicts or samples.
    """
    printed, spec = _printed(folder), _read(folder, "spec.json", Spec)
    means = [*(row.verdict for row in printed.templates), *(row.verdict for row in printed.overall)]
    if any(one.starts > _MOST_STARTS for one in (*printed.verdicts, *means)):
        raise EvidenceFault(
            f"a verdict of more than {_MOST_STARTS:,} starts", where=str(folder), remedy="the evidence was edited"
        )
    levels = sorted(
        {(one.operation, templates.units(one) - 1, one.share) for one in printed.verdicts if templates.units(one) > 1}
    )
    level = spec.rules.confidence
    of = {(freedom, share): student_t.quantile(1 - (1 - level) * share, freedom) for _, freedom, share in levels}
    rows = (f"({_text(operation)}, {freedom}, {of[freedom, share]!r})" for operation, freedom, share in levels)
    crossed = ""
    if spec.grid:
        shares = {one.operation: one.share for one in printed.verdicts}
        # A start of each arm of the baseline: no effect has more blocks.
        blocks = min(max((one.starts for one in printed.timings), default=0), _MOST_STARTS)
        crossed = "\n" + grids.script(spec.grid, printed.effects, shares, level, blocks, _text)
    if printed.templates:
        members = _read(folder, "workload.json", Workload).templates
        crossed += "\n" + templates.script(printed.templates, members, level, _text)
        crossed += templates.script_of_pooled(printed.templates, spec.rules.equivalence, _text)
    if printed.cost:
        crossed += "\n" + costs.script(printed.cost, level, _text)
    if printed.overall:
        crossed += "\n" + overall.script(printed.overall, spec.baseline, level, _text)
    return "\n".join(
        (
            "-- What was executed, in this attempt and in the earlier ones of the same experiment.",
            f"CREATE TEMP VIEW sample AS\n{samples(folder)};\n",
            "CREATE TEMP TABLE chosen(baseline, typical) AS "
            f"VALUES ({_text(spec.baseline)}, {_text(spec.rules.typical or Typical.PAIRS)});\n",
            "-- Who is compared with whom.",
            f"CREATE TEMP TABLE opposed(own, other) AS VALUES {', '.join(_opposed(spec))};\n",
            "-- Where turns that followed a contender are left out.",
            "CREATE TEMP TABLE carried(operation VARCHAR, contender VARCHAR, metric VARCHAR, temperature VARCHAR);",
            *(f"INSERT INTO carried VALUES ({', '.join(map(_text, _key(one)))});" for one in _carried(printed)),
            "-- What executions are charged by.",
            costs.prices(spec.prices, _text),
            f"-- Half-width, in standard errors, of the interval at {level:.10g}, all looks counted.",
            f"CREATE TEMP TABLE student(operation, freedom, quantile) AS VALUES {', '.join(rows) or _NOBODY};\n",
            Path(__file__).with_name("figures.sql").read_text() + crossed,
        )
    )


def _opposed(spec: Spec) -> Iterator[str]:
    """Every contender and the baseline, which is its own second arm's; and the cells of a grid."""
    pairs = {(one.name, spec.baseline) for one in spec.contenders}
    if spec.grid:
        pairs |= {pair for members in spec.grid.members.values() for pair in itertools.permutations(members, 2)}
    return (f"({_text(candidate)}, {_text(other)})" for candidate, other in sorted(pairs))


def _carried(printed: _Printed) -> Iterator[Verdict]:
    return (one for one in printed.verdicts if any(why.code == codes.T15.code for why in one.reasons))


def queries(folder: Path) -> tuple[str, ...]:
    """What is asked of the views that the script makes; raises as ``script``."""
    crossed = [grids.QUERY] if _read(folder, "spec.json", Spec).grid else []
    printed = _printed(folder)
    means = [templates.QUERY] if printed.templates else []
    means += [templates.POOLED] if any(one.pooled for one in printed.templates) else []
    means += [overall.QUERY] if printed.overall else []
    means += [costs.ROWS, costs.RATIOS] if printed.cost else []
    return (*QUERIES, *crossed, *means)


def recount(folder: Path, run: Run) -> Recount:
    """Compute the figures by SQL and compare them with the printed ones.

    Args:
        folder: the evidence, sealed.
        run: executes SQL in DuckDB, and raises DataFault where a file defeats it; how DuckDB is had is not for an
            auditor to know.
    """
    comparison = _Comparison("samples", _CANCELLING)
    try:
        printed = _printed(folder)
        statements = queries(folder)
        timings, verdicts, suites, *others = run(script(folder), statements)
    except (EvidenceFault, DataFault) as error:
        return impossible(_VERDICTS, error.what)
    comparison.timings(printed.timings, _by(timings, *_KEY))
    comparison.verdicts(printed.verdicts, _by(verdicts, *_KEY))
    comparison.suites(printed.suites, _by(suites, "contender", "temperature"))
    by_query = dict(zip(statements[len(QUERIES) :], others, strict=True))
    if grids.QUERY in by_query:
        comparison.effects(printed.effects, {row["id"]: row for row in by_query[grids.QUERY]})
    of = ("template", "contender", "temperature")
    pools = _by(by_query.get(templates.POOLED, ()), *of, "operation")
    comparison.templates(printed.templates, _by(by_query.get(templates.QUERY, ()), *of), pools)
    if overall.QUERY in by_query:
        comparison.overall(printed.overall, _by(by_query[overall.QUERY], "contender", "other", "temperature"))
    if printed.cost:
        comparison.cost(
            printed.cost,
            _by(by_query[costs.ROWS], "operation", "contender", "temperature"),
            _by(by_query[costs.RATIOS], "contender", "temperature"),
        )
    never, because = _NEVER
    return comparison.result(Skipped(what=never, why=because))


class _Comparison(Figures):
    """Figures that were printed against figures that were computed, row by row."""

    def timings(self, printed: Iterable[Timing], computed: Mapping[tuple[str, ...], Row]) -> None:
        """Each contender by itself."""
        keys = set()
        for row in printed:
            keys.add(_key(row))
            if self._known(row):
                self._figures(_place(row), row, computed.get(_key(row)), _TIMING)
        for operation, contender, metric, temperature in computed.keys() - keys:
            if metric == "wall_s":
                place = f"{operation}{_other(temperature)} of {contender}"
                self.skip("there are times, and the report shows none", place)

    def verdicts(self, printed: Iterable[Verdict], computed: Mapping[tuple[str, ...], Row]) -> None:
        """Each contender against the baseline."""
        for row in printed:
            found = computed.get(_key(row))
            if row.ratio is None:
                self.skip(f"the report has no ratio ({row.verdict})", _place(row))
            elif not self._known(row):
                continue
            else:
                self._figures(_place(row), row, found, _VERDICT)
                if row.total is not None:
                    whole = {name: found[f"total_{name}"] for name in _TOTAL} if found else None
                    self._figures(f"{_place(row)}, in total", row.total, whole, _TOTAL)

    def suites(self, printed: Iterable[Suite], computed: Mapping[tuple[str, ...], Row]) -> None:
        """Each contender over the whole workload."""
        for row in printed:
            if row.mean is None:
                self.skip("the report has no mean over the workload", row.contender)
            else:
                place = f"the workload{_other(row.temperature)} of {row.contender}"
                self._figures(place, row, computed.get((row.contender, row.temperature)), _SUITE)

    def effects(self, printed: Iterable[grids.Effect], computed: Mapping[int, Row]) -> None:
        """Each effect of a grid, and those that an interaction is told with."""
        printed = tuple(printed)
        for one in printed:
            if one.ratio is None:
                self.skip("the report has no effect", one.place)
        for number, figure in enumerate(grids.wanted(printed)):
            names = _EFFECT if figure.at is None else _TOTAL
            self._figures(figure.place, figure.row, computed.get(number), names)

    def templates(
        self,
        printed: Iterable[templates.Printed],
        computed: Mapping[tuple[str, ...], Row],
        pooled: Mapping[tuple[str, ...], Row],
    ) -> None:
        """Each contender over all operations of a template, and on each with the help of the others."""
        for row in printed:
            one = row.verdict
            if one.ratio is None:
                self.skip(f"the report has no ratio ({one.verdict})", f"template {one.operation}")
                continue
            key, whose = (
                (one.operation, one.contender, one.temperature),
                f"{_other(one.temperature)} of {one.contender}",
            )
            self._figures(f"template {one.operation}{whose}", one, computed.get(key), _EFFECT)
            for part in row.pooled or ():
                place = f"{part.operation}{whose}, pooled within its template"
                self._figures(place, part, pooled.get((*key, part.operation)), _TOTAL)

    def overall(self, printed: Iterable[overall.Printed], computed: Mapping[tuple[str, ...], Row]) -> None:
        """Every two contenders over all operations that all can do."""
        for one in (row.verdict for row in printed):
            place = f"overall{_other(one.temperature)} of {one.contender} over {one.baseline}"
            if one.ratio is None:
                self.skip(f"the report has no ratio ({one.verdict})", place)
            elif one.rebuilt is not msgspec.UNSET:
                self.skip("the SQL groups builds against the baseline alone", place)
            else:
                self._figures(place, one, computed.get((one.contender, one.baseline, one.temperature)), _EFFECT)

    def cost(
        self,
        printed: costs.Printed,
        rows: Mapping[tuple[str, ...], Row],
        ratios: Mapping[tuple[str, ...], Row],
    ) -> None:
        """What answers cost, and the ratios over the whole suite."""
        for one in printed.rows:
            place = f"cost of {one.operation or 'the suite'}{_other(one.temperature)} on {one.contender}"
            self._figures(place, one, rows.get((one.operation or "", one.contender, one.temperature)), _COST)
        for verdict in printed.suites:
            place = f"cost of the suite{_other(verdict.temperature)} of {verdict.contender}"
            if verdict.ratio is None:
                self.skip(f"the report has no ratio ({verdict.verdict})", place)
            else:
                self._figures(place, verdict, ratios.get((verdict.contender, verdict.temperature)), _EFFECT)

    def _known(self, row: Timing | Verdict) -> bool:
        if row.metric not in _METRICS:
            self.skip("the SQL does not read this metric", _place(row))
        return row.metric in _METRICS

    def _figures(self, place: str, row: object, found: Row | None, names: Iterable[str]) -> None:
        """The figures of one row that have a name here."""
        for name in names:
            self.compare(_VERDICTS, place, name, getattr(row, name), found[name] if found else None)


def _key(row: Timing | Verdict) -> tuple[str, str, str, str]:
    return row.operation, row.contender, row.metric, row.temperature


def _other(temperature: str) -> str:
    return "" if temperature == _HOT else f" ({temperature})"


def _place(row: Timing | Verdict) -> str:
    return f"{row.operation}{_other(row.temperature)} of {row.contender}, {row.metric}"


def _by(rows: Iterable[Row], *columns: str) -> dict[tuple[str, ...], Row]:
    return {tuple(row[column] for column in columns): row for row in rows}


def _printed(folder: Path) -> _Printed:
    if not folder.is_dir():
        raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh runs lists what there is")
    return _read(folder, _VERDICTS, _Printed)


def _read(folder: Path, name: str, kind: type[_Kind]) -> _Kind:
    try:
        return evidence_files.decoded(evidence_files.content(folder / name), kind)
    except FileNotFoundError:
        raise EvidenceFault(
            f"there is no {name}: the attempt was killed, is still running, or is no evidence of weigh",
            where=str(folder),
            remedy="name an attempt that ended; weigh run --resume completes a killed one",
        ) from None
    except (OSError, EvidenceFault) as error:
        raise EvidenceFault(
            f"{name} cannot be read: {error}",
            where=str(folder),
            remedy="the evidence was edited or the disk is failing",
        ) from error
