"""``weigh data make``: a dataset in a layout, like a given file's, and made twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weigh.cli.output import print_json, say
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from weigh.data.cache import CachedData
    from weigh.model.spec import LayoutSpec

_COLUMNS = "on, off, or names of columns"


@click.command()
@click.argument("dataset", default="netflow")
@click.option(
    "--scale",
    metavar="SCALE",
    help="Rows of netflow, e.g. 20K; scale factor of the others, e.g. 0.1 [1M of netflow, 1 of the others].",
)
@click.option("--seed", default=42, show_default=True, type=int, help="Seed of netflow; the others have none.")
@click.option(
    "--writer",
    default="duckdb",
    show_default=True,
    type=click.Choice(["duckdb", "pyarrow", "polars", "tpchgen"]),
    help="What writes the files; tpchgen keeps the files of that generator.",
)
@click.option(
    "--codec",
    default="zstd",
    show_default=True,
    type=click.Choice(["zstd", "snappy", "lz4", "gzip", "none"]),
    help="Compression of all columns.",
)
@click.option("--files", default=1, show_default=True, type=int, help="Files of each table.")
@click.option(
    "--row-group-rows",
    type=int,
    help="Rows of a row group, with the duckdb writer a multiple of 2,048; not with tpchgen [122880].",
)
@click.option("--codec-level", metavar="N", help="Level of zstd (1 to 22) or gzip (1 to 9) [the writer's own].")
@click.option("--parquet-version", metavar="1|2", help="Version of the format, with its encodings [the writer's own].")
@click.option("--page-version", metavar="1|2", help="Version of the headers of data pages [the writer's own].")
@click.option("--dictionary", metavar="COLUMNS", help=f"Which columns get a dictionary: {_COLUMNS} [the writer's own].")
@click.option("--page-size", metavar="SIZE", help="Size at which pages are cut, e.g. 64K [the writer's own].")
@click.option("--bloom-filters", metavar="COLUMNS", help=f"Which columns get one: {_COLUMNS} [the writer's own].")
@click.option("--statistics", metavar="COLUMNS", help=f"Which columns get them: {_COLUMNS} [the writer's own].")
@click.option("--page-index", metavar="on|off", help="Whether files say what is in each page [the writer's own].")
@click.option("--page-checksums", metavar="on|off", help="Whether pages have checksums [the writer's own].")
@click.option("--sort", metavar="A,B,...", help="Columns by which rows are sorted [the generator's order].")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def make(dataset: str, scale: str | None, seed: int, quiet: bool, as_json: bool, **layout: Any) -> None:
    """Generate a dataset into the cache, or find it there, and print where it is.

    DATASET is netflow, tpchgen or dbgen.
    """
    from weigh.data.generator import dataset_scale
    from weigh.engines.prepared import cache_folder
    from weigh.experiment import dataset as datasets

    stored = datasets.make(
        dataset, dataset_scale(dataset, scale), seed, _layout(layout), cache_folder(), progress(quiet)
    )
    if as_json:
        print_json({"schema": "weigh/manifest/1", "folder": str(stored.folder), "manifest": stored.manifest})
        return
    _print(stored)


def _layout(flags: dict[str, Any]) -> LayoutSpec:
    """The layout that the flags ask for."""
    from weigh.data.layout import knobs
    from weigh.model.spec import LayoutSpec

    given = {name: value for name, value in flags.items() if value is not None}
    return LayoutSpec(
        **{name: knobs.parse(name, value) if name in knobs.KNOBS else value for name, value in given.items()}
    )


def _print(stored: CachedData) -> None:
    from weigh.model import units

    say(stored.folder)
    for table, digest in stored.manifest.digests.items():
        size = units.size(sum(file.bytes for file in stored.manifest.files if file.table == table))
        say(f"{table}: {stored.manifest.rows(table):,} rows, {size}, {stored.manifest.writer}, digest {digest}")
