"""What contenders read, and in what that differs, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.data.differences import words
from weigh.model import units
from weigh.model.contender import DEFAULT_LAYOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.dataset import Manifest
    from weigh.model.spec import LayoutSpec


def lines(record: Record) -> Iterator[str]:
    """A line for each layout, that of the baseline first; none where nothing is recorded."""
    if not record.layouts:
        for manifest in record.manifests:
            yield f"{described(manifest)}; the same bytes for all contenders"
        return
    clauses: dict[str, list[str]] = {}
    for one in record.spec.contenders:
        clauses.setdefault(one.layout, []).append(one.name)
    for layout, names in clauses.items():
        if (found := record.manifest_of(names[0])) is not None:
            yield f"layout {layout or DEFAULT_LAYOUT} ({', '.join(names)}): {described(found)}"
    yield "the same rows for all contenders, by their digests"


def described(manifest: Manifest) -> str:
    """``1 Parquet file, 1.2 MiB, written by duckdb 2.0.0, zstd``, or of Vortex who read it back."""
    copies = ", copies of your own files" if manifest.layout and manifest.dataset.from_user else ""
    if manifest.vortex:
        files = units.count(len(manifest.files), "Vortex file")
        return f"{files}, {units.size(manifest.bytes)}, written and read back by {manifest.writer}{copies}"
    codec = manifest.layout.codec if manifest.layout else "as they were found"
    files = units.count(len(manifest.files), "Parquet file")
    return f"{files}, {units.size(manifest.bytes)}, written by {manifest.writer}, {codec}{copies}"


def described_layout(layout: LayoutSpec) -> str:
    """``duckdb, zstd, 1 file a table, row groups of 122,880 rows``, and what else was asked for."""
    files = f"{units.count(layout.files, 'file')} a table"
    if layout.vortex:
        return ", ".join(["Vortex", files, *([f"sort {words(layout.sort, 'sort')}"] if layout.sort else [])])
    rows = f"{layout.row_group_rows:,} rows" if layout.row_group_rows else "the writer's usual size"
    clauses = [layout.parquet_writer, layout.parquet_codec, files, f"row groups of {rows}"]
    others = [key for key in layout.__struct_fields__ if key not in ("writer", "codec", "files", "row_group_rows")]
    values = {key: value for key in others if (value := getattr(layout, key)) is not msgspec.UNSET}
    return ", ".join([*clauses, *(f"{key.replace('_', ' ')} {words(value, key)}" for key, value in values.items())])


DIFFERENCES_TITLE = "What differs besides the contender"
_NOTHING = "nothing that was recorded: the same bytes for all, and the same CPUs, threads, memory and place to spill"


def differences(results: ExperimentResults) -> list[str]:
    """A line for each thing that differs from the baseline alongside engine, version and settings.

    None where nobody is compared.
    """
    spec = results.record.spec
    if len(spec.contenders) < 2:
        return []
    found = []
    for name in (one.name for one in spec.contenders):
        found += [
            f"{name}, {one}" + (" (follows from it)" if one.follows else "")
            for one in results.differences
            if one.contender == name
        ]
        parity = (one for one in results.findings if one.contender == name and one.code.startswith("E6."))
        found += [f"{name}: {one.text}" for one in parity]
    return found or [_NOTHING]
