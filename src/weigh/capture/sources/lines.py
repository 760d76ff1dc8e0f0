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
        tally: counts lines in another encoding, and those that are too long.
        progress: gets how many bytes of the files were read.

    Raises:
        UsageError: there is no such encoding.
    """

    def __init__(
        self, paths: Sequence[Path], encoding: str, tally: Tally, progress: Callable[[int], None] | None = None
    ) -> None:
        self._decode = _decoder(encoding)
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
        read, reported = 0, 0
        while line := file.readline(LONGEST):
            read += len(line)
            if self._progress and read - reported > 4 << 20:
                self._progress(read - reported)
                reported = read
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
        except UnicodeError:
            self._tally.add("not-utf8")
            text = line.decode("latin-1")
        return text.replace("\0", " ") if "\0" in text else text


_PLAIN = bytes(range(32, 127)) + rb"\ud800\x41\n+AGE-&-~{ xn--a"


def _decoder(encoding: str) -> Callable[[bytes], tuple[str, int]]:
    """Of an encoding whose lines end where those of ASCII do, and whose letters and signs are ASCII's.

    Raises:
        UsageError: it is none.
    """
    remedy = "write --encoding utf-8, latin-1, cp1252, shift_jis, gb18030 or the like"
    try:
        known = codecs.lookup(encoding)
        decode = known.decode
    except (LookupError, ValueError):
        raise UsageError(f"there is no encoding '{encoding}'", remedy=remedy) from None
    try:
        plain = decode(_PLAIN)[0] == _PLAIN.decode("ascii")
    except Exception:  # A codec may raise anything, and then it is none of text.
        plain = False
    if not plain or known.name == "idna":
        reason = f"'{encoding}' is no encoding of text in which ASCII is itself, as a log's is"
        made = f"make it UTF-8: iconv -f {known.name} -t utf-8 FILE"
        raise UsageError(reason, remedy=made if known.name.startswith(("utf-16", "utf-32", "cp")) else remedy)
    return decode


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
