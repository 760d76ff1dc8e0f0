"""A file to audit, and the numbers in it. Anybody may have made it: it is bounded, and nothing in it is executed."""

from __future__ import annotations

import codecs
import copy
import math
import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import files
from weigh.model.errors import DataFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST = 64 << 20
"""Bytes of a file that is read."""
# Possessive, bounded, and begun at its first digit: a file of nothing but digits is read in one pass.
_NUMBER = r"(?<![0-9])[-+]?[0-9][0-9,]{0,40}+(?:\.[0-9]{0,40}+)?(?:[eE][-+]?[0-9]{1,4})?"
_LONGEST = 4096
"""Characters of a command line."""
_REPORTS = 1000
"""Reports of one file that are read."""
_NAME = 120
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = re.compile(rf"({_NUMBER})\s*(ns|us|µs|ms|s|m|h)\b")


_COMMA = re.compile(r"(?<![\d.,])(\d++),(\d++)(?![.,]?\d)")
_POINT = re.compile(r"(?<![\d.,])\d++\.\d++(?![.,]?\d)")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?(?:[eE][-+]?\d+)?")


def _decoded(content: bytes) -> str:
    """Text as it was written: what PowerShell redirects begins with a mark of its encoding."""
    utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return _with_points(content.decode("utf-16" if utf_16 else "utf-8-sig", errors="replace"))


def _with_points(text: str) -> str:
    """Of a locale with decimal commas, its points: ``999,90`` is no thousands, and would be read as 99,990."""
    if text.lstrip()[:1] in ("{", "["):
        return text
    commas = sum(len(one[2]) != 3 or one[1].startswith("0") for one in _COMMA.finditer(text))
    return _COMMA.sub(r"\1.\2", text) if commas > sum(1 for _ in _POINT.finditer(text)) else text


class Text:
    """The content of a file.

    Args:
        path: of the file.
        name: as it is shown.

    Raises:
        DataFault: it cannot be read, or is too large.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = one_line(name, _NAME)
        try:
            self.content = files.content(path.resolve(), MOST)
            self.text = _decoded(self.content)
        except OSError as error:
            raise DataFault(
                f"it cannot be read: {error.strerror or error}",
                where=name,
                remedy="name a file or a folder that can be",
            ) from error

    @cached_property
    def json(self) -> Any:
        """The one JSON document that it is; None where it is none."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return None
        try:
            return msgspec.json.decode(self.text)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None

    def part(self, start: int, end: int) -> Text:
        """A part of it, as if it were a file of its own."""
        made = copy.copy(self)
        made.text = self.text[start:end]
        made.__dict__.pop("json", None)
        return made

    def reports(self, marks: re.Pattern[str], lines: re.Pattern[str]) -> Iterator[tuple[Text, Text]]:
        """What stands before each of its reports, such as the command that made it, and the report.

        What a session printed behind a report belongs to the next one, or to none.

        Args:
            marks: what each report has once, in its first lines or among them.
            lines: those of a report that follow the mark.
        """
        found = list(islice(marks.finditer(self.text), _REPORTS + 1))
        before = 0
        for at, mark in enumerate(found[:_REPORTS]):
            following = found[at + 1].start() if at + 1 < len(found) else len(self.text)
            end = mark.end()
            for line in lines.finditer(self.text, mark.end(), following):
                end = line.end()
            yield self.part(before, mark.start()), self.part(mark.start(), end)
            before = end

    def command(self, *words: str) -> str:
        """The last line that has all of these words, such as a tool's name; empty where there is none."""
        wanted = [re.compile(rf"\b{word}\b") for word in words]
        lines = self.text.replace("\\\n", " ").splitlines()
        return next((line for line in reversed(lines) if all(one.search(line[:_LONGEST]) for one in wanted)), "")[
            :_LONGEST
        ]

    def of_command(self, *words: str) -> Text:
        """That line as if it were a file of its own; the whole text where there is none."""
        made = self.part(0, len(self.text))
        made.text = self.command(*words) or self.text
        return made

    @property
    def object(self) -> dict[str, Any]:
        """The JSON object that it is; empty where it is none."""
        return self.json if isinstance(self.json, dict) else {}

    def number(self, pattern: str) -> float | None:
        """The first number of a pattern, in which ``#`` stands for it; None where there is none."""
        found = re.search(pattern.replace("#", f"({_NUMBER})"), self.text, re.MULTILINE)
        return number(found[1]) if found else None

    def word(self, pattern: str) -> str:
        """The first group of a pattern; empty where there is none."""
        found = re.search(pattern, self.text, re.MULTILINE)
        return one_line(found[1].strip(), _NAME) if found else ""


def number(value: object) -> float | None:
    """A number; None for what is none, is not finite, or is no count of anything."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str) and "," in value:
        if not _THOUSANDS.fullmatch(value.strip()):
            return None
        value = value.replace(",", "")
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def percentile(value: str) -> float | None:
    """The rank of a percentile, such as 99.9; None for what is none."""
    found = number(value)
    return found if found is not None and 0.0 <= found <= 100.0 else None


def seconds(text: str) -> float | None:
    """A time with its unit, as ``2.40ms``; None where it is none."""
    found = _TIME.search(text)
    value = number(found[1]) if found else None
    return value * _UNITS[found[2]] if found and value is not None else None


def step(text: str, unit: float) -> float:
    """Half of the last digit of a printed number, in seconds."""
    decimals = len(text.strip().partition(".")[2])
    return 0.5 * 10.0**-decimals * unit


def word(value: object) -> str:
    """A text of a document on one line; empty for what is no text."""
    return one_line(value, _NAME) if isinstance(value, str) else ""


def table(value: object) -> dict[str, Any]:
    """An object of a document; empty for what is none."""
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Any]:
    """An array of a document; empty for what is none."""
    return value if isinstance(value, list) else []
