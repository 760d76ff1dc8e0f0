"""Lines of files that may be compressed, in any encoding, and of any length."""

from __future__ import annotations

import codecs
import io
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow as pa

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from weigh.capture.entry import Tally

LONGEST = 16 << 20
"""Bytes of a line, or of an entry of several lines, at most; what is longer is passed over and counted."""
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}


class Lines:
    """The lines of files, one after the other, without their ends.

    Args:
        paths: of the files, the oldest first.
        encoding: of their text.
        tally: is told of lines in another encoding, and of those that are too long.
        progress: is told how many bytes of the files were read.

    Raises:
        UsageError: there is no such encoding.
    """

    def __init__(
        self, paths: Sequence[Path], encoding: str, tally: Tally, progress: Callable[[int], None] | None = None
    ) -> None:
        try:
            self._decode = codecs.lookup(encoding).decode
        except LookupError:
            raise UsageError(f"there is no encoding '{encoding}'", remedy="write --encoding utf-8") from None
        self._paths = paths
        self._tally = tally
        self._progress = progress

    def __iter__(self) -> Iterator[str]:
        """Read them.

        Raises:
            UsageError: a file cannot be read, or its compressed form is damaged.
        """
        for number, path in enumerate(self._paths):
            try:
                with opened(path) as file:
                    yield from self._of(file, first=number == 0)
            except (OSError, pa.ArrowException) as error:
                reason = (getattr(error, "strerror", None) or str(error)).splitlines()[0]
                raise UsageError(f"the source cannot be read: {reason}", where=str(path), remedy=_MEND) from None

    def _of(self, file: BinaryIO, *, first: bool) -> Iterator[str]:
        read, told = 0, 0
        while line := file.readline(LONGEST):
            read += len(line)
            if self._progress and read - told > 4 << 20:
                self._progress(read - told)
                told = read
            if not line.endswith(b"\n") and len(line) >= LONGEST:
                self._tally.add("too-long")
                while (rest := file.readline(LONGEST)) and not rest.endswith(b"\n"):
                    read += len(rest)
                continue
            if first:
                line, first = line.removeprefix(codecs.BOM_UTF8), False
            yield self.text(line.rstrip(b"\r\n"))

    def text(self, line: bytes) -> str:
        """Decoded; NUL, which no statement has and no file of text takes, becomes a blank."""
        try:
            text = self._decode(line)[0]
        except UnicodeDecodeError:
            self._tally.add("not-utf8")
            text = line.decode("latin-1")
        return text.replace("\0", " ") if "\0" in text else text


_MEND = "name a file that can be read; a compressed one may be .gz, .zst or .bz2"


def opened(path: Path) -> BinaryIO:
    """A file, whose compressed form is known by its first bytes.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(4)
    form = next((form for magic, form in _MAGIC.items() if head.startswith(magic)), None)
    if form is None:
        return path.open("rb", buffering=1 << 20)
    stream = pa.CompressedInputStream(pa.OSFile(str(path)), form)
    return cast("BinaryIO", io.BufferedReader(stream, 1 << 20))
