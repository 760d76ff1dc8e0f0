"""Thrift's compact protocol, as much of it as the footers and page headers of Parquet files use.

Libraries that read footers hide what is not needed to read the rows, and one of them ends the process where a column is
encrypted.
"""

from __future__ import annotations

from typing import Any

_DEPTH = 16


def structure(content: bytes) -> tuple[dict[int, Any], int]:
    """The structure at the start of some bytes: its fields by number, and how many bytes it takes.

    A text is bytes, a list a list, a structure in it a dictionary.

    Raises:
        IndexError: the bytes end before it.
        ValueError: there is none.
    """
    return _Structure(content).read()


class _Structure:
    """A structure at the start of some bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def read(self) -> tuple[dict[int, Any], int]:
        """Its fields by number, and how many bytes it takes."""
        return self._fields(0), self._at

    def _fields(self, depth: int) -> dict[int, Any]:
        if depth > _DEPTH:
            raise ValueError("structures in structures in structures")
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            found[number] = self._value(head & 0x0F, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._integer()
            case 7:
                return self._bytes(8)
            case 8:
                return self._bytes(self._unsigned())
            case 9 | 10:
                head = self._byte()
                size = head >> 4 if head >> 4 != 15 else self._unsigned()
                if size > len(self._content) - self._at:
                    raise IndexError
                # A boolean in a list takes a byte; as a field it lies in the head.
                if head & 0x0F in (1, 2):
                    return [self._byte() == 1 for _ in range(size)]
                return [self._value(head & 0x0F, depth + 1) for _ in range(size)]
            case 12:
                return self._fields(depth + 1)
            case _:
                raise ValueError(f"{kind} is no type")

    def _byte(self) -> int:
        value = self._content[self._at]
        self._at += 1
        return value

    def _bytes(self, length: int) -> bytes:
        self._at += length
        if self._at > len(self._content):
            raise IndexError
        return self._content[self._at - length : self._at]

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")
