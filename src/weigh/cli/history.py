"""``weigh history``: add, show, confirm."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli import completing
from weigh.cli.data_flags import DATA_FLAGS
from weigh.cli.evidence.path import others_evidence
from weigh.cli.keys import key, taking
from weigh.cli.output import print_json, print_rich, say, say_error
from weigh.cli.page import html_option, write_page
from weigh.cli.subcommands import Subcommands
from weigh.experiment.config.tables import ExperimentTable
from weigh.kinds.folder import DEFAULT_OUT, resolve

if TYPE_CHECKING:
    from weigh.history.entry import Entry
    from weigh.history.imports.cells import LeftOut
    from weigh.history.results import Candidate, HistoryResults
    from weigh.history.run import Measurement, Version

DEFAULT = "history"
"""The folder of a history, unless the user says otherwise."""


@click.group(cls=Subcommands)
def history() -> None:
    """Series over evidence: what changed from version to version.

    A history is a folder of small files, one for each evidence directory, the same as objects of S3, or a table of
    PostgreSQL or ClickHouse. Several CI jobs can add to it at the same time. A change of level in it is a candidate:
    `weigh history confirm` measures both versions side by side.
    """


_margin = taking(key(ExperimentTable, "margin", "FRACTION", default="3%", also=", as a candidate"))


@history.command()
@click.argument(
    "evidence", nargs=-1, required=True, type=click.Path(path_type=Path), shell_complete=completing.evidence
)
@click.option(
    "--to",
    metavar="PLACE",
    default=DEFAULT,
    show_default=True,
    help="The history: a folder, s3://..., postgres://... or clickhouse://...",
)
@click.option(
    "--commit",
    metavar="ID",
    default="",
    help="The version that was measured, where the engine does not say it: a commit. The baseline keeps its own.",
)
@click.option("--at", metavar="TIME", default="", help="When that version was made, ISO 8601 [when it was measured].")
@click.option(
    "--from",
    "form",
    type=click.Choice(["otava", "clickbench"]),
    default=None,
    help="Files of another tool: Apache Otava's CSV, ClickBench's results JSON [by content].",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/history-add/1).")
def add(evidence: tuple[Path, ...], to: str, commit: str, at: str, form: str | None, as_json: bool) -> None:
    """Add evidence to a history: runs, loads, comparisons of servers, ladders; `latest` is the newest of runs.

    Only what passes `weigh verify` is added, and nothing twice. What cannot be added is named, and the rest is added
    all the same. Exit 1 when that was so, or when attempts of one comparison on one kind of machine disagree: one said
    SLOWER, and another one did not (T8.disagree). Exit 2 when nothing could be added.
    """
    import msgspec

    from weigh.history import attempts, store
    from weigh.history.report.added import AddedDocument, AddedRow, RefusedRow
    from weigh.model.errors import ExitCode, WeighError
    from weigh.model.text import one_line
    from weigh.model.units import count

    where, made_at = store.place(to), _time(at)
    measured: list[Entry] = []
    left_out: dict[str, LeftOut] = {}
    refused: list[tuple[Path, WeighError]] = []
    for path in evidence:
        try:
            found, cells = _entries(path, commit, made_at, form)
        except WeighError as error:
            refused.append((path, error))
            continue
        measured += found
        if cells is not None:
            left_out[found[0].id] = cells
    if not measured and len(refused) == 1:
        raise refused[0][1]
    added = store.add_all(where, measured) if measured else {}
    entries = store.read_all(where)[0] if measured else []
    findings = list(attempts.findings(entries, {entry.experiment for entry in measured}))
    if as_json:
        made = AddedDocument(
            folder=str(where),
            added=tuple(
                AddedRow(
                    id=one.id,
                    evidence=one.evidence,
                    kind=one.kind,
                    points=len(one.points),
                    added=added[one.id],
                    left_out=tuple(
                        [*cells.others, *filter(None, [cells.note])] if (cells := left_out.get(one.id)) else []
                    ),
                )
                for one in measured
            ),
            refused=tuple(RefusedRow(path=str(path), what=why.what, remedy=why.remedy) for path, why in refused),
            findings=tuple(findings),
        )
        print_json({"schema": "weigh/history-add/1", **msgspec.to_builtins(made)})
    else:
        for entry in measured:
            outcome = count(len(entry.points), "point") if added[entry.id] else "it is there already"
            cells = left_out.get(entry.id)
            note = f"; {cells.note}" if cells and cells.note else ""
            say(f"{one_line(entry.evidence)}: {outcome}{note}")
            if cells and cells.problem:
                say(f"  left out: {cells.problem}")
        for finding in findings:
            say(f"{finding.code} ({finding.severity}): {one_line(finding.text, 1200)}\n  {finding.remedy}")
    for path, why in refused:
        say_error("not added: ", one_line(str(why) if why.where else f"{path}: {why.what}", 1200))
        say_error("  ", why.remedy)
    if refused and not measured:
        say_error("error: ", f"none of {len(refused)} was added")
        click.get_current_context().exit(int(ExitCode.FAILED))
    disagree = any(finding.severity == "warning" for finding in findings)
    partly = bool(refused) or any(cells.others for cells in left_out.values())
    click.get_current_context().exit(int(ExitCode.FOUND if disagree or partly else ExitCode.OK))


def _time(text: str) -> str:
    import datetime

    from weigh.model.errors import UsageError

    if not text:
        return ""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--at {text} is no time", remedy="write ISO 8601, e.g. 2026-11-20T10:00:00Z") from None
    at = found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _entries(path: Path, commit: str, at: str, form: str | None) -> tuple[list[Entry], LeftOut | None]:
    """What a path holds, and of a file what was left out of it.

    Raises:
        WeighError: nothing that can be added.
    """
    from weigh.history import indexing
    from weigh.history.imports import files
    from weigh.model.errors import EvidenceFault

    found = resolve(path)
    if form or found.is_file():
        made = files.imported(found, form or "")
        return [made.entry], made.left_out
    try:
        with others_evidence(found):
            return indexing.entries(found, commit=commit, at=at), None
    except OSError as error:
        raise EvidenceFault(
            f"it cannot be read: {error.strerror or error}", where=str(found), remedy="name evidence, or a file"
        ) from error


_folder = click.option(
    "--from",
    "folder",
    metavar="PLACE",
    default=DEFAULT,
    show_default=True,
    help="The history: a folder, s3://..., postgres://... or clickhouse://...",
)


@history.command()
@click.argument("place", required=False, default="")
@_folder
@click.option("--operation", metavar="TEXT", default="", help="Only operations with this in their name.")
@_margin
@html_option
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/history/1).")
def show(place: str, folder: str, operation: str, margin: str, html: Path | None, as_json: bool) -> None:
    """Show the series: what changed where, and where they are split because the environment changed."""
    from weigh.history.report import report
    from weigh.history.report.document import document
    from weigh.model.errors import ExitCode, UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    results = _results(place or folder, margin, operation)
    if html:
        write_page(html, report.html(results))
    elif as_json:
        print_json(document(results))
    else:
        print_rich(report.text(results))
    errors = any(finding.severity == "error" for finding in results.findings)
    click.get_current_context().exit(int(ExitCode.FOUND if errors else ExitCode.OK))


@history.command()
@click.argument("candidate")
@_folder
@click.option("--versions", metavar="A,B,...", default="", help="Further versions between the two sides, in order.")
@click.option(
    "--workload", metavar="FOLDER", help="The folder of questions, of a suite that was measured [that of weigh.toml]."
)
@taking(*DATA_FLAGS)
@click.option("--bisect/--no-bisect", default=True, help="Whether versions between the two sides are measured [yes].")
@_margin
@click.option("--starts", type=int, help="As of weigh run.")
@click.option("--budget", metavar="TIME", help="Time for each side by side, e.g. 10m, as of weigh run [5m].")
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, metavar="DIR", help="Where the evidence goes [runs]."
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/history-confirm/1).")
def confirm(
    candidate: str,
    folder: str,
    versions: str,
    workload: str | None,
    data: tuple[str, ...],
    csv: str | None,
    bisect: bool,
    margin: str,
    starts: int | None,
    budget: str | None,
    out: Path,
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure both sides of a candidate side by side, and add that to the history.

    CANDIDATE is an id that `weigh history show` prints. Where it is confirmed and there are versions between, they are
    halved until the change is found. Run it where weigh.toml lies, if the evidence was made with one. Exit 1:
    confirmed, and slower; 3: no verdict.
    """
    from weigh.history import run
    from weigh.history.report.confirmed import document, lines

    one = run.chosen(_results(folder, margin), candidate)
    known = run.versions(one, [name.strip() for name in versions.split(",") if name.strip()])
    options = {"starts": starts, "budget": budget, "workload": workload, "data": data, "csv": csv}
    measure = functools.partial(_measured, one, folder, options, out, quiet)
    found = run.confirm(one, known if bisect else [known[0], known[-1]], measure)
    if as_json:
        print_json(document(found))
    else:
        for line in lines(found):
            say(line)
    click.get_current_context().exit(int(found.exit_code))


def _measured(
    one: Candidate, folder: str, options: dict[str, Any], out: Path, quiet: bool, before: Version, after: Version
) -> Measurement:
    """Two versions side by side; the evidence is added to the history."""
    import dataclasses
    import os
    import shlex

    from weigh.cli.experiment.run import requested
    from weigh.cli.progress import progress
    from weigh.experiment import run as experiment
    from weigh.experiment.config.file import DEFAULT_FILE
    from weigh.experiment.report import files
    from weigh.history import indexing, store
    from weigh.history.run import check_alike, measurement
    from weigh.model.errors import UsageError
    from weigh.model.text import one_line

    # Entries come from others: what they ask for is checked as flags are.
    flags: dict[str, Any] = {
        **one.after.entry.flags,
        **{name: value for name, value in options.items() if value not in (None, ())},
        "contender": (f"before={before.contender}", f"after={after.contender}"),
        "baseline": "before",
        "operations": [one.series.key.operation],
    }
    if not any(flags.get(name) for name in ("workload", "data")) and not DEFAULT_FILE.exists():
        raise UsageError(
            f"{one.id} was measured on data of your own, and there is no weigh.toml that says where it is",
            remedy="run it where that weigh.toml lies, or name the suite: --workload ./queries/",
        )
    flags["ingest"] = True if flags.get("ingest") else None
    flags["seed"] = int(flags.get("seed", 42))
    words = ["weigh", "run"]
    for name, value in flags.items():
        for each in value if isinstance(value, tuple | list) else [value]:
            if each is True:
                words += [f"--{name}"]
            elif each is not None:
                words += [f"--{name.replace('_', '-')}", str(each)]
    spec, request = requested(None, {**flags, "contention": os.environ.get("WEIGH_CONTENTION")}, out, quiet=quiet)
    if spec.title != one.series.key.workload:
        raise UsageError(
            f"the workload here is {spec.title}, and the candidate is of {one_line(one.series.key.workload, 80)}",
            remedy="run it where the weigh.toml of that measurement lies, or name its suite: --workload ./queries/",
        )
    request = dataclasses.replace(request, command=shlex.join(words))
    made = experiment.run(spec, request, progress(quiet), files.write)
    called = {"before": before.name, "after": after.name}
    (entry,) = indexing.entries(made, confirms=one.id, versions=called)
    check_alike(one, entry)
    store.add_all(store.place(folder), [entry])
    return measurement(entry, one, before, after)


def _results(folder: str, margin: str, operation: str = "") -> HistoryResults:
    from weigh.history import store
    from weigh.history.results import history_results
    from weigh.model.errors import UsageError
    from weigh.model.units import parse_fraction

    smallest = parse_fraction(margin, "--margin")
    if smallest <= 0:
        raise UsageError(f"a margin of {margin} cannot be", remedy="give a number above 0, e.g. 3%")
    where = store.place(folder)
    entries, damaged = store.read_all(where)
    return history_results(str(where), entries, damaged, margin=smallest, operation=operation)
