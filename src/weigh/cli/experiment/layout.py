"""``weigh layout``."""

from __future__ import annotations

from typing import Any

import click

from weigh.cli.experiment.flags_of_run import flags_of_run
from weigh.cli.experiment.run import carry_out

_COLUMNS = "each on, off, or columns joined by +"
_VARIED = (
    ("--format", "A,B", "Formats of the files: parquet, vortex [parquet]."),
    ("--files", "A,B,...", "Files of each table [1]."),
    ("--codec", "A,B,...", "Compression: zstd, snappy, lz4, gzip, none [zstd]."),
    ("--writer", "A,B,...", "What writes the files: duckdb, pyarrow, polars, parquet-rs, tpchgen [duckdb]."),
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
def layout(**flags: Any) -> None:
    """Run one experiment over every combination of layouts, and tell the effect of each key from the others'.

    Give at least one key several values: every combination is written from the same rows, which is proven by digest,
    and every contender reads each of them, all in the same blocks. The first values of all are the baseline.
    """
    from weigh.experiment.config import grid

    given = {key: flags.pop(key) for key in [_key(name) for name, _, _ in _VARIED]}
    carry_out(**flags, grid={key: grid.parse(key, text) for key, text in given.items() if text is not None})


def _key(name: str) -> str:
    return name.removeprefix("--").replace("-", "_")


_file, _flags = flags_of_run(_ELSEWHERE, without=("duet", "vary", "why"))
layout.params = [_file, *(click.Option([name], metavar=takes, help=text) for name, takes, text in _VARIED), *_flags]
