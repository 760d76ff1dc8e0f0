"""What differs between two tables in how they are written, and what a comparison of them would compare."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.data.layout.physical import ColumnForm, TableForm
from weigh.model import units
from weigh.model.units import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kind = Literal["alike", "one thing", "several things", "writers", "writers and codecs"]

_NEAR = 0.1
"""By how much pages may differ in size or number and still be cut alike."""
_WRITER = re.compile(r"^(?P<name>.*?)(?: \([^)]*\))? version v?(?P<version>[^ ]+)")
_PEOPLE = {"parquet-cpp-arrow": "PyArrow", "parquet-cpp": "PyArrow"}


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that differs.

    Attributes:
        what: e.g. ``codec`` or ``row groups``.
        left: how it is on the left.
        right: how it is on the right.
        columns: in which columns; empty where it is of the whole table.
    """

    what: str
    left: str
    right: str
    columns: tuple[str, ...] = ()


class RowDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Rows that only one of two tables has.

    Attributes:
        only_left: how many only the left one has, duplicates counted.
        only_right: how many only the right one has.
        left_rows: where some of them are: path, and number of the row from 0.
        right_rows: the same of the right one.
    """

    only_left: Rows
    only_right: Rows
    left_rows: list[tuple[str, int]]
    right_rows: list[tuple[str, int]]

    @property
    def same(self) -> bool:
        """Whether both have the same rows."""
        return not self.only_left and not self.only_right


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the files of two tables.

    Attributes:
        left: how the left one is written.
        right: how the right one is written.
        differences: those of the table first, then those of columns.
        kind: what a comparison of the two would be of: ``alike``, ``one thing``, ``several things``, ``writers``
            (another writer at the same codec), ``writers and codecs``.
        means: the same as a sentence.
    """

    left: TableForm
    right: TableForm
    differences: tuple[Difference, ...]
    kind: Kind
    means: str


class TablePair(msgspec.Struct, frozen=True, kw_only=True):
    """Two tables that were compared.

    Attributes:
        table: name of the left one.
        rows: what differs in the rows; null where it was not asked for.
        written: what differs in how they are written; null where it was not asked for.
    """

    table: str
    rows: RowDifference | None
    written: Written | None


class DiffDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``weigh data diff --json`` prints.

    Attributes:
        same: whether all tables have the same rows; null where it was not asked for.
        alike: whether all tables are written alike; null where it was not asked for.
        tables: every pair.
    """

    same: bool | None
    alike: bool | None
    tables: list[TablePair]


def document(pairs: list[TablePair]) -> DiffDocument:
    """All pairs, and what is true of all of them."""
    rows = [pair.rows.same for pair in pairs if pair.rows is not None]
    written = [pair.written.kind == "alike" for pair in pairs if pair.written is not None]
    return DiffDocument(same=all(rows) if rows else None, alike=all(written) if written else None, tables=list(pairs))


def compare(left: TableForm, right: TableForm) -> Written:
    """Everything in which two tables are written differently; sizes follow from it and are none.

    Columns that only one of them has are left out: whoever calls has refused that.
    """
    found = [*_of_table(left, right), *_of_columns(left, right)]
    kind, means = _means(left, right, found)
    return Written(left=left, right=right, differences=tuple(found), kind=kind, means=means)


def writer(text: str) -> str:
    """A writer's name and version as people know them, from what it wrote into the file."""
    match = _WRITER.match(text)
    if match is None:
        return text
    name, version = match["name"], match["version"]
    return f"{_PEOPLE.get(name, name)} {version}"


def codec(form: ColumnForm) -> str:
    """A column's codec with its level, as far as it is known."""
    if form.level is None:
        return form.codec
    low, high = form.level
    return f"{form.codec} {low}" if low == high else f"{form.codec} {low} to {high}"


def _of_table(left: TableForm, right: TableForm) -> Iterator[Difference]:
    facts: tuple[tuple[str, Callable[[TableForm], str]], ...] = (
        ("writer", lambda form: ", ".join(dict.fromkeys(map(writer, form.writers)))),
        ("Parquet version", lambda form: ", ".join(map(str, form.parquet_versions))),
        ("rows", lambda form: f"{form.rows:,}"),
        ("files", lambda form: f"{form.files:,}"),
        ("order of columns", lambda form: ", ".join(form.columns)),
        ("row groups", _groups),
        ("rows sorted by", lambda form: ", ".join(form.sorted_by) or "nothing"),
        ("order that the files declare", lambda form: ", ".join(form.declared_order) or "none"),
        ("other things in the footer", lambda form: ", ".join(sorted(form.metadata)) or "none"),
    )
    for what, say in facts:
        if say(left) != say(right):
            yield Difference(what=what, left=say(left), right=say(right))


def _groups(form: TableForm) -> str:
    if form.least_rows == form.most_rows or form.row_groups == form.files:
        return f"{form.row_groups:,} of {form.most_rows:,} rows"
    return f"{form.row_groups:,} of at most {form.most_rows:,} rows"


def _of_columns(left: TableForm, right: TableForm) -> Iterator[Difference]:
    facts: tuple[tuple[str, Callable[[ColumnForm], str]], ...] = (
        ("type", lambda form: form.type),
        ("NULL", lambda form: "not allowed" if form.required else "allowed"),
        ("field id", lambda form: "none" if form.field_id is None else str(form.field_id)),
        ("codec", lambda form: form.codec),
        ("encodings", lambda form: ", ".join(form.encodings) or "none"),
        (
            "dictionary",
            lambda form: {"none": "none", "some": "for some pages", "all": "for all pages"}[form.dictionary],
        ),
        ("page headers", lambda form: ", ".join(f"version {one}" for one in form.page_versions) or "none"),
        ("page checksums", lambda form: _yes(form.checksums)),
        ("statistics", lambda form: _yes(form.statistics)),
        ("page index", lambda form: _yes(form.page_index)),
    )
    both = [name for name in left.columns if name in right.columns]
    for what, say in facts:
        yield from _grouped(what, [(name, say(left.columns[name]), say(right.columns[name])) for name in both])
    yield from _grouped("codec level", [(name, *_levels(left.columns[name], right.columns[name])) for name in both])
    yield from _grouped("pages", [(name, *_pages(left.columns[name], right.columns[name])) for name in both])
    yield from _grouped("Bloom filter", [(name, *_filters(left.columns[name], right.columns[name])) for name in both])


def _grouped(what: str, values: list[tuple[str, str, str]]) -> Iterator[Difference]:
    """One difference for all columns that differ in the same way."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, one, other in values:
        if one != other:
            found.setdefault((one, other), []).append(name)
    for (one, other), names in found.items():
        yield Difference(what=what, left=one, right=other, columns=tuple(names))


def _levels(left: ColumnForm, right: ColumnForm) -> tuple[str, str]:
    """Levels that cannot be the same; those of another codec are none, and an unknown one is no difference."""
    if left.codec != right.codec or left.level is None or right.level is None:
        return "", ""
    if left.level[0] <= right.level[1] and right.level[0] <= left.level[1]:
        return "", ""
    return codec(left), codec(right)


def _pages(left: ColumnForm, right: ColumnForm) -> tuple[str, str]:
    def near(one: int, other: int) -> bool:
        return abs(one - other) <= max(1, _NEAR * max(one, other))

    if near(left.pages, right.pages) and (left.pages == right.pages or near(left.page_bytes, right.page_bytes)):
        return "", ""
    return tuple(f"{form.pages:,} of {units.size(form.page_bytes)}" for form in (left, right))  # type: ignore[return-value]


def _filters(left: ColumnForm, right: ColumnForm) -> tuple[str, str]:
    return tuple(  # type: ignore[return-value]
        units.size(form.bloom_filter_bytes) if form.bloom_filter_bytes else "none" for form in (left, right)
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _means(left: TableForm, right: TableForm, found: list[Difference]) -> tuple[Kind, str]:
    whats = list(dict.fromkeys(one.what for one in found))
    if not whats:
        return "alike", "written alike: in nothing that weigh reads from the files do they differ"
    if "writer" in whats:
        return _of_writers(left, right, whats)
    if len(whats) == 1:
        return "one thing", f"a comparison of one thing: {whats[0]}"
    return (
        "several things",
        f"the same writer, and {len(whats)} things differ ({_listed(whats)}): a difference in time is of all of them",
    )


def _of_writers(left: TableForm, right: TableForm, whats: list[str]) -> tuple[Kind, str]:
    who = f"{writer(left.writers[0])} and {writer(right.writers[0])}" if left.writers and right.writers else "writers"
    rest = [what for what in whats if what not in ("writer", "codec")]
    if "codec" in whats:
        return (
            "writers and codecs",
            f"{who} wrote with other codecs: a difference in time is of the codec, of the writer or of both",
        )
    codecs = ", ".join(dict.fromkeys(form.codec for form in left.columns.values()))
    what = f"besides them differ {_listed(rest)}" if rest else "nothing besides them differs that weigh reads"
    return "writers", f"a comparison of writers: the codec is the same ({codecs}), and the writers are {who}; {what}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
