"""``weigh data make``: a dataset in a layout, like a given file's, and made twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from weigh.cli.data import by_parts
from weigh.cli.keys import key, taking
from weigh.cli.output import print_json, say
from weigh.cli.progress import progress
from weigh.model.spec import Codec, Format, LayoutSpec, Writer

if TYPE_CHECKING:
    from weigh.data.cache import CachedData
    from weigh.data.layout.difference import Written
    from weigh.data.layout.match import Match
    from weigh.data.reproducible import Reproduction

_COLUMNS = ("COLUMNS", ": on, off, or names of columns")
_KNOBS = {
    "codec_level": ("N", ""),
    "parquet_version": ("1|2", ""),
    "page_version": ("1|2", ""),
    "dictionary": _COLUMNS,
    "page_size": ("SIZE", ", e.g. 64K"),
    "bloom_filters": _COLUMNS,
    "statistics": _COLUMNS,
    "page_index": ("on|off", ""),
    "page_checksums": ("on|off", ""),
    "sort": ("A,B,...", ""),
}
"""Keys that are the writer's own choice: what their flags take, and how it is written."""


@click.command()
@click.argument("dataset", default="netflow")
@click.option(
    "--scale",
    metavar="SCALE",
    help="Rows of netflow, e.g. 20K; scale factor of the others, e.g. 0.1 [1M of netflow, 1 of the others].",
)
@click.option(
    "--seed",
    default=42,
    show_default=True,
    type=int,
    help="Seed of netflow and of h2o-g1 and h2o-j1; the others have none, and refuse it.",
)
@taking(
    key(LayoutSpec, "format", type=click.Choice(get_args(Format)), default="parquet"),
    key(LayoutSpec, "writer", type=click.Choice(get_args(Writer)), default="duckdb"),
    key(LayoutSpec, "codec", type=click.Choice(get_args(Codec)), default="zstd"),
    key(LayoutSpec, "files", default=1),
    key(LayoutSpec, "row_group_rows"),
    *(key(LayoutSpec, name, metavar, type=str, also=form) for name, (metavar, form) in _KNOBS.items()),
)
@click.option(
    "--match",
    "like",
    metavar="FILE",
    help="Set every knob that the writer has so that the files are like this one; flags given besides count more.",
)
@click.option("--reproducible", is_flag=True, help="Make it twice and compare the files; exit 1 when they differ.")
@by_parts.ON
@click.option(
    "--to",
    metavar="FOLDER|s3://BUCKET/PREFIX",
    help="Where --on puts the parts, and needed with it: a folder that all machines share, or objects of S3.",
)
@click.option("--resume", is_flag=True, help="Go on where making it by parts ended: parts that are there are taken.")
@click.option(
    "--plan",
    is_flag=True,
    help="Make one part here, and print how long all of them would take on how many workers; nothing stays.",
)
@click.option("--price", metavar="PRICE", help="With --plan, what a worker costs, e.g. 0.05USD/h.")
@by_parts.QUIET
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def make(
    dataset: str,
    scale: str | None,
    seed: int,
    like: str | None,
    reproducible: bool,
    on: str | None,
    to: str | None,
    resume: bool,
    plan: bool,
    price: str | None,
    quiet: bool,
    as_json: bool,
    **layout: Any,
) -> None:
    """Generate a dataset into the cache, or find it there, and print where it is.

    DATASET is netflow, tpchgen, dbgen, tpcds-dsdgen, h2o-g1 or h2o-j1.
    """
    from weigh.data.generator import dataset_scale, generator
    from weigh.data.layout.knobs import UnknownColumn
    from weigh.data.reproducible import again
    from weigh.engines import environment
    from weigh.engines.prepared import cache_folder
    from weigh.experiment.data import dataset as datasets
    from weigh.model.errors import ExitCode, UsageError

    report, cache = progress(quiet), cache_folder()
    spec = _layout(layout)
    source = click.get_current_context().get_parameter_source("seed")
    if source is ParameterSource.COMMANDLINE and not generator(dataset).seeded:
        raise UsageError(
            f"{dataset} has no seed: its rows are the same each time", remedy="leave out --seed, or make netflow"
        )
    given = click.get_current_context().get_parameter_source("files") is ParameterSource.COMMANDLINE
    parts = spec.files if given else None
    if price and not plan:
        raise UsageError("--price is for --plan", remedy="leave it out, or add --plan")
    if plan:
        by_parts.plan(dataset, dataset_scale(dataset, scale), seed, spec, parts, to or "", price, as_json=as_json)
        return
    if where := by_parts.where(on, to, resume=resume):
        if like or reproducible:
            raise UsageError(
                "--match and --reproducible are about one machine", remedy="make a small one without --on for them"
            )
        by_parts.print_made(
            by_parts.make(dataset, dataset_scale(dataset, scale), seed, spec, parts, where, report), as_json=as_json
        )
        return
    matched = _matched(like, spec) if like else None
    try:
        stored = datasets.make(
            dataset, dataset_scale(dataset, scale), seed, matched.layout if matched else spec, cache, report
        )
    except UnknownColumn as error:
        raise _unlike(dataset, like, error) if like else error from None
    written = _difference(stored, matched, dataset, like) if matched and like else None
    second = None
    if reproducible:
        report.say("data: the same once more")
        second = again(stored, cache, lambda names: environment.ensure(names, cache).python, report.step)
    if as_json:
        print_json(_document(stored, matched, written, second))
    else:
        _print(stored)
        if matched and written:
            _print_match(matched, written, str(like), str(stored.folder))
        if second:
            _print_reproduction(second)
    click.get_current_context().exit(int(ExitCode.FOUND if second and second.unequal else ExitCode.OK))


def _layout(flags: dict[str, Any]) -> LayoutSpec:
    """The layout that the flags ask for.

    Raises:
        UsageError: it is of Vortex, and a flag says what Parquet alone has.
    """
    from weigh.data.layout import knobs
    from weigh.model.errors import UsageError

    if flags["format"] == "vortex":
        context = click.get_current_context()
        if context.params.get("like"):
            raise UsageError("files of Vortex cannot be like one of Parquet", remedy="leave out --format or --match")
        knobs.refuse_keys(name for name in flags if context.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    return LayoutSpec(**_values(flags)).normal


def _values(flags: dict[str, Any]) -> dict[str, Any]:
    from weigh.data.layout import knobs

    given = {name: value for name, value in flags.items() if value is not None}
    return {name: knobs.parse(name, value) if name in knobs.KNOBS else value for name, value in given.items()}


def _matched(like: str, base: LayoutSpec) -> Match:
    """A layout like a file, with what flags say themselves."""
    import msgspec

    from weigh.cli.data.diff import refuse_bombs
    from weigh.data import sides
    from weigh.data.layout import match
    from weigh.data.layout.physical import table_form
    from weigh.model.errors import UsageError

    found = sides.tables(like)
    if len(found) != 1:
        raise UsageError(
            f"{like} holds {len(found)} tables", remedy="name the files of one table, for instance by a pattern"
        )
    (files,) = found.values()
    refuse_bombs(files)
    matched = match.match(table_form(files), base)
    context = click.get_current_context()
    given = {
        name: value
        for name, value in context.params.items()
        if name in base.__struct_fields__ and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    return matched._replace(layout=msgspec.structs.replace(matched.layout, **_values(given)))


def _difference(stored: CachedData, matched: Match, dataset: str, like: str) -> Written:
    """What still differs between a file and what was made like it."""
    from weigh.data import sides
    from weigh.data.layout.difference import compare
    from weigh.data.layout.physical import table_form
    from weigh.model.errors import UsageError

    made = sides.tables(str(stored.folder))
    theirs = sides.tables(like)
    try:
        ((_, mine, _),) = sides.pairs(made, theirs, (dataset, like))
    except UsageError as error:
        raise _unlike(dataset, like, error) from None
    return compare(matched.form, table_form(mine))


def _unlike(dataset: str, like: str | None, error: Exception) -> Exception:
    from weigh.model.errors import UsageError

    return UsageError(
        f"{like} has other columns than any table of {dataset}: {error}",
        remedy=f"match a file of one of the tables of {dataset}, or make the dataset that the file is of",
    )


def _document(
    stored: CachedData, matched: Match | None, written: Written | None, second: Reproduction | None
) -> dict[str, Any]:
    from msgspec import UNSET

    from weigh.data import documents

    made = documents.MadeDocument(
        folder=str(stored.folder),
        manifest=stored.manifest,
        match=documents.Matched(lacks=tuple(matched.lacks), written=written) if matched else UNSET,
        reproduction=second or UNSET,
    )
    return documents.document("weigh/manifest/1", made)


def _print(stored: CachedData) -> None:
    from weigh.model import units

    say(stored.folder)
    for table, digest in stored.manifest.digests.items():
        size = units.size(sum(file.bytes for file in stored.manifest.files if file.table == table))
        say(f"{table}: {stored.manifest.rows(table):,} rows, {size}, {stored.manifest.writer}, digest {digest}")


def _print_match(matched: Match, written: Written, like: str, folder: str) -> None:
    from weigh.cli.data.diff import print_written
    from weigh.data.layout import knobs
    from weigh.model import units

    spec = matched.layout
    choices = [f"writer {spec.writer}", f"codec {spec.codec}", units.count(spec.files, "file")]
    if spec.row_group_rows is not None:
        choices.append(f"row groups of {spec.row_group_rows:,} rows")
    choices += [knobs.words(name, value) for name, value in knobs.options_of(spec).items()]
    say(f"set: {'; '.join(choices)}")
    for lack in matched.lacks:
        say(f"not to be had: {lack}")
    say("what still differs between the file and what was made:" if written.differences else "nothing differs:")
    print_written(written, like, folder)


def _print_reproduction(second: Reproduction) -> None:
    from weigh.model import units

    if not second.unequal:
        say(f"made twice: {units.count(second.files, 'file')} with the same bytes each time, by {second.writer}")
        return
    say(
        f"made twice: {second.writer} does not write the same bytes again: "
        f"{len(second.unequal):,} of {units.count(second.files, 'file')} differ",
        fg="red",
        bold=True,
    )
    for one in second.unequal:
        say(f"  {one.path}: {one.where}")
