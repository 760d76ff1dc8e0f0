"""Knobs of layouts beyond files, codec and row groups: which writer has which, and what it does where it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import msgspec

from weigh.model import units
from weigh.model.errors import UsageError, nearest
from weigh.model.spec import OF_EVERY_FORMAT, Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weigh.model.spec import LayoutSpec

KNOBS = (
    "codec_level", "parquet_version", "page_version", "dictionary", "page_size", "bloom_filters", "statistics",
    "page_index", "page_checksums", "sort",
)  # fmt: skip
"""Fields of a layout that may be left open, and then are the writer's own choice."""
LEVELS = {"zstd": (1, 22), "gzip": (1, 9)}
"""Codecs that have levels, with the lowest and the highest."""

_SETS: dict[Writer, frozenset[str]] = {
    "duckdb": frozenset({"codec_level", "parquet_version", "dictionary", "page_size", "bloom_filters", "sort"}),
    "pyarrow": frozenset(KNOBS),
    "polars": frozenset({"codec_level", "page_size", "statistics", "sort"}),
    "parquet-rs": frozenset({"codec_level", "parquet_version", "dictionary", "page_size", "bloom_filters", "sort"}),
    "tpchgen": frozenset({"codec_level"}),
}
"""What each writer can set."""
_DOES: dict[Writer, dict[str, object]] = {
    "duckdb": {"page_version": 1, "statistics": True, "page_index": False, "page_checksums": False},
    "pyarrow": {},
    "polars": {
        "parquet_version": 1, "page_version": 1, "bloom_filters": False, "page_index": True, "page_checksums": False,
    },
    "parquet-rs": {"statistics": True, "page_index": True, "page_checksums": False},
    "tpchgen": {
        "parquet_version": 1, "page_version": 1, "dictionary": True, "bloom_filters": False, "statistics": True,
        "page_index": True, "page_checksums": False,
    },
}  # fmt: skip
"""What each writer does always; what stands in neither is its own decision, column by column."""
_BY_COLUMN = ("pyarrow",)
"""Writers that can do one thing for some columns and not for others."""
_LEVELS_OF: dict[Writer, tuple[str, ...]] = {"duckdb": ("zstd",)}
"""Codecs whose level a writer can set, where that is not all."""
_ON_OFF = {"on": True, "off": False}


class UnknownColumn(UsageError):
    """A knob names a column that no table has."""


def options_of(spec: LayoutSpec) -> dict[str, Any]:
    """The knobs that are not left open, by name."""
    return {name: value for name in KNOBS if (value := getattr(spec, name)) is not msgspec.UNSET}


def lacking(spec: LayoutSpec) -> dict[str, str]:
    """What the layout asks for and its writer cannot do, by knob, as a sentence."""
    found = {name: _lack(spec, name, value) for name, value in options_of(spec).items()}
    return {name: problem for name, problem in found.items() if problem}


def check(spec: LayoutSpec) -> None:
    """Refuse knobs that the writer would not carry out, and values that nothing can be.

    Raises:
        UsageError: so it is; the remedy names a writer that has the knob.
    """
    if spec.vortex:
        refuse_keys(spec.words)
    for name, value in options_of(spec).items():
        _sound(name, value)
    if spec.vortex:
        return
    for name, problem in lacking(spec).items():
        raise UsageError(problem, remedy=_remedy(spec, name))
    if spec.writer == "duckdb" and spec.bloom_filters is True and spec.dictionary is False:
        raise UsageError(
            "duckdb writes Bloom filters for columns with dictionaries alone, and there shall be none",
            remedy="leave out bloom_filters or dictionary, or say writer = 'pyarrow'",
        )
    if spec.statistics is False and spec.page_index is True:
        raise UsageError(
            "a page index holds the statistics of pages, and there shall be none",
            remedy="leave out page_index or statistics",
        )


def refuse_keys(keys: Iterable[str], where: str = "") -> None:
    """Refuse keys of a layout of Vortex that are Parquet's alone.

    Args:
        keys: that were reported.
        where: they were reported.

    Raises:
        UsageError: one of them is.
    """
    for key in keys:
        if key not in OF_EVERY_FORMAT:
            raise UsageError(
                f"{key} is a key of Parquet, and a layout of Vortex decides that by itself",
                where=where,
                remedy=f"leave out {key}: of Vortex there are files and sort",
            )


def check_columns(spec: LayoutSpec, tables: Mapping[str, list[str]]) -> None:
    """Refuse a column that no table has.

    Args:
        spec: the layout.
        tables: names of the columns by table.

    Raises:
        UnknownColumn: there is one.
    """
    known = {name for names in tables.values() for name in names}
    for knob, value in options_of(spec).items():
        for name in value if isinstance(value, tuple) else ():
            if name not in known:
                raise UnknownColumn(f"{knob} names '{name}', which no table has", remedy=nearest(name, known))


def parse(name: str, text: str) -> Any:
    """The value of a knob, or of another field of a layout, as it is written on a command line.

    Raises:
        UsageError: it is none.
    """
    if name in ("format", "writer", "codec"):
        return text
    if name in ("files", "row_group_rows"):
        return units.parse_rows(text, "files" if name == "files" else "rows")
    if name == "page_size":
        return units.parse_size(text)
    if name in ("codec_level", "parquet_version", "page_version"):
        try:
            return int(text)
        except ValueError:
            raise UsageError(f"{name} is a number, not '{text}'", remedy=f"say {name} = 1, for instance") from None
    if name in ("page_index", "page_checksums") and text not in _ON_OFF:
        raise UsageError(f"{name} is on or off, not '{text}'", remedy=nearest(text, _ON_OFF))
    if name == "sort" or text not in _ON_OFF:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return _ON_OFF[text]


def columns(value: object, names: list[str], *, in_its_order: bool = False) -> list[str]:
    """The columns of a table that a knob is on for: all, none, or those of its list that the table has.

    Args:
        value: of the knob.
        names: the table's columns.
        in_its_order: whether in the order of the knob's list, and not of the table.
    """
    if isinstance(value, tuple):
        if in_its_order:
            return [name for name in value if name in names]
        return [name for name in names if name in value]
    return names if value is True else []


def normal(spec: LayoutSpec) -> LayoutSpec:
    """With one way of saying the same: no columns is off, and the order of columns counts in a sort alone."""
    spec = spec.normal
    if spec.vortex:
        return spec
    changed: dict[str, Any] = {}
    for name in ("dictionary", "bloom_filters", "statistics"):
        value = getattr(spec, name)
        if isinstance(value, tuple):
            changed[name] = tuple(sorted(value)) or False
    if spec.sort == ():
        changed["sort"] = msgspec.UNSET
    return msgspec.structs.replace(spec, **changed) if changed else spec


def _lack(spec: LayoutSpec, name: str, value: Any) -> str:
    writer = spec.parquet_writer
    if name not in _SETS[writer]:
        does = _DOES[writer].get(name)
        if name in _DOES[writer] and does == value:
            return ""
        if isinstance(does, bool):
            does_so = "always" if does else "never"
            return f"{writer} cannot write {words(name, value)}: it {does_so} writes {words(name, True)}"
        if name in _DOES[writer]:
            return f"{writer} cannot write {words(name, value)}: it always writes {words(name, does)}"
        return f"{writer} cannot write {words(name, value)}" + (
            ": it decides that by itself" if name != "sort" else ": it writes rows in its own order"
        )
    if isinstance(value, tuple) and name != "sort" and writer not in _BY_COLUMN:
        return f"{writer} cannot write {words(name, value)}: it takes {name} for all columns or none"
    if name == "codec_level":
        if spec.codec not in LEVELS:
            return f"{spec.codec} has no levels"
        if spec.codec not in _LEVELS_OF.get(writer, tuple(LEVELS)):
            return f"{writer} cannot set the level of {spec.codec}"
        low, high = LEVELS[spec.codec]
        if not low <= value <= high:
            return f"{spec.codec} has levels from {low} to {high}, not {value}"
    return ""


def words(name: str, value: object) -> str:
    """A knob with its value, for people."""
    noun = {
        "codec_level": "codec level", "parquet_version": "Parquet version", "page_version": "pages of version",
        "dictionary": "dictionaries", "page_size": "pages of at most", "bloom_filters": "Bloom filters",
        "statistics": "statistics", "page_index": "a page index", "page_checksums": "page checksums",
        "sort": "rows sorted by",
    }[name]  # fmt: skip
    if value is True:
        return noun
    if value is False:
        return f"no {noun.removeprefix('a ')}"
    if isinstance(value, tuple):
        names = ", ".join(map(str, value))
        return f"{noun} {names}" if name == "sort" else f"{noun} for {names} alone"
    return f"{noun} {units.size(value)}" if name == "page_size" and isinstance(value, int) else f"{noun} {value}"


def _sound(name: str, value: Any) -> None:
    if isinstance(value, tuple) and len(set(value)) < len(value):
        raise UsageError(f"{name} names a column twice", remedy="name each once")
    if name == "page_size" and value < 1:
        raise UsageError(f"pages of {value} bytes cannot be", remedy="give at least 1, for instance 64K")
    if name in ("parquet_version", "page_version") and value not in (1, 2):
        raise UsageError(f"there is no {words(name, value)}", remedy="say 1 or 2")


def _remedy(spec: LayoutSpec, name: str) -> str:
    if name == "codec_level" and spec.codec not in LEVELS:
        return f"leave out codec_level, or say codec = {' or '.join(map(repr, LEVELS))}"
    able = [
        other
        for other in get_args(Writer)
        if other != "tpchgen" and name not in lacking(msgspec.structs.replace(spec, writer=other))
    ]
    if not able:
        low, high = LEVELS.get(spec.parquet_codec, (1, 22))
        return f"give one from {low} to {high}" if name == "codec_level" else f"leave out {name}"
    return f"leave out {name}, or say writer = {' or '.join(map(repr, able))}"
