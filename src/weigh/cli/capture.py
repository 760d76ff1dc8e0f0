"""``weigh capture``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.output import print_json, say
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from weigh.capture.results import CaptureResults
    from weigh.capture.run import Wanted

_FORMS = (
    "postgres-log",
    "postgres-csvlog",
    "postgres-jsonlog",
    "pg_stat_statements",
    "mysql-slow-log",
    "mysql-general-log",
    "performance-schema",
    "monitor",
)


@click.command()
@click.argument("source", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where to write.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    metavar="FORM",
    help=f"What the files are: {', '.join(_FORMS)} [by their first lines].",
)
@click.option(
    "--log-line-prefix",
    metavar="TEXT",
    help="Of PostgreSQL's log, as the server has it (SHOW log_line_prefix) [the usual ones are tried].",
)
@click.option("--database", metavar="NAME", help="Only calls of this database [all].")
@click.option("--cover", default="99%", metavar="SHARE", help="Of calls and of time that the scripts are to be [99%].")
@click.option("--top", type=click.IntRange(1, 1000), default=100, metavar="N", help="Scripts at most [100].")
@click.option("--encoding", default="utf-8", metavar="NAME", help="Of the files' text [utf-8].")
@click.option("--obfuscate", is_flag=True, help="Replace names and values, as `weigh data obfuscate` does of data.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Of --obfuscate: that of the data; made where there is none [WEIGH_OBFUSCATION_KEY, else FOLDER.key].",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Of --obfuscate: the copy of the data, whose columns say which values in quotes are numbers.",
)
@click.option("--json", "as_json", is_flag=True, help="What capture.json has, on stdout (schema weigh/capture/1).")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def capture(
    source: tuple[str, ...],
    out: Path,
    form: str | None,
    log_line_prefix: str | None,
    database: str | None,
    cover: str,
    top: int,
    encoding: str,
    obfuscate: bool,
    key_file: Path | None,
    data: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a load of your own traffic: scripts with weights, values, arrivals, and a trace.

    SOURCE is postgres://USER@HOST/DB, whose pg_stat_statements is read; or files, the oldest first: PostgreSQL's
    log (stderr, csvlog, jsonlog; auto_explain too), a CSV dump of pg_stat_statements, the slow or general log of
    MySQL or MariaDB, a CSV dump of performance_schema's digests, what MONITOR of Valkey or Redis prints. They may
    be .gz, .zst or .bz2. A call in which a word such as password, token or login stands, or a value with the form
    of a secret, loses all its values: others of the same form stand there, and it is reported how many. A secret of
    no known form in a call without such a word is not known as one (docs/guide/capture.md).

    \b
    weigh capture postgresql.log --out shop && weigh load shop --target postgres://app@db/shop
    weigh capture postgres://app@db/shop --out shop
    weigh capture monitor.txt --out cache
    weigh capture postgresql.log --out shop --obfuscate --key-file shop.key --data copy
    """
    from weigh.capture import report
    from weigh.capture.run import Wanted
    from weigh.capture.run import capture as make
    from weigh.model.errors import UsageError
    from weigh.model.units import parse_fraction
    from weigh.obfuscation import key as keys
    from weigh.obfuscation import report as obfuscation_report
    from weigh.obfuscation.ids import Ids
    from weigh.obfuscation.mapping import Mapping
    from weigh.obfuscation.results import read, types

    share = parse_fraction(cover, "--cover")
    if not 0 < share <= 1:
        raise UsageError(f"--cover {cover} cannot be", remedy="give a share above 0, up to 100%")
    for flag, value in (("--key-file", key_file), ("--data", data)):
        if value is not None and not obfuscate:
            raise UsageError(f"{flag} is of --obfuscate", remedy="add --obfuscate, or leave it out")
    key = keys.of(key_file, out) if obfuscate else None
    copy = None if key is None or data is None else read(data, key[0].id)
    ids = Ids(key[0], copy.ids.columns, copy.ids.limits, copy.ids.draws) if key and copy and copy.ids else None
    wanted = Wanted(
        paths=tuple(Path(one) for one in source),
        form=form,  # type: ignore[arg-type]
        prefix=log_line_prefix,
        encoding=encoding,
        database=database,
        cover=share,
        top=top,
        mapping=None if key is None else Mapping(key[0], ids),
        types=None if copy is None else types(copy),
    )
    by_url = any("://" in one for one in source)
    found = _by_url(source, wanted, out) if by_url else make(wanted, out, progress(quiet))
    if as_json:
        print_json(found)
        return
    for line in report.lines(found, str(out)):
        say(line)
    if key is not None:
        for line in obfuscation_report.key_lines(key[1], key[0].id, made=key[2]):
            say(line)


def _by_url(source: tuple[str, ...], wanted: Wanted, out: Path) -> CaptureResults:
    """What a server's pg_stat_statements says.

    Raises:
        UsageError: it is no URL of PostgreSQL, or there is more than it.
    """
    from weigh.capture.run import capture_totals
    from weigh.capture.sources.statements_by_url import StatementsByUrl
    from weigh.engines.prepared import cache_folder
    from weigh.load.target import url as urls
    from weigh.load.target.postgres import psycopg_connect
    from weigh.load.target.secrecy import hide
    from weigh.model.errors import UsageError

    if len(source) > 1:
        raise UsageError("a URL is a source of its own", remedy="capture files and servers one by one")
    url = urls.parse(source[0])
    if url.inline:
        hide(source[0], url.text)
    if url.kind != "postgres":
        raise UsageError(
            f"{url.text} is no PostgreSQL, which counts statements by itself",
            remedy="switch its slow log on for all (slow_query_log = ON, long_query_time = 0), and capture that file"
            if url.kind == "mysql"
            else "let `valkey-cli monitor > FILE` run a while, and capture FILE",
        )
    server = StatementsByUrl(psycopg_connect(url), url.text, wanted.database, cache_folder())
    return capture_totals(server.totals(), url.text, wanted, out, server.counted_s, server, server.notes)
