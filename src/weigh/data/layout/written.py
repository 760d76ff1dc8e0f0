"""Whether a layout was carried out: what was asked for against what the files show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.layout import knobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.data.layout.physical import TableForm
    from weigh.model.spec import LayoutSpec


def contradictions(spec: LayoutSpec, form: TableForm) -> list[str]:
    """What the files of a table show otherwise than their layout says; nothing of a table without rows.

    A dictionary that grew too large, and columns of a type that cannot have a thing, are no contradiction.

    Args:
        spec: the layout, checked.
        form: how the files are written.
    """
    return list(_contradictions(spec, form)) if form.rows else []


def _contradictions(spec: LayoutSpec, form: TableForm) -> Iterator[str]:
    codecs = {column.codec for column in form.columns.values()}
    if codecs != {spec.codec}:
        yield f"codec {', '.join(sorted(codecs))}, not {spec.codec}"
    options = knobs.options_of(spec)
    has = {
        "dictionary": [name for name, column in form.columns.items() if column.dictionary != "none"],
        "bloom_filters": [name for name, column in form.columns.items() if column.bloom_filter_bytes],
        "statistics": [name for name, column in form.columns.items() if column.statistics],
        "page_index": [name for name, column in form.columns.items() if column.page_index],
        "page_checksums": [name for name, column in form.columns.items() if column.checksums],
    }
    for name, columns in has.items():
        if name not in options:
            continue
        wanted = knobs.columns(options[name], list(form.columns))
        beyond = [column for column in columns if column not in wanted]
        if beyond:
            yield f"{knobs.words(name, True)} for {', '.join(beyond)}, not {knobs.words(name, options[name])}"
        elif wanted and not columns:
            yield f"{knobs.words(name, False)}, not {knobs.words(name, options[name])}"
    if "parquet_version" in options and any(one != spec.parquet_version for one in form.parquet_versions):
        yield f"Parquet version {', '.join(map(str, form.parquet_versions))}, not {spec.parquet_version}"
    versions = {one for column in form.columns.values() for one in column.page_versions}
    if "page_version" in options and versions != {spec.page_version}:
        yield f"pages of version {', '.join(map(str, sorted(versions)))}, not {spec.page_version}"
