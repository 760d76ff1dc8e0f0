"""``weigh data obfuscate``: a copy of data in which every value and name is another one."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli.output import print_json, say
from weigh.cli.progress import progress


@click.command()
@click.argument("source")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER", help="Where to write.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The key; made where there is none [WEIGH_OBFUSCATION_KEY, else FOLDER.key].",
)
@click.option(
    "--ids",
    metavar="PATTERN",
    help="Columns of identifiers, such as '*_id': their whole numbers are exchanged among themselves.",
)
@click.option("--json", "as_json", is_flag=True, help="What obfuscation.json has, on stdout (weigh/obfuscation/1).")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def obfuscate(source: str, out: Path, key_file: Path | None, ids: str | None, as_json: bool, quiet: bool) -> None:
    """Write a copy of data whose values and names are replaced, and say what that kept.

    SOURCE is a dataset folder, a Parquet file, a folder of them, or a pattern. Equal values stay equal, in every table;
    numbers and dates keep their order, texts their lengths. The same key replaces the same values in a workload:
    `weigh capture --obfuscate`.

    \b
    weigh data obfuscate shop/ --out copy
    weigh data obfuscate shop/ --out copy --ids '*_id'
    weigh data obfuscate 'orders-*.parquet' --out orders --key-file ~/.secrets/shop.key
    """
    from weigh.obfuscation import key as keys
    from weigh.obfuscation import report, tables
    from weigh.obfuscation.mapping import Mapping

    key, file, made = keys.of(key_file, out)
    found = tables.obfuscate(source, out, Mapping(key), progress(quiet), ids)
    if as_json:
        print_json(found)
        return
    for line in report.lines(found, str(out)):
        say(line)
    for line in report.key_lines(file, found.key, made=made):
        say(line)
