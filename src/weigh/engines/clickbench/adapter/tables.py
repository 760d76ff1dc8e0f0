"""Tables as files that the scripts of a system load."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

FORMS = ("parquet", "csv", "tsv")


def form(name: str) -> str:
    """A known form of the data; raises where it is none."""
    if name not in FORMS:
        raise ValueError(f"weigh.data is one of {', '.join(FORMS)}, not {name}")
    return name


def put(given: dict[str, list[str]], home: Path, kind: str) -> None:
    """Copies, for the scripts may remove or change what they load: ``hits.parquet``, or ``hits_0.parquet`` and so on.

    CSV and TSV have all rows of a table in one file without a header.
    """
    for name, paths in given.items():
        if kind == "parquet":
            for number, path in enumerate(paths):
                shutil.copyfile(path, home / (f"{name}.parquet" if len(paths) == 1 else f"{name}_{number}.parquet"))
        else:
            _text(paths, home / f"{name}.{kind}", "," if kind == "csv" else "\t")


def texts(given: dict[str, list[str]]) -> list[str]:
    """Columns that hold text in every table that has one of that name: 123 is text there."""
    kinds: dict[str, set[bool]] = {}
    for paths in given.values():
        for field in pq.read_schema(paths[0]):
            kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            kinds.setdefault(field.name, set()).add(str(kind) in ("string", "large_string", "string_view"))
    return sorted(name for name, found in kinds.items() if found == {True})


def _text(paths: list[str], to: Path, delimiter: str) -> None:
    options = pyarrow.csv.WriteOptions(include_header=False, delimiter=delimiter)
    with pyarrow.csv.CSVWriter(str(to), pq.read_schema(paths[0]), write_options=options) as writer:
        for path in paths:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches():
                    writer.write_batch(batch)
