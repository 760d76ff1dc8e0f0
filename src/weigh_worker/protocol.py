"""The messages between weigh and a worker; both ends import this module.

A message is a JSON object behind its length (four bytes, big-endian), over a socket that the worker inherits as
a file descriptor of its own. Standard output and standard error stay free: whatever an engine prints there goes
to a log and cannot be mistaken for a message.

One request is on its way at a time. Requests carry ``do`` and the fields below. A reply has the fields of its class and
no others, or is an ``error``::

    decide                                -> DecideReply  before anything of an engine is loaded; weigh_worker.calls
    open     adapter, compiled (its modules as weigh has compiled them, or empty), settings, scratch, affinity [CPU],
             ingests, confined {read [path], write [path], network, bounded} or none -> Reply
    bind     tables {name: [path]}, catalog {kind, locations {name: path}} or none, store   -> Reply
                                                        with a store the paths are ``s3://``; see Adapter.reach
    load     tables, copy                 -> Reply      an engine's own copy of the tables, in the folder ``copy``
    attach   copy, tables [name]          -> Reply      the tables of a copy, in place of bind
    begin_ingest  table, paths, place     -> GuaranteeReply  the next run loads that table into the folder ``place``
    stored   path                         -> Reply      every row of the table that was loaded, as ``answer``
    write_to   tables, place, statements  -> Reply      tables of the engine's own that sessions can change
    streams    plan, folder               -> StreamsReply  sessions at the same moment; weigh_worker.streams
    files                                 -> FilesReply
    servers                               -> ServersReply
    lacking                               -> LackingReply
    prepare  sql, partial                 -> Reply      partial: of the columns that it has alone
    release                               -> Reply      the result of the last run is freed, and garbage collected
    run                                   -> RunReply   execution under the clock, and nothing else
    statistics                            -> StatisticsReply  what the system reports of the last run
    answer   path                         -> Reply      an Arrow IPC stream at that path
    profile                               -> ProfileReply  the engine's own; never in a life that is timed
    repeat   seconds, interval            -> RepeatReply   executions under a sampler of Python frames; as profile
    settings                              -> SettingsReply
    version                               -> VersionReply
    close                                 -> CloseReply

    whatever is asked                     -> {error: ErrorReply}

What a request costs is measured by weigh, around it. The one exception is the time inside ``run``, which the worker
takes closer to the work; weigh's own time of the same request is its bound.
"""

from __future__ import annotations

import json
import os
import struct
import time
from typing import TYPE_CHECKING, Any, ClassVar, Literal, dataclass_transform, get_args

if TYPE_CHECKING:
    import socket

Message = dict[str, Any]

Kind = Literal["unsupported", "out_of_memory", "error"]
"""What an engine's refusal can mean."""
KINDS: tuple[Kind, ...] = get_args(Kind)

CONNECTION_LOST = os.EX_UNAVAILABLE
"""With this code a worker exits whose connection to a system is lost (sysexits.h, EX_UNAVAILABLE)."""

MAX_MESSAGE = 64 << 20
"""Bytes; more than any message needs. A larger length means that the stream is out of step."""

_LENGTH = struct.Struct(">I")
_PIECE = 1 << 16

Scalar = str | int | float | bool | None
"""What a setting can be."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Reply:
    """The reply to a request that gives nothing back but that it was carried out.

    A subclass names its fields as a dataclass does, and is made from all of them, by keyword. It is none: to import
    ``dataclasses``, and to make its code for each of them, was a tenth of the start of a life.
    """

    FIELDS: ClassVar[frozenset[str]] = frozenset()
    """Names of its fields."""
    DEFAULTS: ClassVar[Message] = {}
    """Those that may be left out, with their values."""

    def __init_subclass__(cls) -> None:
        annotated = vars(cls).get("__annotations__", {})
        cls.FIELDS = cls.FIELDS | annotated.keys()
        cls.DEFAULTS = cls.DEFAULTS | {name: vars(cls)[name] for name in annotated if name in vars(cls)}

    def __init__(self, **fields: Any) -> None:
        given = {**self.DEFAULTS, **fields}
        if given.keys() != self.FIELDS:
            wrong = ", ".join(sorted(given.keys() ^ self.FIELDS))
            raise TypeError(f"{type(self).__name__}: missing, or not among its fields: {wrong}")
        vars(self).update(given)

    def message(self) -> Message:
        """As it is sent."""
        return dict(vars(self))


class DecideReply(Reply):
    """By which file weigh decides the calls of one process that touch another one; -1 where that is not possible."""

    listener: int


class FilesReply(Reply):
    """Files that hold the tables' data; none where nobody can tell."""

    paths: list[str]


class GuaranteeReply(Reply):
    """What the engine promises of rows that it has loaded.

    Attributes:
        durable: whether they survive a loss of power once the load has returned; None where nobody can tell.
        by: the settings that decide it, read back.
    """

    durable: bool | None
    by: str


class StreamsReply(Reply):
    """What came of the steps of all streams; see :func:`weigh_worker.streams.run`."""

    steps: list[dict[str, Any]]


class ServersReply(Reply):
    """What works for the engine alongside its own process and its queries.

    Attributes:
        pids: processes that were not started by it.
        background: what it does between queries, as its adapter declares; empty for nothing.
        elsewhere: whether other processes execute.
    """

    pids: list[int]
    background: str = ""
    elsewhere: bool = False


class LackingReply(Reply):
    """Columns of tables that the engine could not be given, and why, by table."""

    columns: dict[str, dict[str, str]]


class RunReply(Reply):
    """What one execution cost.

    Attributes:
        wall_s: seconds inside the clock.
        rows: of the result.
        cpu_s: user and system CPU seconds of all threads. None where the work is done by other processes, so that what
            the kernel tells of this one is the client's.
    """

    wall_s: float
    rows: int
    cpu_s: float | None


class StatisticsReply(Reply):
    """What the system reports of one execution; see :class:`weigh_worker.adapter.Statistics`."""

    server_s: float | None = None
    queue_s: float | None = None
    scanned_bytes: int | None = None
    billed_bytes: int | None = None
    credits: float | None = None
    cached: bool | None = None


class ProfileReply(Reply):
    """What the engine's own profiler says of one execution; see :meth:`weigh_worker.adapter.Adapter.profile`."""

    plan: dict[str, Any] | None
    counters: dict[str, float]
    raw: str
    lacks: str


class RepeatReply(Reply):
    """What many executions came to, one after the other, outside every clock that counts.

    Attributes:
        executions: how many.
        wall_s: seconds inside them, together.
        usage: what the kernel charged this process meanwhile, by name; empty where others execute.
        stacks: microseconds in which the thread that executes stood so, by its Python functions, the outermost first
            and with ``;`` between them. Empty where no sampler was asked for.
    """

    executions: int
    wall_s: float
    usage: dict[str, float]
    stacks: dict[str, int]


class SettingsReply(Reply):
    """Settings in force: name -> {value, default}."""

    values: dict[str, dict[str, Scalar]]


class VersionReply(Reply):
    """What the running engine says of its version, and that of the interpreter it runs in."""

    engine: str
    python: str


class CloseReply(Reply):
    """The engine's life is over; the worker ends after this reply."""

    closed: bool = True


class ErrorReply(Reply):
    """The request was not carried out.

    Attributes:
        kind: what it means.
        type: class of the exception.
        text: what the exception says.
    """

    kind: Kind
    type: str
    text: str

    def message(self) -> Message:
        """As it is sent: in the place of any other reply."""
        return {"error": super().message()}


class Disconnected(Exception):
    """The other end is gone."""


class Malformed(Exception):
    """What came is no message of this protocol, so nothing that follows it can be understood."""


class Incoming:
    """One message that is arriving, in as many pieces as the other end likes."""

    def __init__(self) -> None:
        self._got = bytearray()

    def take(self, channel: socket.socket) -> bytes | None:
        """Read once; the body, as soon as the message is whole.

        Raises:
            Disconnected: the other end is gone.
            Malformed: the message is too long, or something follows it that nobody asked for.
            TimeoutError, BlockingIOError: nothing is there, and the socket does not wait any longer.
        """
        try:
            part = channel.recv(max(_PIECE, self._missing()))
        except ConnectionResetError as error:
            raise Disconnected from error
        if not part:
            raise Disconnected
        self._got += part
        missing = self._missing()
        if missing < 0:
            raise Malformed("something follows it that nobody asked for")
        return None if missing else bytes(self._got[_LENGTH.size :])

    def _missing(self) -> int:
        """Bytes until the message is whole, as far as is known."""
        if len(self._got) < _LENGTH.size:
            return _LENGTH.size - len(self._got)
        (length,) = _LENGTH.unpack_from(self._got)
        if length > MAX_MESSAGE:
            raise Malformed(f"a message of {length} bytes")
        return int(_LENGTH.size + length - len(self._got))


def send(channel: socket.socket, message: Message, until: float | None = None) -> None:
    """Write one message.

    Args:
        channel: where to.
        message: what.
        until: what ``time.monotonic()`` says when the whole message must be taken; None to wait without end.

    Raises:
        Disconnected: the other end is gone.
        TimeoutError: it was not taken in time.
    """
    body = json.dumps(message, separators=(",", ":")).encode()
    try:
        channel.settimeout(_left(until))
        channel.sendall(_LENGTH.pack(len(body)) + body)
    except (BrokenPipeError, ConnectionResetError) as error:
        raise Disconnected from error


def receive(channel: socket.socket, until: float | None = None) -> bytes:
    """Read the body of one message.

    Args:
        channel: where from.
        until: what ``time.monotonic()`` says when the whole message must be there; None to wait without end.

    Raises:
        Disconnected: the other end is gone.
        Malformed: what came is no message.
        TimeoutError: the message was not whole in time, in however many pieces it came.
    """
    incoming = Incoming()
    while True:
        channel.settimeout(_left(until))
        if (body := incoming.take(channel)) is not None:
            return body


def _left(until: float | None) -> float | None:
    if until is None:
        return None
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
