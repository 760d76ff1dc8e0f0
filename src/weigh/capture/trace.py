"""The trace: every call that was captured, in the order of its moments, in one Parquet file.

The file has a row for each call (:class:`Call`) and, as metadata under the key ``weigh``, a :class:`Header` as JSON
with the statements that the calls are of. It is read and written in pieces: memory does not grow with its length.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, Self

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from weigh.model.errors import UsageError
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

SCHEMA = "weigh/trace/1"
FILE = "trace.parquet"
"""Its name in the folder of a capture."""

Product = Literal["postgres", "mysql", "redis"]
"""Whose language the statements are in. MariaDB's is ``mysql``, Valkey's is ``redis``."""
Does = Literal["reads", "writes", "control", "utility"]
"""``control`` begins or ends a transaction; ``utility`` is any other command that is no query and changes no rows."""
Form = Literal["literal", "bound"]
"""Of a value: whether it stood in the text, or was sent alongside it (``$1``)."""

_KEY = b"weigh"
_ROWS = 65_536
"""Of a row group."""
_SIZE = 32 << 20
"""Characters of the values of a row group, from which on it has fewer rows."""
_ARROW = pa.schema(
    [
        pa.field("at_s", pa.float64(), nullable=False),
        pa.field("session", pa.dictionary(pa.int32(), pa.string()), nullable=False),
        pa.field("statement", pa.int32(), nullable=False),
        pa.field("parameters", pa.list_(pa.string()), nullable=False),
        pa.field("duration_s", pa.float64()),
        pa.field("rows", pa.int64()),
        pa.field("error", pa.string()),
        pa.field("redacted", pa.bool_(), nullable=False),
    ]
)


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement with its values taken out.

    Attributes:
        number: of it, as calls name it; equal to its place in :attr:`Header.statements`.
        pieces: its text around the values, one more than there are values; otherwise as it was written.
        forms: of each value.
        does: what it does.
    """

    number: int
    pieces: tuple[str, ...]
    forms: tuple[Form, ...] = ()
    does: Does = "reads"

    @property
    def text(self) -> str:
        """With ``$1``, ``$2``, ... in the place of the values."""
        return self._filled([f"${place}" for place in range(1, len(self.forms) + 1)])

    def sent(self, parameters: Sequence[str | None]) -> tuple[str, tuple[str | None, ...]]:
        """A call of it, as the client sent it.

        Args:
            parameters: of the call.

        Returns:
            The text with its literals in place and ``$1``, ``$2``, ... for what was bound; and what was bound.
        """
        bound: list[str | None] = []
        words = []
        for form, value in zip(self.forms, parameters, strict=True):
            if form == "bound":
                bound.append(value)
                words.append(f"${len(bound)}")
            else:
                words.append("NULL" if value is None else value)
        return self._filled(words), tuple(bound)

    def words(self, parameters: Sequence[str | None]) -> tuple[bytes, ...]:
        """A call of it, of ``redis``: the command and its arguments, as they were sent."""
        whole = self._filled(["\0"] * len(self.forms)).split()
        values = iter(parameters)
        return tuple(unescaped(next(values) or "") if word == "\0" else word.encode() for word in whole)

    def _filled(self, words: Sequence[str]) -> str:
        parts = [self.pieces[0]]
        for word, piece in zip(words, self.pieces[1:], strict=True):
            parts += [word, piece]
        return "".join(parts)


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported once of a trace.

    Attributes:
        schema: of the file.
        product: whose language the statements are in.
        begun: moment of the first call: ISO 8601, UTC where the source says its time zone; None where it is not told.
        calls: how many there are.
        length_s: from the first call's moment to the last one's.
        statements: by their numbers.
        knows: which optional facts the source has, of ``session``, ``duration``, ``rows``, ``parameters``.
        clock: whether ``at_s`` is when a call was received, or when it was answered less how long it took.
    """

    product: Product
    begun: str | None
    calls: int
    length_s: Seconds
    statements: tuple[Statement, ...]
    knows: tuple[str, ...] = ()
    clock: Literal["received", "answered-less-duration"] = "received"
    schema: str = SCHEMA


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call.

    Attributes:
        at_s: seconds since the first call's moment; ascending in the file.
        session: what tells the source's sessions apart; all of them alike where it does not say.
        statement: number of it.
        parameters: one for each form of the statement. A literal as it stood in the text, with its quotes; a bound
            value as text; of ``redis`` as ``MONITOR`` escapes it, without the quotes. None is NULL.
        duration_s: how long it took at the server; None where that is not known.
        rows: that it returned or changed; None where that is not known.
        error: SQLSTATE or the like, where it failed.
        redacted: whether a value of it was a secret, and something else stands in its place.
    """

    at_s: Seconds
    session: str
    statement: int
    parameters: tuple[str | None, ...] = ()
    duration_s: Seconds | None = None
    rows: int | None = None
    error: str | None = None
    redacted: bool = False

    @property
    def size(self) -> int:
        """Bytes that its values take in memory, about."""
        return sum([60 + len(one or "") for one in self.parameters])


class Writer:
    """Writes a trace. Calls must come in the order of their moments; the header is known at the end."""

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetWriter(path, _ARROW, compression="zstd")
        self._calls: list[Call] = []
        self._size = 0
        self.number = 0
        """Calls written so far."""

    def write(self, call: Call) -> None:
        """Add a call."""
        self._calls.append(call)
        self.number += 1
        self._size += call.size
        if len(self._calls) >= _ROWS or self._size >= _SIZE:
            self._flush()

    def close(self, header: Header) -> None:
        """End the file."""
        self._flush()
        self._file.add_key_value_metadata({_KEY: msgspec.json.encode(header)})
        self._file.close()

    def _flush(self) -> None:
        if self._calls:
            self._file.write_table(_table(self._calls))
            self._calls, self._size = [], 0


class Trace:
    """A trace that is read. A context manager; :meth:`calls` may be asked again.

    Raises:
        UsageError: the file is no trace, or of another version, or cannot be read.
    """

    def __init__(self, path: Path) -> None:
        remedy = "name a folder that `weigh capture` wrote, or make it again"
        try:
            self._file = pq.ParquetFile(path)
            metadata = (self._file.schema_arrow.metadata or {}) | (self._file.metadata.metadata or {})
            self.header = msgspec.json.decode(metadata[_KEY], type=Header)
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(f"the trace cannot be read: {reason}", where=str(path), remedy=remedy) from None
        except (pa.ArrowException, msgspec.MsgspecError, KeyError):
            raise UsageError("this is no trace of weigh", where=str(path), remedy=remedy) from None
        if self.header.schema != SCHEMA or [*self._file.schema_arrow.names] != _ARROW.names:
            problem = f"the trace is of the form {self.header.schema}, and this weigh reads {SCHEMA}"
            raise UsageError(problem, where=str(path), remedy=remedy)

    def calls(self) -> Iterator[Call]:
        """All calls, in the order of their moments.

        Raises:
            UsageError: the file is damaged, or a call does not fit its statement.
        """
        statements = self.header.statements
        try:
            for batch in self._file.iter_batches(batch_size=8_192):
                for row in batch.to_pylist():
                    call = Call(**row | {"parameters": tuple(row["parameters"])})
                    number = call.statement
                    if not 0 <= number < len(statements) or len(statements[number].forms) != len(call.parameters):
                        raise UsageError("a call of the trace fits no statement of it", remedy="capture it again")
                    yield call
        except (pa.ArrowException, OSError) as error:
            raise UsageError(f"the trace is damaged: {error}", remedy="capture it again") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def write(path: Path, header: Header, calls: Iterable[Call]) -> None:
    """Write a trace whose header is known; its ``calls`` and ``length_s`` are counted."""
    writer = Writer(path)
    last = 0.0
    for call in calls:
        writer.write(call)
        last = call.at_s
    writer.close(msgspec.structs.replace(header, calls=writer.number, length_s=last))


def _table(calls: Sequence[Call]) -> pa.Table:
    names = _ARROW.names
    columns = []
    for name in names:
        values = [getattr(one, name) for one in calls]
        array = pa.array(values, pa.string()).dictionary_encode() if name == "session" else None
        columns.append(pa.array(values, _ARROW.field(name).type) if array is None else array)
    return pa.Table.from_arrays(columns, schema=_ARROW)


_CODE = re.compile(r"\\x([0-9a-fA-F]{2})")
_ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "a": b"\a", "b": b"\b"}


def unescaped(escaped: str) -> bytes:
    """The bytes of a string as ``MONITOR`` escapes it."""
    out, at = bytearray(), 0
    while at < len(escaped):
        if escaped[at] != "\\" or at + 1 == len(escaped):
            out += escaped[at].encode(errors="replace")
            at += 1
        elif (code := _CODE.match(escaped, at)) is not None:
            out.append(int(code[1], 16))
            at += 4
        else:
            out += _ESCAPES.get(escaped[at + 1], escaped[at + 1].encode(errors="replace"))
            at += 2
    return bytes(out)
