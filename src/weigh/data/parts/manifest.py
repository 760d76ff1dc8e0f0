"""The manifest of a dataset of many parts: written and read file by file, so that no process need hold it.

It is the same JSON as any manifest, with one line for each file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.data.layout import manifest_seal
from weigh.model.dataset import FileFacts, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import IO

_END = b"\n],"


class Spool:
    """Facts of files in the order in which parts end, to be read in another one.

    Args:
        path: of a file for them.
    """

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = path.open("wb+")
        self._places: dict[str, dict[int, tuple[int, int]]] = {}
        self._order: dict[str, tuple[int, int]] = {}

    def add(self, file: FileFacts, number: int, place: int) -> None:
        """A file of the part of this number, and which one it is of its files."""
        line = msgspec.json.encode(file)
        self._order[file.table] = min(self._order.get(file.table, (number, place)), (number, place))
        self._places.setdefault(file.table, {})[number] = self._file.seek(0, 2), len(line)
        self._file.write(line)

    @property
    def tables(self) -> list[str]:
        """As the first part has them."""
        return sorted(self._places, key=self._order.__getitem__)

    def lines(self) -> Iterator[bytes]:
        """Table by table, in the order of the parts; tables as the first part has them."""
        for table in self.tables:
            places = self._places[table]
            for number in sorted(places):
                begin, length = places[number]
                self._file.seek(begin)
                yield self._file.read(length)

    def close(self) -> None:
        """Nothing more is read."""
        self._file.close()


def write(manifest: Manifest, lines: Iterable[bytes], path: Path) -> None:
    """Write a manifest.

    Args:
        manifest: all of it but its files.
        lines: the facts of each file, as JSON.
        path: of the manifest.
    """
    head = msgspec.to_builtins(manifest)
    head.pop("files")
    with path.open("wb") as file:
        file.write(manifest_seal.FIRST_LINE)
        for number, line in enumerate(lines):
            file.write((b",\n" if number else b"") + line)
        file.write(_END + msgspec.json.encode(head)[1:-1])
    manifest_seal.write(path)


def read(path: Path) -> Manifest:
    """A manifest with the facts of its files that are not about columns: some 400 bytes of memory for each.

    Raises:
        OSError, msgspec.DecodeError: it cannot be read.
        DataFault: it is not what was written.
    """
    manifest_seal.check(path)
    files: list[FileFacts] = []
    with path.open("rb") as file:
        if file.readline() != manifest_seal.FIRST_LINE:
            return msgspec.json.decode(path.read_bytes(), type=Manifest)
        for line in file:
            if line.rstrip(b"\n").startswith(_END.strip()):
                rest = line.strip()[2:] + file.read()
                break
            one = msgspec.json.decode(line.strip().rstrip(b","), type=_Lean)
            files.append(FileFacts(**{name: getattr(one, name) for name in one.__struct_fields__}))
    plain = msgspec.json.decode(b'{"files":[],' + rest, type=Manifest)
    return msgspec.structs.replace(plain, files=tuple(files))


class _Lean(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    table: str
    bytes: int
    blake3: str
    rows: int
    digest: str
    checksum: str | msgspec.UnsetType = msgspec.UNSET
