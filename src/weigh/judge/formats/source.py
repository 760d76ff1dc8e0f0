"""The source: one file as bytes, text and JSON, and the checks that every number of it must pass."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from weigh.model.units import Seconds

MAX_JSON = 64 << 20
"""Bytes of a JSON document: in memory it takes about ten times as much."""
MAX_TEXT = 256 << 20
"""Bytes of a text file: to judge seven million transactions takes about ten times as much memory."""
MAX_SECONDS = 1e12
"""Longer than 30,000 years is no measurement, and its square would overflow."""
UNITS: Mapping[str, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
"""Seconds of each unit of time that a file or a flag may name."""

_HEAD = 4096


@dataclass(frozen=True)
class Source:
    """One file.

    Attributes:
        name: as the user named it, for errors.
        data: its bytes.
        expected: seconds of ``--expected-interval``; 0 where there is none.
        unit: what ``--unit`` says about values whose unit the format leaves open; empty for the format's usual one.
    """

    name: str
    data: bytes
    unit: str = ""
    expected: Seconds = 0.0

    @cached_property
    def text(self) -> str:
        """The file as text.

        Raises:
            DataFault: it is not text, or too large.
        """
        if len(self.data) > MAX_TEXT:
            raise self.fault(f"it has {len(self.data):,} bytes", remedy=f"at most {MAX_TEXT:,} bytes are read")
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.fault(f"it is not text (byte {error.start:,})") from None
        if "\0" in text:
            raise self.fault("it is not text: it holds a zero byte")
        return text

    @property
    def head(self) -> str:
        """The first characters, of a binary file too: for recognising it."""
        return self.data[:_HEAD].decode("utf-8-sig", errors="replace")

    @property
    def is_json(self) -> bool:
        """Whether it begins as a JSON document."""
        return self.head.lstrip()[:1] in ("{", "[")

    @property
    def document(self) -> dict[str, Any]:
        """The file as a JSON object.

        Raises:
            DataFault: it is none, is cut off, or too large.
        """
        found = self._json
        if not isinstance(found, dict):
            raise self.fault("its JSON is not an object")
        return found

    @property
    def listing(self) -> list[Any]:
        """The file as a JSON list.

        Raises:
            DataFault: it is none, is cut off, or too large.
        """
        found = self._json
        if not isinstance(found, list):
            raise self.fault("its JSON is not a list")
        return found

    @cached_property
    def _json(self) -> object:
        if len(self.data) > MAX_JSON:
            raise self.fault(f"it has {len(self.data):,} bytes", remedy=f"JSON of at most {MAX_JSON:,} bytes is read")
        try:
            return json.loads(self.text)
        except json.JSONDecodeError as error:
            raise self.fault(f"it is not whole JSON: {error.msg} (line {error.lineno})") from None
        except (RecursionError, ValueError):
            raise self.fault("it is JSON that nobody's tool writes: too deep, or a number too long") from None

    def fault(self, what: str, *, remedy: str = "export it again, or name another file") -> DataFault:
        """An error about this file."""
        return DataFault(what, where=self.name, remedy=remedy)

    def items(self, value: object, where: str) -> list[dict[str, Any]]:
        """A list of objects.

        Raises:
            DataFault: it is something else.
        """
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.fault(f"{where} is not a list of objects")
        return value

    def mapping(self, value: object, where: str) -> dict[str, Any]:
        """An object.

        Raises:
            DataFault: it is something else.
        """
        if not isinstance(value, dict):
            raise self.fault(f"{where} is not an object")
        return value

    def word(self, value: object, where: str) -> str:
        """A text that is not empty.

        Raises:
            DataFault: it is something else.
        """
        if not isinstance(value, str) or not value.strip():
            raise self.fault(f"{where} is not a name")
        return value.strip()

    def times(self, values: Iterable[object], where: str, *, scale: float = 1.0) -> NDArray[np.float64]:
        """Times as seconds.

        Args:
            values: as they stand in the file.
            where: what they are, for errors.
            scale: seconds of their unit.

        Raises:
            DataFault: one is not a number, not finite, negative, or beyond ``MAX_SECONDS``.
        """
        return self.checked(self.numbers(values, where) * scale, where)

    def numbers(self, values: Iterable[object], where: str) -> NDArray[np.float64]:
        """Numbers, in their own unit: not yet known to be times.

        Raises:
            DataFault: one is not a number, or too large for one.
        """
        listed = list(values)
        for number, value in enumerate(listed, 1):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise self.fault(f"{where}: value {number} is not a number")
        try:
            return np.array(listed, dtype=np.float64)
        except OverflowError:
            raise self.fault(f"{where}: a value is too large to be a time") from None

    def checked(self, found: NDArray[np.float64], where: str) -> NDArray[np.float64]:
        """The same seconds, all of them possible.

        Raises:
            DataFault: one is not finite, negative, or beyond ``MAX_SECONDS``.
        """
        wrong = np.flatnonzero(~(np.isfinite(found) & (found >= 0) & (found <= MAX_SECONDS)))
        if len(wrong):
            at = int(wrong[0])
            raise self.fault(f"{where}: value {at + 1} ({found[at]:g} s) cannot be a time")
        return found
