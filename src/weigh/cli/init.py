"""``weigh init``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli.output import say
from weigh.cli.progress import progress


@click.command()
@click.option(
    "--data",
    multiple=True,
    required=True,
    metavar="FILES",
    help="Parquet files: a path, a folder, or a pattern in quotes; TABLE=FILES names the table. Repeatable.",
)
@click.option(
    "--sql",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="SELECT statements; `-- name: NAME` before one names it. Repeatable [a count of every table].",
)
@click.option(
    "--contender",
    multiple=True,
    metavar="SPEC",
    help="What to compare; the first one answers the queries. Repeatable [duckdb, datafusion].",
)
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Where to write [.]."
)
@click.option("--force", is_flag=True, help="Write over files that exist.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def init(
    data: tuple[str, ...],
    sql: tuple[Path, ...],
    contender: tuple[str, ...],
    folder: Path,
    force: bool,
    quiet: bool,
) -> None:
    """Write weigh.toml and a folder of queries from your own Parquet files and SQL.

    The first contender answers every query, and what a right answer looks like is read off: kinds of columns,
    order, limit, keys. Look these files over, then run.
    """
    from weigh.engines.prepared import cache_folder
    from weigh.experiment.init import init as write

    written = write(data, sql, contender, folder, cache_folder(), progress(quiet), force=force)
    tables = ", ".join(f"{table} ({count} file{'s' * (count != 1)})" for table, count in written.tables.items())
    say(f"tables:  {tables}")
    say(f"queries: {', '.join(written.queries)}")
    for path in written.files:
        say(f"wrote {path}")
    for finding in written.findings:
        say(f"{finding.code} ", fg="yellow", nl=False)
        say(f"{finding.operation}: {finding.text}; {finding.remedy}")
    place = "" if folder == Path() else f" {folder / 'weigh.toml'}"
    say(f"next: weigh gate{place} (the answers alone), then weigh run{place}")
