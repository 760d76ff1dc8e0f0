"""Layouts: a table's batches written as files in one declared physical form."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from weigh.data.layout import knobs, sorting, vortex
from weigh.data.layout.program import by_program, fault
from weigh.data.layout.programs import duckdb_writer, parquet_rs_writer, polars_writer
from weigh.model.dataset import USER_FILES
from weigh.model.errors import DataFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from weigh.model.spec import LayoutSpec
    from weigh.model.units import Rows

DUCKDB = "duckdb==2.0.0"
"""What the environment of the DuckDB writer must hold, besides nanoarrow."""
POLARS = "polars==2.1.0"
"""What the environment of the Polars writer must hold, besides nanoarrow."""
PARQUET_RS = "arro3-io==0.9.1"
"""What the environment of the writer of the Rust crate must hold, besides nanoarrow: it writes with parquet 59.0.0."""
TPCHGEN = "tpchgen-cli==4.0.0"
"""A generator that writes Parquet itself, and so may be the writer of its own data."""
ROW_GROUP_ROWS = 122_880
"""DuckDB's row groups; PyArrow's too where nothing else is asked for, so that layouts differ in one thing."""

_GENERATORS = ("tpchgen",)
"""Writers that are generators: they write their own data and nothing else, in row groups of their own size."""
_IN_DUCKDB = {"none": "uncompressed", "lz4": "lz4_raw"}
_IN_POLARS = {"none": "uncompressed"}
_IN_RUST = {"none": "uncompressed", "lz4": "lz4_raw"}
_LEVELS_IN_RUST = {"zstd": 1, "gzip": 6}
"""Defaults of the crate, which takes no codec that has levels without one."""
_MANY_ROWS = 1 << 30
_FALSE_POSITIVES = 0.01
"""Of Bloom filters, as DuckDB's."""
_LARGE_DICTIONARY = 1 << 30
"""Bytes: more than any row group's texts."""
_DUCKDB_UNIT = 2_048
"""DuckDB writes row groups of whole vectors."""


def writer(spec: LayoutSpec) -> str:
    """The writer of a layout with its version, as a manifest names it."""
    if spec.vortex:
        return vortex.VORTEX.replace("==", " ")
    programs = {"duckdb": DUCKDB, "polars": POLARS, "parquet-rs": PARQUET_RS, "tpchgen": TPCHGEN}
    return programs[spec.writer].replace("==", " ") if spec.writer in programs else f"pyarrow {pa.__version__}"


def requirements(spec: LayoutSpec) -> list[str]:
    """What the environment of a layout's writer must hold; nothing for one that needs none."""
    if spec.vortex:
        return vortex.REQUIREMENTS
    return {"duckdb": [DUCKDB], "polars": [POLARS], "parquet-rs": [PARQUET_RS]}.get(spec.parquet_writer, [])


def complete(spec: LayoutSpec) -> LayoutSpec:
    """The layout with what it leaves open decided, so that equal layouts are equal."""
    spec = knobs.normal(spec)
    if spec.vortex or spec.row_group_rows is not None or spec.writer in _GENERATORS:
        return spec
    return msgspec.structs.replace(spec, row_group_rows=ROW_GROUP_ROWS)


def check(spec: LayoutSpec, generator: str) -> None:
    """Refuse what a writer would silently change, or cannot do.

    Args:
        spec: the layout.
        generator: name of the generator of the data.

    Raises:
        UsageError: no files, no rows in a row group, a row group size that DuckDB would round, a generator as the
            writer of another's data, or a knob that the writer, or the format, does not have.
    """
    knobs.check(spec)
    if spec.files < 1 or (spec.row_group_rows is not None and spec.row_group_rows < 1):
        raise UsageError(
            f"a layout of {spec.files} files and {spec.row_group_rows} rows a row group cannot be",
            remedy="give at least 1 of each",
        )
    if spec.vortex:
        return
    if spec.writer in _GENERATORS and spec.writer != generator:
        raise UsageError(
            f"{spec.writer} writes its own data and no other, and "
            + ("these are your own files" if generator == USER_FILES else f"this is {generator}"),
            remedy="say writer = 'duckdb', 'pyarrow', 'polars' or 'parquet-rs'",
        )
    if spec.writer in _GENERATORS and spec.row_group_rows is not None:
        raise UsageError(
            f"{spec.writer} makes row groups by size in bytes, not of {spec.row_group_rows} rows",
            remedy="leave row_group_rows out, or say writer = 'duckdb' or 'pyarrow'",
        )
    if spec.writer == "duckdb" and spec.row_group_rows is not None and spec.row_group_rows % _DUCKDB_UNIT:
        near = max(1, round(spec.row_group_rows / _DUCKDB_UNIT)) * _DUCKDB_UNIT
        raise UsageError(
            f"DuckDB writes row groups of multiples of {_DUCKDB_UNIT} rows, not {spec.row_group_rows}",
            remedy=f"say row_group_rows = {near}, or writer = 'pyarrow'",
        )


def write(
    batches: Iterable[pa.RecordBatch],
    spec: LayoutSpec,
    paths: list[Path],
    *,
    schema: pa.Schema,
    rows: Rows,
    python: Path | None = None,
    threads: int = 2,
) -> None:
    """Write one table.

    Args:
        batches: every row, in the order of the files.
        spec: how to write it, checked.
        paths: one for each of the layout's files; the first ones get a row more where the rows do not divide.
        schema: the table's plain types.
        rows: how many rows there are in all.
        python: interpreter of an environment with the writer's ``requirements`` and nanoarrow, where it has any.
        threads: that the writer may use.

    Raises:
        EnvironmentFault: the disk is full or cannot be written, or there is no interpreter.
        DataFault: the writer failed.
    """
    spec = complete(spec)
    order = knobs.columns(spec.sort, schema.names, in_its_order=True)
    if order:
        batches = sorting.ordered(batches, order, schema, paths[0].parent)
    shares = [rows * (number + 1) // len(paths) - rows * number // len(paths) for number in range(len(paths))]
    parts = zip(paths, divided(batches, sorted(shares, reverse=True)), strict=True)
    try:
        if spec.vortex:
            # It would keep dictionaries as a type of their own.
            vortex.write(_cast(parts, schema), paths, schema=schema, python=python)
        elif spec.writer == "duckdb":
            job = {"options": _duckdb_options(spec), "threads": threads}
            by_program(duckdb_writer.__file__, job, DUCKDB, parts, paths, schema=schema, python=python)
        elif spec.writer == "polars":
            job = {"options": _polars_options(spec), "threads": threads}
            # Polars would make its own type of a dictionary.
            by_program(polars_writer.__file__, job, POLARS, _cast(parts, schema), paths, schema=schema, python=python)
        elif spec.writer == "parquet-rs":
            job = {"options": _rust_options(spec)}
            by_program(
                parquet_rs_writer.__file__, job, PARQUET_RS, _cast(parts, schema), paths, schema=schema, python=python
            )
        else:
            # Nobody else writes as a generator does: for an excerpt of its files PyArrow stands in.
            for path, part in _cast(parts, schema):
                _by_pyarrow(part, spec, path, schema)
    except OSError as error:
        raise fault(error, paths[0].parent) from error


def divided(batches: Iterable[pa.RecordBatch], shares: list[Rows]) -> Iterator[Iterator[pa.RecordBatch]]:
    """The same rows in consecutive parts of the given sizes; each part must be drawn before the next."""
    source = iter(batches)
    rest: list[pa.RecordBatch] = []

    def part(share: Rows) -> Iterator[pa.RecordBatch]:
        missing = share
        while missing:
            batch = rest.pop() if rest else next(source, None)
            if batch is None:
                raise DataFault("the generator made fewer rows than it said", remedy="report this to who wrote it")
            if batch.num_rows > missing:
                rest.append(batch.slice(missing))
                batch = batch.slice(0, missing)
            missing -= batch.num_rows
            yield batch

    for share in shares:
        yield part(share)


def _by_pyarrow(batches: Iterator[pa.RecordBatch], spec: LayoutSpec, path: Path, schema: pa.Schema) -> None:
    form = _pyarrow_options(spec, schema)
    rows = spec.row_group_rows or ROW_GROUP_ROWS
    first = next(batches, None)
    with pq.ParquetWriter(path, schema if first is None else first.schema, **form) as file:
        for group in grouped([] if first is None else chain([first], batches), rows):
            file.write_table(group, row_group_size=rows)


def _pyarrow_options(spec: LayoutSpec, schema: pa.Schema) -> dict[str, Any]:
    form: dict[str, Any] = {
        "compression": "NONE" if spec.codec == "none" else spec.codec,
        # Types that PyArrow, and only it, would read from an Arrow schema in the footer are not those of the columns.
        "store_schema": False,
    }
    options = knobs.options_of(spec)
    plain = {
        "codec_level": "compression_level", "page_index": "write_page_index", "page_checksums": "write_page_checksum",
        "dictionary": "use_dictionary", "statistics": "write_statistics",
    }  # fmt: skip
    for name, theirs in plain.items():
        if name in options:
            form[theirs] = options[name]
    for name in ("use_dictionary", "write_statistics"):
        if isinstance(form.get(name), tuple):
            form[name] = knobs.columns(form[name], schema.names)
    if "parquet_version" in options:
        form["version"] = "1.0" if spec.parquet_version == 1 else "2.6"
    if "page_version" in options:
        form["data_page_version"] = f"{spec.page_version}.0"
    if "page_size" in options:
        # Pages are cut between batches, and after 20,000 rows whatever they are long.
        form |= {"data_page_size": spec.page_size, "write_batch_size": 256, "max_rows_per_page": _MANY_ROWS}
    if "bloom_filters" in options:
        able = [
            field.name for field in schema if not (pa.types.is_boolean(field.type) or pa.types.is_nested(field.type))
        ]
        filters = {"ndv": spec.row_group_rows or ROW_GROUP_ROWS, "fpp": _FALSE_POSITIVES}
        form["bloom_filter_options"] = dict.fromkeys(knobs.columns(spec.bloom_filters, able), filters)
    return form


def _duckdb_options(spec: LayoutSpec) -> dict[str, Any]:
    options = knobs.options_of(spec)
    form: dict[str, Any] = {
        "COMPRESSION": _IN_DUCKDB.get(spec.parquet_codec, spec.parquet_codec),
        "ROW_GROUP_SIZE": spec.row_group_rows,
    }
    theirs = {"codec_level": "COMPRESSION_LEVEL", "page_size": "DATA_PAGE_SIZE_LIMIT"}
    form |= {theirs[name]: options[name] for name in theirs if name in options}
    if "parquet_version" in options:
        form["PARQUET_VERSION"] = f"V{spec.parquet_version}"
    if "bloom_filters" in options:
        form["WRITE_BLOOM_FILTER"] = spec.bloom_filters
    if spec.dictionary is False:
        form["DICTIONARY_SIZE_LIMIT"] = 0
    elif spec.dictionary is True:
        # As many values as a row group can have.
        form |= {"DICTIONARY_SIZE_LIMIT": spec.row_group_rows, "STRING_DICTIONARY_PAGE_SIZE_LIMIT": _LARGE_DICTIONARY}
    return form


def _polars_options(spec: LayoutSpec) -> dict[str, Any]:
    options = knobs.options_of(spec)
    form: dict[str, Any] = {
        "compression": _IN_POLARS.get(spec.parquet_codec, spec.parquet_codec),
        "row_group_size": spec.row_group_rows,
    }
    theirs = {"codec_level": "compression_level", "page_size": "data_page_size", "statistics": "statistics"}
    return form | {theirs[name]: options[name] for name in theirs if name in options}


def _rust_options(spec: LayoutSpec) -> dict[str, Any]:
    options = knobs.options_of(spec)
    level = options.get("codec_level", _LEVELS_IN_RUST.get(spec.parquet_codec))
    form: dict[str, Any] = {
        "compression": _IN_RUST.get(spec.parquet_codec, spec.parquet_codec) + ("" if level is None else f"({level})"),
        "max_row_group_size": spec.row_group_rows,
        # As of PyArrow: it would make PyArrow, and only it, see other types.
        "skip_arrow_metadata": True,
    }
    if "parquet_version" in options:
        form["writer_version"] = f"parquet_{spec.parquet_version}_0"
    if "page_size" in options:
        # Pages are cut between batches, and after 20,000 rows whatever they are long.
        form |= {
            "data_page_size_limit": spec.page_size, "write_batch_size": 256, "data_page_row_count_limit": _MANY_ROWS
        }  # fmt: skip
    if "dictionary" in options:
        form["dictionary_enabled"] = spec.dictionary
    if spec.dictionary is True:
        form["dictionary_page_size_limit"] = _LARGE_DICTIONARY
    if "bloom_filters" in options:
        form["bloom_filter_enabled"] = spec.bloom_filters
    if spec.bloom_filters is True:
        form |= {"bloom_filter_fpp": _FALSE_POSITIVES, "bloom_filter_ndv": spec.row_group_rows}
    return form


def _cast(
    parts: Iterable[tuple[Path, Iterator[pa.RecordBatch]]], schema: pa.Schema
) -> Iterator[tuple[Path, Iterator[pa.RecordBatch]]]:
    """The same rows in the table's plain types."""
    return ((path, (batch.cast(schema) for batch in part)) for path, part in parts)


def grouped(batches: Iterable[pa.RecordBatch], rows: Rows) -> Iterator[pa.Table]:
    """The same rows as tables of ``rows`` rows each; the last one has what is left."""
    waiting: list[pa.RecordBatch] = []
    rows_waiting = 0
    for batch in batches:
        waiting.append(batch)
        rows_waiting += batch.num_rows
        while rows_waiting >= rows:
            table = pa.Table.from_batches(waiting)
            yield table.slice(0, rows)
            waiting = table.slice(rows).to_batches()
            rows_waiting -= rows
    if rows_waiting:
        yield pa.Table.from_batches(waiting)
