"""How a CSV is to be read, where what DuckDB finds by itself is not what it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.experiment.config.dialect import literal
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NEXT = re.compile(r",(?=[a-z]+=)")
"""Between two options; a comma may be the value of one."""
_ANSWERS = {"yes": True, "no": False, "true": True, "false": False}
_MARKS = ("sep", "decimal", "thousands", "quote", "comment")
"""Options that are one character."""
_WORDS = {"tab": "\t", "\\t": "\t", "space": " ", "none": ""}


class CsvTable(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """``[sql.csv]`` of weigh.toml: of all files of CSV.

    Attributes:
        sep: between two fields, e.g. ``";"`` or ``"tab"`` [found].
        decimal: before the fraction of a number, e.g. ``","`` [``"."``].
        thousands: between thousands of a number, e.g. ``"."`` [none].
        header: whether the first line names the columns [found].
        null: texts that are NULL, e.g. ``["NA", "-"]``; an empty field is then a text [an empty field].
        quote: around a text, e.g. ``"'"`` [found].
        comment: first character of a line that is left out [found].
        skip: lines before the header [found].
        date: of dates, e.g. ``"%d.%m.%Y"`` [found].
        text: columns that stay text, e.g. ``["zip"]`` [found].
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool | None = None
    null: list[str] = []
    quote: str | None = None
    comment: str | None = None
    skip: int | None = None
    date: str | None = None
    text: list[str] = []

    def __post_init__(self) -> None:
        for name in _MARKS:
            value = getattr(self, name)
            if value is not None and len(_WORDS.get(value, value)) > 1:
                raise ValueError(f"{name} is one character, and not '{value}'")

    @property
    def sql(self) -> str:
        """Arguments of DuckDB's ``read_csv``; empty where nothing is reported."""
        return "".join(f", {name} = {value}" for name, value in self._arguments())

    def _arguments(self) -> Iterator[tuple[str, str]]:
        for name, key in (
            ("delim", "sep"), ("decimal_separator", "decimal"), ("thousands", "thousands"), ("quote", "quote"),
            ("comment", "comment"), ("dateformat", "date"),
        ):  # fmt: skip
            value = getattr(self, key)
            if value is not None:
                yield name, literal(_WORDS.get(value, value) if key in _MARKS else value)
        if self.header is not None:
            yield "header", str(self.header).lower()
        if self.null:
            yield "nullstr", f"[{', '.join(map(literal, self.null))}]"
        if self.skip is not None:
            yield "skip", str(self.skip)

    def types(self, names: Sequence[str]) -> str:
        """Types that are named of columns that a file has, as an argument of ``read_csv``; ``sniff_csv`` takes none."""
        named = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in self.text if name in names)
        return f", types = {{{named}}}" if named else ""

    def number(self, text: str) -> str:
        """A number in SQL, as a text with a point before its fraction and nothing between thousands."""
        if self.thousands:
            text = f"replace({text}, {literal(self.thousands)}, '')"
        return f"replace({text}, {literal(self.decimal)}, '.')" if self.decimal and self.decimal != "." else text

    @property
    def written(self) -> str:
        """As the command line takes it: ``sep=;,decimal=,``; empty where nothing is reported."""
        values = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return ",".join(f"{name}={_written(value)}" for name, value in values if value is not None and value != [])


FOUND = CsvTable()
"""All of it is found."""


def parsed(text: str | None) -> CsvTable:
    """``--csv``: ``sep=;,decimal=,,null=NA|-``.

    Raises:
        UsageError: an option is none, or has no such value.
    """
    found: dict[str, Any] = {}
    for part in _NEXT.split(text) if text else ():
        name, equals, value = part.partition("=")
        if name not in CsvTable.__struct_fields__:
            raise UsageError(f"--csv {part} is no option of CSV", remedy=nearest(name, CsvTable.__struct_fields__))
        if not equals:
            raise UsageError(f"--csv {name} has no value", remedy="e.g. --csv 'sep=;,decimal=,,header=yes,null=NA|-'")
        found[name] = _value(name, value)
    try:
        return msgspec.convert(found, CsvTable)
    except (msgspec.ValidationError, ValueError) as error:
        raise UsageError(f"--csv {text}: {error}", remedy="e.g. --csv 'sep=;,decimal=,,header=yes,null=NA|-'") from None


def _value(name: str, value: str) -> object:
    if name in ("null", "text"):
        return value.split("|")
    if name == "header":
        return _ANSWERS.get(value.lower(), value)
    return int(value) if name == "skip" and value.isdigit() else value


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)
