"""Files of evidence as anybody may have made them: what is read is a regular file, of bounded size, and well formed.

Evidence comes by mail and from the web. A pipe in it would be waited for and a device read without an end, a link
would name a file of the reader's own machine, and JSON may be nested deeper than any reader's stack.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

MOST = 4 << 30
"""Bytes of a file of evidence: more than weigh ever writes."""
DOCUMENT = 256 << 20
"""Bytes of a document, or of a line of a journal, whose values are all in memory at once."""
_ROWS = 256
"""Rows of a file that are read at a time to be compared."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MALFORMED = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)
"""What decoding raises: also of bytes that are no text, and of what is nested too deep."""

T = TypeVar("T")


def is_regular(path: Path) -> bool:
    """Whether it is a file, and neither a link to one nor anything else that can be opened."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def opened(path: Path) -> BinaryIO:
    """A regular file to read.

    Raises:
        OSError: there is none, or it is something else.
    """
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(descriptor, "rb")


def content(path: Path, most: int = DOCUMENT) -> bytes:
    """The bytes of a regular file.

    Args:
        path: of the file.
        most: bytes that it may have.

    Raises:
        OSError: as of :func:`opened`, or it is larger.
    """
    with opened(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"it is larger than the {most >> 20} MiB that any such file has", str(path))
    return found


def named(path: Path, most: int = DOCUMENT) -> bytes:
    """The bytes of a file that the user named himself, who may mean a link or a pipe.

    Args:
        path: of the file.
        most: bytes that it may have.

    Raises:
        OSError: it cannot be read, or is larger.
    """
    with path.open("rb") as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise OSError(errno.EFBIG, f"it is larger than the {most >> 20} MiB that such a file may have", str(path))
    return found


def decoded(text: bytes, kind: type[T]) -> T:
    """JSON as what it should be.

    Raises:
        EvidenceFault: it is something else; ``what`` alone is set, the caller knows where.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except _MALFORMED as error:
        raise EvidenceFault(_explained(error)) from error


def converted(body: Any, kind: type[T]) -> T:
    """What JSON was decoded to as what it should be; raises as :func:`decoded`."""
    try:
        # JSON has no keys but texts: those of a dict of numbers came as such.
        return msgspec.convert(body, kind, str_keys=True)
    except (*_MALFORMED, TypeError, KeyError) as error:
        raise EvidenceFault(_explained(error)) from error


def hashed(path: Path) -> str:
    """BLAKE3 of a regular file.

    Raises:
        OSError: as of :func:`content`, or it cannot be read.
    """
    from weigh._native import hash_file

    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > MOST:
            raise OSError(errno.EFBIG, f"it is larger than the {MOST >> 30} GiB that any file has", str(path))
    return hash_file(str(path))


def _explained(error: Exception) -> str:
    return "it is nested too deep" if isinstance(error, RecursionError) else str(error) or type(error).__name__


def same_rows(path: Path, computed: pa.Table) -> bool:
    """Whether a Parquet file holds these rows in this order, of this schema.

    It is read a few rows at a time and no further than to the first that differ: a small file may unpack to more than
    there is memory.

    Raises:
        OSError, pyarrow.ArrowException: it cannot be read.
    """
    import pyarrow.parquet as pq

    with opened(path) as file:
        reader = pq.ParquetFile(file)
        if reader.metadata.num_rows != computed.num_rows or not reader.schema_arrow.equals(computed.schema):
            return False
        row = 0
        for batch in reader.iter_batches(_ROWS):
            expected = computed.slice(row, batch.num_rows)
            if not expected.equals(type(computed).from_batches([batch])):
                return False
            row += batch.num_rows
        return bool(row == computed.num_rows)
