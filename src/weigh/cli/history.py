"""``weigh history``: add and show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.evidence.path import others_evidence
from weigh.cli.output import print_json, print_rich, say
from weigh.cli.page import html_option, write_page

if TYPE_CHECKING:
    from weigh.history.entry import Entry
    from weigh.history.results import HistoryResults

DEFAULT = "history"
"""The folder of a history, unless the user says otherwise."""


@click.group()
def history() -> None:
    """Series over evidence of every kind: what changed from version to version.

    A history is a folder of small files, one for each evidence directory. Several CI jobs can add to it at the same
    time. A change of level in it is a candidate, until both versions were measured side by side.
    """


_margin = click.option(
    "--margin", metavar="FRACTION", default="3%", show_default=True, help="The smallest change that is a candidate."
)


@history.command()
@click.argument("evidence", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--to", metavar="FOLDER", default=DEFAULT, show_default=True, help="The history.")
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

    Only what passes `weigh verify` is added, and nothing twice. Exit 1 when attempts of one comparison disagree: one
    said SLOWER, and another one did not (T8.disagree).
    """
    from weigh.history import store
    from weigh.history.results import attempts_findings
    from weigh.model.errors import ExitCode
    from weigh.model.text import one_line

    folder = store.place(to)
    own = [one for path in evidence for one in _entries(path, commit, _time(at), form)]
    added = {entry.id: store.add(folder, entry) for entry in own}
    entries, _ = store.read(folder)
    findings = attempts_findings(entries, {entry.experiment for entry in own})
    if as_json:
        rows = [
            {
                "id": one.id,
                "evidence": one.evidence,
                "kind": one.kind,
                "points": len(one.points),
                "added": added[one.id],
            }
            for one in own
        ]
        print_json({"schema": "weigh/history-add/1", "folder": to, "added": rows, "findings": findings})
    else:
        for entry in own:
            said = f"{len(entry.points)} points" if added[entry.id] else "it is there already"
            say(f"{one_line(entry.evidence)}: {said}")
        for finding in findings:
            say(f"{finding.code} ({finding.severity}): {one_line(finding.text, 1200)}\n  {finding.remedy}")
    disagree = any(finding.severity == "warning" for finding in findings)
    click.get_current_context().exit(int(ExitCode.FOUND if disagree else ExitCode.OK))


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


def _entries(path: Path, commit: str, at: str, form: str | None) -> list[Entry]:
    from weigh import _runs
    from weigh.history import indexing
    from weigh.history.imports import files

    found = _runs.resolve(path)
    if form or found.is_file():
        return [files.entry(found, form or "")]
    with others_evidence(found):
        return indexing.entries(found, commit=commit, at=at)


_folder = click.option("--from", "folder", metavar="FOLDER", default=DEFAULT, show_default=True, help="The history.")


@history.command()
@_folder
@click.option("--operation", metavar="TEXT", default="", help="Only operations with this in their name.")
@_margin
@html_option
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/history/1).")
def show(folder: str, operation: str, margin: str, html: Path | None, as_json: bool) -> None:
    """Show the series: what changed where, and where they are split because the environment changed."""
    from weigh.history.report.document import document
    from weigh.history.report.terminal import report
    from weigh.model.errors import ExitCode, UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    results = _results(folder, margin, operation)
    if html:
        from weigh.history.report.page import page

        write_page(html, page(results))
    elif as_json:
        print_json(document(results))
    else:
        print_rich(report(results))
    errors = any(finding.severity == "error" for finding in results.findings)
    click.get_current_context().exit(int(ExitCode.FOUND if errors else ExitCode.OK))


def _results(folder: str, margin: str, operation: str = "") -> HistoryResults:
    from weigh.history import store
    from weigh.history.results import history_results
    from weigh.model.errors import UsageError
    from weigh.model.units import parse_fraction

    smallest = parse_fraction(margin, "--margin")
    if smallest <= 0:
        raise UsageError(f"a margin of {margin} cannot be", remedy="give a number above 0, e.g. 3%")
    entries, damaged = store.read(store.place(folder))
    return history_results(folder, entries, damaged, margin=smallest, operation=operation)
