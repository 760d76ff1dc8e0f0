"""``weigh report`` and ``weigh verify``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from weigh.cli.output import print_json, print_report

_evidence = click.argument("evidence", type=click.Path(path_type=Path))
_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


@click.command()
@_evidence
@_json
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write it as one HTML page; - is stdout.",
)
def report(evidence: Path, as_json: bool, html: Path | None) -> None:
    """Print the report of an evidence directory, finished or not."""
    from weigh.model.errors import UsageError
    from weigh.report import files
    from weigh.report.document import document

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    if html:
        _write(html, files.html(evidence))
        return
    conclusion = files.read(evidence)
    if as_json:
        print_json(document(conclusion, evidence.resolve().name))
    else:
        print_report(conclusion, str(evidence))


def _write(path: Path, page: bytes) -> None:
    if str(path) == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
        return
    path.write_bytes(page)
    click.echo(f"written: {path}", err=True)


@click.command()
@_evidence
@_json
def verify(evidence: Path, as_json: bool) -> None:
    """Recompute every hash and every printed number. Exit 1 when anything is not what it says."""
    from weigh.audit import verify as audit
    from weigh.model.errors import ExitCode

    found = audit.verify(evidence)
    if as_json:
        print_json({"schema": "weigh/verify/1", "passed": not found.problems, "verification": found})
    elif found.problems:
        for problem in found.problems:
            click.secho(f"{problem.code} ", fg="red", bold=True, nl=False)
            click.echo(f"{problem.file}: {problem.text}")
        click.secho(f"{found.evidence} FAILS: {len(found.problems)} problems", fg="red", bold=True)
    else:
        click.echo(
            f"{found.evidence} passes: {found.files} files hashed, {found.verdicts} verdicts recomputed from "
            f"{found.samples:,} samples, order of turns as the seed demands"
        )
        click.echo("an unkeyed seal does not stop somebody who edits everything and reseals it")
    click.get_current_context().exit(int(ExitCode.FOUND if found.problems else ExitCode.OK))
