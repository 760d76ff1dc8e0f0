"""``weigh layout``."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.run import carry_out, run

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = "each on, off, or columns joined by +"
_VARIED = (
    ("--files", "A,B,...", "Files of each table [1]."),
    ("--codec", "A,B,...", "Compression: zstd, snappy, lz4, gzip, none [zstd]."),
    ("--writer", "A,B,...", "What writes the files: duckdb, pyarrow, polars, tpchgen [duckdb]."),
    ("--row-group-rows", "A,B,...", "Rows of a row group, with the duckdb writer multiples of 2,048 [122880]."),
    ("--codec-level", "A,B,...", "Levels of zstd (1 to 22) or gzip (1 to 9) [the writer's own]."),
    ("--parquet-version", "A,B", "Versions of the format, 1 or 2 [the writer's own]."),
    ("--page-version", "A,B", "Versions of the headers of data pages, 1 or 2 [the writer's own]."),
    ("--dictionary", "A,B,...", f"Which columns get a dictionary: {_COLUMNS} [the writer's own]."),
    ("--page-size", "A,B,...", "Sizes at which pages are cut, e.g. 64K,1M [the writer's own]."),
    ("--bloom-filters", "A,B,...", f"Which columns get one: {_COLUMNS} [the writer's own]."),
    ("--statistics", "A,B,...", f"Which columns get them: {_COLUMNS} [the writer's own]."),
    ("--page-index", "on,off", "Whether files say what is in each page [the writer's own]."),
    ("--page-checksums", "on,off", "Whether pages have checksums [the writer's own]."),
    ("--sort", "A,B,...", "By which columns rows are sorted: each none, or columns joined by + [none]."),
)
"""Keys of a layout, as flags that take several values."""
_ELSEWHERE = {
    "baseline": "Name of the contender whose first layout the others are compared with [the first contender].",
}
"""Flags of `run` that mean a little more here."""


@click.command()
def layout(
    file: Path | None,
    out: Path,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    strict: bool,
    resume: bool,
    witness: str | None,
    **flags: Any,
) -> None:
    """Run one experiment over every combination of layouts, and tell the effect of each key from the others'.

    Give at least one key several values: every combination is written from the same rows, which is proven by digest,
    and every contender reads each of them, all in the same blocks. The first values of all are the baseline.
    """
    from weigh.experiment.config import grid

    given = {key: flags.pop(key) for key in [_key(name) for name, _, _ in _VARIED]}
    flags["grid"] = {key: grid.parse(key, text) for key, text in given.items() if text is not None}
    carry_out(
        file, flags, out, as_json=as_json, verbose=verbose, quiet=quiet, strict=strict, resume=resume, witness=witness
    )


def _key(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


def _flag_of_run(one: click.Parameter) -> click.Parameter:
    if one.name not in _ELSEWHERE:
        return one
    changed = copy.copy(one)
    assert isinstance(changed, click.Option)
    changed.help = _ELSEWHERE[one.name]
    return changed


_file, *_flags = [_flag_of_run(one) for one in run.params if one.name != "duet"]
layout.params = [_file, *(click.Option([name], metavar=takes, help=text) for name, takes, text in _VARIED), *_flags]
