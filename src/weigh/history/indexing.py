"""Indexing: what a history keeps of evidence of a kind that has series. Only what passes `weigh verify` is taken."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from weigh._version import __version__
from weigh.evidence import files, naming, seal
from weigh.evidence.attempts import history_folders
from weigh.experiment.report import files as report_files
from weigh.experiment.verify.verify import verified
from weigh.history import comparison, load_comparison
from weigh.history.entry import Entry, Measured, Point, digested, impossible, sealed
from weigh.kinds.table import kind_of
from weigh.model import codes
from weigh.model.contender import COMMAND
from weigh.model.errors import EvidenceFault
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.resources import cpus_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.contender import Contender
    from weigh.model.operation import Operation

_FIELDS = (
    "cpu", "cores", "cores_allowed", "memory_bytes", "kernel", "cpu_limit", "memory_limit", "governor", "turbo",
    "huge_pages", "clock_source", "virtual", "system",
)  # fmt: skip
PERCENTILES = ("p50", "p99")
"""Of a load: what is typical, and the tail."""
_SHORT = 12
"""Characters of a hash in the name of a version."""
_NOT_OFFERED = ("target", "repeats", "seed", "prepare")


def entries(
    folder: Path, *, commit: str = "", at: str = "", confirms: str = "", versions: Mapping[str, str] | None = None
) -> list[Entry]:
    """The entries of an evidence directory: one, or of a ladder one for each rung.

    Args:
        folder: the evidence.
        commit: the version that was measured, for engines that do not say which commit they are of; it is given to
            all contenders but the baseline.
        at: when that version was made; empty for when it was measured.
        confirms: the candidate that it was made for.
        versions: of contenders by name, as the history calls them; the rest as above.

    Raises:
        EvidenceFault: it is of a kind without series, is not sealed, does not pass `weigh verify`, or measured nothing.
    """
    kind = kind_of(folder)
    if kind.not_in_history:
        raise EvidenceFault(kind.not_in_history.what, where=str(folder), remedy=kind.not_in_history.remedy)
    if kind.has_rungs:
        return [one for rung in kind.inside(folder) for one in entries(rung, commit=commit, at=at, confirms=confirms)]
    if kind.name == "run":
        found, results = verified(folder)
    else:
        found, results = kind.verify(folder), None
    # Another version of weigh may word the report differently; the samples are hashed all the same.
    reworded = () if getattr(found, "weigh", __version__) == __version__ else (codes.R4_FIGURES.code,)
    if problems := [one for one in found.problems if one.code not in reworded]:
        reasons = "; ".join(f"{one.code} {one.file}: {one.text}" for one in problems[:3])
        raise EvidenceFault(
            f"it does not pass `weigh verify`: {reasons}", where=str(folder), remedy="add evidence that nobody edited"
        )
    if results is None and kind.name == "run":
        results = report_files.read(folder)
    made = _run(results) if results else _LOADS[kind.name](folder, commit)
    if not made["points"]:
        if kind.name in _LOADS:
            raise EvidenceFault(
                f"no run of it counts and resolves its {' or '.join(PERCENTILES)}",
                where=str(folder),
                remedy="add a load that is not refused and long enough",
            )
        raise EvidenceFault("nothing was measured", where=str(folder), remedy="add evidence of what has figures")
    if wrong := next(filter(None, map(impossible, made["points"])), ""):
        raise EvidenceFault(f"{wrong}, which nobody measured", where=str(folder), remedy="measure it again")
    if commit:
        made["points"] = tuple(_labelled(one, commit) for one in made["points"])
    if versions:
        made["points"] = tuple(_called(one, versions) for one in made["points"])
    seal_hash = files.hashed(folder / seal.SEAL)
    return [
        sealed(
            Entry(
                id=seal_hash,
                kind=kind.name,
                evidence=naming.given(folder),
                path=str(folder.resolve()),
                at=at or _when(folder, kind.file),
                covers=tuple(dict.fromkeys([seal_hash, *_earlier(folder)])),
                confirms=confirms,
                **made,
            )
        )
    ]


def _earlier(folder: Path) -> Iterator[str]:
    """Ids of the earlier attempts that its figures read."""
    for path in history_folders(folder):
        if (path / seal.SEAL).exists():
            yield files.hashed(path / seal.SEAL)


def _when(folder: Path, file: str) -> str:
    """When it was measured: the journal's time, unless a copy of another day has it."""
    return naming.written(folder, file).strftime("%Y-%m-%dT%H:%M:%SZ")


def _labelled(point: Point, commit: str) -> Point:
    """A point whose version is the commit, unless it is the reference's."""
    if point.against is None and point.ratio is not None:
        return point
    return msgspec.structs.replace(point, who=msgspec.structs.replace(point.who, version=commit))


def _called(point: Point, versions: Mapping[str, str]) -> Point:
    """A point with the versions that a history calls its contenders."""

    def called(who: Measured) -> Measured:
        return msgspec.structs.replace(who, version=versions.get(who.name, who.version))

    return msgspec.structs.replace(
        point, who=called(point.who), against=called(point.against) if point.against else None
    )


def _run(results: ExperimentResults) -> dict[str, Any]:
    latest = results.record
    environment = latest.environment
    return {
        "experiment": latest.spec.id,
        "comparison": comparison.comparison(latest),
        "identities": comparison.identities(latest),
        "workload": latest.spec.title,
        "tier": str(results.tier.name) if results.tier else "",
        "weigh": environment.weigh if environment else "",
        "host": _host(latest.host),
        "data": _data(latest),
        "offered": _bounds(latest),
        "flags": _declared(latest),
        "points": tuple(_run_points(results)),
    }


def _run_points(results: ExperimentResults) -> Iterator[Point]:
    record = results.record
    questions = {one.name: _question(one) for one in (record.workload.operations if record.workload else ())}
    who = {one.name: one for one in map(_measured_by(record), record.spec.contenders)}
    verdicts = {(one.operation, one.contender, one.temperature): one for one in results.headline.verdicts}
    for timing in results.headline.timings:
        named = verdicts.get((timing.operation, timing.contender, timing.temperature))
        verdict = named if named and named.ratio is not None else None
        is_baseline = timing.contender == record.spec.baseline
        yield Point(
            operation=timing.operation,
            metric=HEADLINE,
            temperature=timing.temperature,
            who=who[timing.contender],
            value=timing.median,
            against=who[verdict.baseline] if verdict else None,
            ratio=verdict.ratio if verdict else 1.0 if is_baseline and len(who) > 1 else None,
            low=verdict.low if verdict else None,
            high=verdict.high if verdict else None,
            verdict=str(named.verdict) if named else "",
            question=questions.get(timing.operation, ""),
        )


def _measured_by(record: Record) -> Callable[[Contender], Measured]:
    reads = {one.name: one for one in (record.environment.contenders if record.environment else ())}

    def measured(one: Contender) -> Measured:
        read = reads.get(one.name)
        release = (read.package or read.version) if read else one.version
        again = one
        if one.build is msgspec.UNSET:
            again = msgspec.structs.replace(one, version=one.version or (read.package if read else ""))
        elif one.build.kind == "revision":
            # A branch or HEAD is another commit tomorrow.
            release = one.build.commit[:_SHORT]
            again = msgspec.structs.replace(one, version=f"git:{one.build.commit}")
        else:
            release = f"{one.build.version or release}-{one.build.content[:_SHORT]}"
        return Measured(
            name=one.name,
            engine=one.engine,
            # A command has no version of its own: its name tells it from the others.
            version="+".join([release, *one.pins]) if COMMAND not in one.settings else one.name,
            spec=again.spec,
            settings=dict(one.settings),
            data=one.data,
        )

    return measured


def _question(operation: Operation) -> str:
    literals = {case.name: case.literals for case in operation.timed()}
    return digested([operation.sql, msgspec.to_builtins(operation.dialect), msgspec.to_builtins(literals)])[:16]


def _host(host: Mapping[str, Any]) -> dict[str, Any]:
    return {name: host[name] for name in _FIELDS if name in host}


def _data(record: Record) -> dict[str, str]:
    if record.manifest is None:
        return {}
    hashes = sorted(file.blake3 for one in record.manifests for file in one.files)
    return {
        "dataset": str(record.manifest.dataset),
        "rows": digested(record.manifest.digests)[:16],
        "files": digested(hashes)[:16],
    }


def _declared(record: Record) -> dict[str, str]:
    """Flags that ask the same again; what lies in weigh.toml is read from there."""
    spec = record.spec
    found = {
        "workload": "" if spec.user_data else spec.workload,
        "scale": "" if spec.scale is None else str(spec.scale),
        "seed": str(spec.seed),
        "temperature": spec.temperature,
        "margin": str(spec.rules.margin),
        "affinity": cpus_text(spec.affinity or ()),
        "memory_limit": str(spec.memory_limit or ""),
        "ingest": "yes" if spec.ingest is True else "",
    }
    return {name: value for name, value in found.items() if value}


def _bounds(record: Record) -> dict[str, str]:
    """How contenders were bounded, as far as it was asked for."""
    spec = record.spec
    found = {
        "affinity": cpus_text(spec.affinity or ()),
        "memory limit": str(spec.memory_limit or ""),
        "duet": "yes" if spec.duet is True else "",
    }
    return {name: value for name, value in found.items() if value}


def _load(folder: Path, commit: str) -> dict[str, Any]:
    from weigh.load.report.document import document
    from weigh.load.report.files import read

    results = read(folder)
    record = results.record
    target = record.environment.target if record.environment else None
    who = Measured(
        name=record.spec.target,
        engine=target.product if target else record.spec.target,
        version=target.version if target else "",
    )
    plain = msgspec.to_builtins(document(results, naming.given(folder)))
    first = next((run for run in plain["runs"] if run["verdict"] != "refused"), None)
    return {
        "experiment": record.spec.id,
        "comparison": load_comparison.load(record, commit),
        "workload": record.spec.workload,
        "tier": str(results.tier.name),
        "weigh": record.environment.weigh if record.environment else "",
        "host": _host(record.environment.host if record.environment else {}),
        "offered": _offered(record.spec),
        "points": tuple(_load_points(plain["runs"], who)) if first else (),
    }


def _load_points(runs: list[dict[str, Any]], who: Measured) -> Iterator[Point]:
    """The median over repeats of each percentile that all of them resolve."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for run in (one for one in runs if one["verdict"] != "refused"):
        for operation in run["operations"]:
            for name in PERCENTILES:
                if operation["response"][name]["resolved"]:
                    key = (f"{operation['name']}, {run['loop']} loop", name, str(run["connections"]))
                    found.setdefault(key, []).append(operation["response"][name]["value"])
    for (operation, name, connections), values in found.items():
        label = f"{operation}, {connections} connections"
        yield Point(operation=label, metric=name, who=who, value=median(values))


def _offered(spec: Any) -> dict[str, str]:
    plain = {name: value for name, value in msgspec.to_builtins(spec).items() if name not in _NOT_OFFERED}
    return {"load": digested(plain)[:16]}


def _load_comparison(folder: Path, commit: str) -> dict[str, Any]:
    from weigh.load.comparison.report.files import read

    results = read(folder)
    spec = results.record.spec
    loads = results.record.loads
    arms = {one.contender: loads[one.name] for one in spec.arms if one.name in loads}

    def measured(name: str) -> Measured:
        read = arms[name].environment if name in arms else None
        engine = read.target.product if read else name
        return Measured(name=name, engine=engine, version=read.target.version if read else "")

    points = []
    for one in results.verdicts:
        if one.metric not in PERCENTILES or one.value is None or one.baseline_value is None:
            continue
        operation = f"{one.operation}, {one.loop} loop, {one.connections} connections"
        points.append(
            Point(
                operation=operation,
                metric=one.metric,
                who=measured(one.contender),
                value=one.value,
                against=measured(one.baseline),
                verdict=str(one.verdict),
                ratio=one.ratio,
                low=one.low,
                high=one.high,
            )
        )
        if not any(point.operation == operation and point.who.name == one.baseline for point in points):
            figures_of = measured(one.baseline)
            points.append(
                Point(operation=operation, metric=one.metric, who=figures_of, value=one.baseline_value, ratio=1.0)
            )
    environment = results.record.environment
    return {
        "experiment": spec.id,
        "comparison": load_comparison.comparison(results.record, commit),
        "identities": load_comparison.identities(results.record, commit),
        "workload": spec.load.workload,
        "tier": str(results.tier.name),
        "weigh": environment.weigh if environment else "",
        "host": _host(results.record.host),
        "offered": _offered(spec.load),
        "points": tuple(points),
    }


_LOADS = {"load": _load, "load-comparison": _load_comparison}
