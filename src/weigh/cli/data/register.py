"""``weigh data register``, ``list`` and ``unregister``."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.data.by_parts import ON, QUIET
from weigh.cli.output import print_json, say
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from weigh.data.registered import Registration

_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--name", metavar="NAME", help="What the data is called [the name of the table, where there is one].")
@click.option("--force", is_flag=True, help="Replace what is registered under that name.")
@ON
@QUIET
@_json
def register(files: tuple[str, ...], name: str | None, force: bool, on: str | None, quiet: bool, as_json: bool) -> None:
    """Give Parquet files a name: read and hashed once, and used where they lie.

    FILES are paths, folders or patterns in quotes; TABLE=FILES names the table. Nothing is copied. A run with
    --data NAME reads no file again whose size, times and place in the file system are those of before; of another one
    that holds other bytes it says so, and ends. With --on they are read on the cluster, whose machines must share them.
    """
    from weigh.cluster.connect import connect
    from weigh.data import registered, user_files
    from weigh.data.parts.reading import read_all
    from weigh.engines.prepared import cache_folder
    from weigh.model.errors import UsageError

    tables: user_files.Tables = {}
    loose: list[Path] = []
    for given in files:
        table, equals, pattern = given.partition("=")
        if equals and table.isidentifier():
            tables.setdefault(table, []).extend(user_files.matches(pattern, Path()))
        else:
            loose += user_files.matches(given, Path())
    for table, found in user_files.by_name(dict.fromkeys(loose)).items():
        tables.setdefault(table, []).extend(found)
    if name is None and len(tables) > 1:
        raise UsageError(f"there are {len(tables)} tables: {', '.join(tables)}", remedy="name the data: --name NAME")
    distinct = {table: list(dict.fromkeys(found)) for table, found in tables.items()}
    report = progress(quiet)
    with ExitStack() as stack:
        read = partial(read_all, stack.enter_context(connect(on, report)), progress=report) if on else None
        made = registered.register(name or next(iter(tables)), distinct, cache_folder(), report, force=force, read=read)
    if as_json:
        print_json({"schema": "weigh/registered/1", "registered": [_row(made)]})
        return
    _print(made)


@click.command(name="list")
@_json
def list_registered(as_json: bool) -> None:
    """List the data that is registered."""
    from weigh.data import registered
    from weigh.engines.prepared import cache_folder

    cache = cache_folder()
    found = [registered.load(name, cache) for name in registered.names(cache)]
    if as_json:
        print_json({"schema": "weigh/registered/1", "registered": [_row(one) for one in found]})
        return
    for one in found:
        _print(one)
    if not found:
        say("nothing is registered: weigh data register FILES --name NAME")


@click.command()
@click.argument("name")
def unregister(name: str) -> None:
    """Forget the data of that name. Its files stay as they are."""
    from weigh.data import registered
    from weigh.engines.prepared import cache_folder

    gone = registered.forget(name, cache_folder())
    stays = "its file stays as it is" if len(gone.files) == 1 else "its files stay as they are"
    say(f"{gone.name} is forgotten; {stays}")


@click.command(name="loaded")
@_json
def list_loaded(as_json: bool) -> None:
    """List the tables that weigh made in servers by URL, and the statements that drop them.

    They stay there, so that the next run does not load them again. What a run had begun when it was killed is dropped
    by the next one that loads the same, and listed until then.
    """
    from msgspec import to_builtins

    from weigh.engines import loaded
    from weigh.engines.prepared import cache_folder
    from weigh.model.text import one_line

    found = loaded.in_servers(cache_folder())
    if as_json:
        print_json({"schema": "weigh/loaded/1", "loaded": to_builtins(found)})
        return
    for one in found:
        state = "left by a run that was killed" if one.killed else "the next run uses it"
        say(f"{one_line(one.address)}: {one.schema}, {state}", bold=True)
        say(f"  {one_line(one.drop)}")
        say(f"  rm -r {one_line(one.folder)}    # afterwards: then it is loaded again when it is needed")
    if not found:
        say("weigh has no tables in a server")


def _print(one: Registration) -> None:
    from weigh.model import units
    from weigh.model.text import one_line

    say(one.name, bold=True)
    digests = one.digests()
    for table, files in one.tables.items():
        rows, size = sum(file.rows for file in files), sum(file.standing.bytes for file in files)
        say(f"  {table}: {rows:,} rows, {units.count(len(files), 'file')}, {units.size(size)}, digest {digests[table]}")
        for file in files:
            say(f"    {one_line(file.path)}  {_state(file.path, file.standing)}")


def _state(path: str, standing: Any) -> str:
    """Whether the file system says the same of it as when it was read."""
    from weigh.data.registered import Standing

    try:
        return "unchanged" if Standing.of(Path(path)) == standing else "touched since: the next run reads it again"
    except OSError:
        return "GONE"


def _row(one: Registration) -> dict[str, Any]:
    digests = one.digests()
    return {
        "name": one.name,
        "bytes": one.bytes,
        "tables": [
            {
                "table": table,
                "digest": digests[table],
                "files": [
                    {
                        "path": file.path,
                        "bytes": file.standing.bytes,
                        "rows": file.rows,
                        "blake3": file.blake3,
                        "state": _state(file.path, file.standing),
                    }
                    for file in files
                ],
            }
            for table, files in one.tables.items()
        ],
    }
