"""``weigh report``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from weigh.cli.evidence import evidence_argument
from weigh.cli.output import print_results


@click.command()
@evidence_argument
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write it as one HTML page; - is stdout.",
)
def report(evidence: Path, as_json: bool, html: Path | None) -> None:
    """Print the report of an evidence directory, finished or not. `latest` is the newest of runs."""
    from weigh._kinds import kind_of
    from weigh.model.errors import UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    kind = kind_of(evidence)
    if html:
        _write(html, kind.html(evidence))
    else:
        print_results(kind, kind.read(evidence), evidence, as_json=as_json)


def _write(path: Path, page: bytes) -> None:
    if str(path) == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
        return
    path.write_bytes(page)
    click.echo(f"written: {path}", err=True)
