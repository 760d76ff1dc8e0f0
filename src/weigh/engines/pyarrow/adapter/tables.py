"""The tables that plans read, and the settings of both."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds

_POOLS = {"threads": (pa.cpu_count, pa.set_cpu_count), "io_threads": (pa.io_thread_count, pa.set_io_thread_count)}
_READER = ("pre_buffer", "use_buffered_stream", "buffer_size", "page_checksum_verification")
PLAN = {"pushdown": True, "use_threads": True, "batch_size": 131_072}
"""Of plans made of SQL: whether the scan gets the filter, to leave out row groups; whether a plan runs in parallel;
rows of a batch."""


class Table(NamedTuple):
    """What a query can name.

    Attributes:
        name: as bound.
        dataset: its files.
        sums: a bound of the sum of a column of integers, where one is known.
    """

    name: str
    dataset: Any
    sums: dict[str, int]


class Settings:
    """What is in force: the thread pools of the process, options of the Parquet reader and of plans.

    Args:
        wanted: values by name.

    Raises:
        ValueError: there is no such setting.
        TypeError: the value is of another kind than the default.
    """

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.objects: Any = None
        self.reader = ds.ParquetFragmentScanOptions()
        self.plan: dict[str, Any] = dict(PLAN)
        self.defaults = self.values()
        for name, value in wanted.items():
            if name not in self.defaults:
                raise ValueError(f"there is no setting {name}; there are {', '.join(self.defaults)}")
            if type(value) is not type(self.defaults[name]):
                raise TypeError(f"{name} = {value!r} is not of the kind of its default, {self.defaults[name]!r}")
            if name in _POOLS:
                _POOLS[name][1](value)
            elif name in _READER:
                setattr(self.reader, name, value)
            else:
                self.plan[name] = value

    def values(self) -> dict[str, Any]:
        """As they read now."""
        pools = {name: read() for name, (read, _) in _POOLS.items()}
        return {**pools, **{name: getattr(self.reader, name) for name in _READER}, **self.plan}

    def reach(self, store: dict[str, str]) -> None:
        """Read objects from now on, and no files."""
        from pyarrow import fs

        scheme, _, endpoint = store["endpoint"].partition("://")
        authority = {"tls_ca_file_path": store["ca"]} if store["ca"] else {}
        self.objects = fs.S3FileSystem(
            access_key=store["access_key"],
            secret_key=store["secret_key"],
            endpoint_override=endpoint,
            scheme=scheme,
            region=store["region"],
            force_virtual_addressing=False,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=2),
            **authority,
        )

    def opened(self, name: str, paths: list[str]) -> Table:
        """A table over Parquet files; their footers are read."""
        # Nanoseconds of 64 bits, its default for instants in INT96, wrap around beyond the years 1677 and 2262.
        coarse = ds.ParquetReadOptions(coerce_int96_timestamp_unit="us")
        form = ds.ParquetFileFormat(read_options=coarse, default_fragment_scan_options=self.reader)
        if self.objects is not None:
            paths = [path.removeprefix("s3://") for path in paths]
        dataset = ds.dataset(paths, format=form, filesystem=self.objects)
        # Views and dictionaries have few kernels; the reader makes plain columns of them as well.
        plain = pa.schema([field.with_type(_plain(field.type)) for field in dataset.schema])
        if plain != dataset.schema:
            dataset = ds.dataset(paths, schema=plain, format=form, filesystem=self.objects)
        return Table(name, dataset, _largest_sums(dataset))


def _plain(kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    return {"string_view": pa.string(), "binary_view": pa.binary()}.get(str(kind), kind)


def _largest_sums(dataset: Any) -> dict[str, int]:
    """Bounds of the sums of columns of integers: rows times the largest magnitude, where the footers tell it."""
    groups = [
        metadata.row_group(number)
        for metadata in (fragment.metadata for fragment in dataset.get_fragments())
        for number in range(metadata.num_row_groups)
    ]
    rows = sum(group.num_rows for group in groups)
    largest = {}
    for field in dataset.schema:
        if not pa.types.is_integer(field.type):
            continue
        if field.type.bit_width <= 32:
            largest[field.name] = rows << 32
            continue
        extremes = [_extreme(group, field.name) for group in groups]
        if None not in extremes:
            largest[field.name] = rows * max((one for one in extremes if one is not None), default=0)
    return largest


def _extreme(group: Any, name: str) -> int | None:
    """The largest magnitude of a column in a row group; None where the footer does not tell."""
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema == name:
            statistics = column.statistics
            if statistics is not None and statistics.has_min_max:
                return int(max(abs(statistics.min), abs(statistics.max)))
    return None
