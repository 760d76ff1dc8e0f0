"""``weigh init``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.ci.job import SYSTEMS
from weigh.cli import completing
from weigh.cli.commands import require_linux
from weigh.cli.data_flags import CSV
from weigh.cli.keys import taking
from weigh.cli.output import say, say_failure
from weigh.cli.progress import progress


@click.command()
@click.option(
    "--data",
    multiple=True,
    metavar="FILES",
    help="Parquet, CSV, JSON, Arrow, Feather or DuckDB files: a path, a folder, or a pattern in quotes; TABLE=FILES "
    "names the table. Repeatable.",
)
@click.option(
    "--sql",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="SELECT statements, or a folder of them; `-- name: NAME` before one names it. Repeatable [a count of every "
    "table].",
)
@click.option(
    "--add",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Add these SELECT statements to those of the weigh.toml that is there; nothing in it changes. Repeatable.",
)
@taking(CSV)
@click.option(
    "--param",
    multiple=True,
    metavar="NAME=VALUE,...",
    help="Values of a parameter of the queries: city of {city} and $city, 1 of $1. Repeatable.",
)
@click.option(
    "--contender",
    multiple=True,
    metavar="SPEC",
    shell_complete=completing.engines,
    help="What to compare; the first one answers the queries. Repeatable [duckdb, datafusion].",
)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Where to write [.]."
)
@click.option(
    "--ci",
    type=click.Choice(SYSTEMS),
    help="Write the job that measures each pull request by the weigh.toml that is there, or that --data makes.",
)
@click.option("--force", is_flag=True, help="Write over files that exist.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def init(
    data: tuple[str, ...],
    sql: tuple[Path, ...],
    add: tuple[Path, ...],
    csv: str | None,
    param: tuple[str, ...],
    contender: tuple[str, ...],
    folder: Path,
    ci: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Write weigh.toml and a folder of queries from your own data files and SQL.

    The first contender answers every query, and what a right answer looks like is read off: kinds of columns,
    order, limit, keys. Look these files over, then run. A data file that cannot be read, and a query that it cannot
    answer, is named and left out, with exit code 1.

    With --add more queries come to those of the weigh.toml that is there. With --ci it writes the job of a system of
    CI for it.
    """
    if ci and not (data or sql or add or csv or param or contender):
        _job(ci, folder, force=force)
        return
    require_linux("init --data")
    from weigh.engines.prepared import cache_folder
    from weigh.experiment import init as files
    from weigh.experiment.config.csv_options import parsed
    from weigh.model.errors import ExitCode

    if add:
        if data or sql or contender or param or csv:
            raise click.UsageError("--add takes data, contenders and parameters from weigh.toml: leave out the others")
        written = files.add(add, folder / "weigh.toml", cache_folder(), progress(quiet), force=force)
    elif data:
        written = files.init(
            data,
            sql,
            contender,
            folder,
            cache_folder(),
            progress(quiet),
            parameters=param,
            csv=parsed(csv),
            force=force,
        )
    else:
        raise click.UsageError("take one of them: --data names your data, --add adds queries, --ci writes a job")
    tables = ", ".join(f"{table} ({count} file{'s' * (count != 1)})" for table, count in written.tables.items())
    say(f"tables:  {tables}")
    for conversion in written.conversions:
        say(f"         {conversion}")
        for note in conversion.notes or ():
            say(f"           {note}")
    say(f"queries: {', '.join(written.queries)}")
    for path in written.files:
        say(f"wrote {path}")
    for finding in written.findings:
        say(f"{finding.code} ", fg="yellow", nl=False)
        say(f"{finding.operation}: {finding.text}; {finding.remedy}")
    for fault in written.left_out:
        say_failure(fault.what, fault.where, f"left out; {fault.remedy}")
    place = "" if folder == Path() else f" {folder / 'weigh.toml'}"
    if written.alone:
        # A file of several statements, and what was left out or not given.
        named = ", ".join(map(str, written.alone))
        say(f"next: take out of {written.alone[0].parent} what has no result schema: {named}")
        say(f"      (weigh init --add FILE reads one off the answer), then weigh gate{place} and weigh run{place}")
    else:
        say(f"next: weigh gate{place} (the answers alone), then weigh run{place}")
    if ci:
        _job(ci, folder, force=force)
    if written.left_out:
        click.get_current_context().exit(int(ExitCode.FOUND))


def _job(system: str, folder: Path, *, force: bool) -> None:
    from weigh.ci.job import write
    from weigh.experiment.config.file import read_file

    file = folder / "weigh.toml"
    written = write(system, file, read_file(file), force=force)
    for path in written.files:
        say(f"wrote {path}")
    for note in written.notes:
        say(note)
