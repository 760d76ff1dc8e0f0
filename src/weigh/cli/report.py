"""``weigh report`` and ``weigh verify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli import ladder, load
from weigh.cli.output import print_json, print_report

if TYPE_CHECKING:
    from weigh.evidence.verification import Problem
    from weigh.experiment.verify.recount.recount import Recount
    from weigh.experiment.verify.verify import Verification

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
    from weigh.experiment.report import files
    from weigh.experiment.report.document import document
    from weigh.model.errors import UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    of_ladder, of_load = ladder.is_ladder(evidence), load.is_load(evidence)
    if html:
        kind = ladder.html if of_ladder else load.html if of_load else files.html
        _write(html, kind(evidence))
        return
    if of_ladder or of_load:
        (ladder.show if of_ladder else load.show)(evidence, as_json)
        return
    results = files.read(evidence)
    if as_json:
        print_json(document(results, evidence.resolve().name))
    else:
        print_report(results, str(evidence))


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
@click.option("--sql", is_flag=True, help="Also compute the simple figures by SQL in DuckDB, a second implementation.")
@click.option("--print-sql", is_flag=True, help="Print that SQL, to be pasted into DuckDB, and verify nothing.")
def verify(evidence: Path, as_json: bool, sql: bool, print_sql: bool) -> None:
    """Recompute every hash and every printed number. Exit 1 when anything is not what it says."""
    from weigh.experiment.verify import verify as audit
    from weigh.experiment.verify.recount import recount as second
    from weigh.model.errors import ExitCode, UsageError

    if print_sql:
        if sql or as_json:
            raise UsageError("--print-sql verifies nothing", remedy="ask for it alone")
        click.echo("\n".join((second.script(evidence), *second.QUERIES)))
        return
    if ladder.is_ladder(evidence):
        if sql:
            raise UsageError("--sql counts one experiment", where=str(evidence), remedy="name the evidence of a rung")
        click.get_current_context().exit(int(ladder.check(evidence, as_json)))
    if load.is_load(evidence):
        if sql:
            raise UsageError("--sql counts samples, not histograms", where=str(evidence), remedy="leave it out")
        click.get_current_context().exit(int(load.check(evidence, as_json)))
    found = audit.verify(evidence)
    counted = _recount(evidence) if sql else None
    passed = not found.problems and not (counted and counted.problems)
    if as_json:
        document = {"schema": "weigh/verify/1", "passed": passed, "verification": found, "sql": counted}
        print_json(document)
    else:
        _print_verification(found)
        if counted:
            _print_recount(counted)
    click.get_current_context().exit(int(ExitCode.OK if passed else ExitCode.FOUND))


def _recount(evidence: Path) -> Recount:
    from weigh.engines.duckdb_sql import DuckDB
    from weigh.engines.prepared import cache_folder
    from weigh.experiment.verify.recount.recount import recount

    return recount(evidence, DuckDB(cache_folder()))


def _print_verification(found: Verification) -> None:
    _print_problems(found.problems)
    if found.problems:
        click.secho(f"{found.evidence} FAILS: {len(found.problems)} problems", fg="red", bold=True)
        return
    click.echo(
        f"{found.evidence} passes: {found.files} files hashed, {found.verdicts} verdicts recomputed from "
        f"{found.samples:,} samples, order of turns as the seed demands"
    )
    click.echo("an unkeyed seal does not stop somebody who edits everything and reseals it")


def _print_recount(counted: Recount) -> None:
    from weigh.engines.duckdb_sql import NAME
    from weigh.model.units import count

    _print_problems(counted.problems)
    figures = count(sum(counted.compared.values()), "figure")
    kinds = ", ".join(f"{name} {number}" for name, number in counted.compared.items())
    if counted.problems:
        problems = count(len(counted.problems), "problem")
        click.secho(f"SQL in {NAME} DISAGREES: {problems} in {figures}", fg="red", bold=True)
    else:
        click.echo(f"SQL in {NAME} agrees: {figures}, greatest relative difference {counted.difference:.1g} ({kinds})")
    for one in counted.skipped:
        click.echo(f"not compared: {one.what}: {one.why}")


def _print_problems(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        click.secho(f"{problem.code} ", fg="red", bold=True, nl=False)
        click.echo(f"{problem.file}: {problem.text}")
