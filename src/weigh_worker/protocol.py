"""The messages between weigh and a worker; both ends import this module.

A message is a JSON object behind its length (four bytes, big-endian), over a socket that the worker inherits as
a file descriptor of its own. Standard output and standard error stay free: whatever an engine prints there goes
to a log and cannot be mistaken for a message.

Requests carry ``do`` and the fields below. A reply has the fields of its class and no others, or is an ``error``::

    open     adapter, settings, scratch, affinity [CPU]   -> Reply
    bind     tables {name: [path]}        -> Reply
    load     tables, store                -> Reply      an engine's own copy of the tables, in the folder ``store``
    attach   store, tables [name]         -> Reply      the tables of a store, in place of bind
    files                                 -> FilesReply
    servers                               -> ServersReply
    prepare  sql                          -> PrepareReply
    run                                   -> RunReply
    answer   path                         -> AnswerReply      an Arrow IPC stream at that path
    settings                              -> SettingsReply
    version                               -> VersionReply
    close                                 -> CloseReply

    whatever is asked                     -> {error: ErrorReply}
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    import socket

Message = dict[str, Any]

Kind = Literal["unsupported", "out_of_memory", "error"]
"""What an engine's refusal can mean."""
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_MESSAGE = 64 << 20
"""Bytes; more than any message needs. A larger length means that the stream is out of step."""

_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The reply to a request that gives nothing back but that it was carried out."""

    def message(self) -> Message:
        """As it is sent."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class FilesReply(Reply):
    """Files that hold the tables' data; none where nobody can tell."""

    paths: list[str]


@dataclass(frozen=True, kw_only=True)
class ServersReply(Reply):
    """What works for the engine beside its own process and its queries.

    Attributes:
        pids: processes that were not started by it.
        background: what it does between queries, as its adapter declares; empty for nothing.
        elsewhere: whether other processes execute.
    """

    pids: list[int]
    background: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, kw_only=True)
class PrepareReply(Reply):
    """What taking a query cost, which lies outside the clock.

    Attributes:
        seconds: that it took.
        cpu_s: user and system CPU seconds of all threads.
    """

    seconds: float
    cpu_s: float


@dataclass(frozen=True, kw_only=True)
class RunReply(Reply):
    """What one execution cost. What the kernel does not tell is None, never 0.

    Attributes:
        wall_s: seconds inside the clock.
        rows: of the result.
        cpu_s: user and system CPU seconds of all threads.
        peak_memory: largest resident bytes since just before the execution.
        bytes_read: from storage devices.
        bytes_written: that must go to one, such as what is spilled.
        major_faults: page faults that needed a device.
    """

    wall_s: float
    rows: int
    cpu_s: float | None
    peak_memory: int | None
    bytes_read: int | None
    bytes_written: int | None
    major_faults: int | None


@dataclass(frozen=True, kw_only=True)
class AnswerReply(Reply):
    """What handing out an answer cost, which lies outside the clock.

    Attributes:
        seconds: that it took.
        cpu_s: user and system CPU seconds of all threads.
        bytes: size of the file.
    """

    seconds: float
    cpu_s: float
    bytes: int


@dataclass(frozen=True, kw_only=True)
class SettingsReply(Reply):
    """Settings in force: name -> {value, default}."""

    values: dict[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class VersionReply(Reply):
    """What the running engine says of its version, and that of the interpreter it runs in."""

    engine: str
    python: str


@dataclass(frozen=True, kw_only=True)
class CloseReply(Reply):
    """The engine's life is over; the worker ends after this reply."""

    closed: bool = True


@dataclass(frozen=True, kw_only=True)
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


def send(channel: socket.socket, message: Message) -> None:
    """Write one message.

    Raises:
        Disconnected: the other end is gone.
    """
    body = json.dumps(message, separators=(",", ":")).encode()
    try:
        channel.sendall(_LENGTH.pack(len(body)) + body)
    except (BrokenPipeError, ConnectionResetError) as error:
        raise Disconnected from error


def receive(channel: socket.socket) -> Message:
    """Read one message, waiting as long as the socket's time-out allows.

    Raises:
        Disconnected: the other end is gone, or what came is no message.
        TimeoutError: nothing came in time.
    """
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size))
    if length > MAX_MESSAGE:
        raise Disconnected(f"a message of {length} bytes")
    message = json.loads(_exactly(channel, length))
    if not isinstance(message, dict):
        raise Disconnected("not a message")
    return message


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        try:
            part = channel.recv(min(size, 1 << 20))
        except ConnectionResetError as error:
            raise Disconnected from error
        if not part:
            raise Disconnected
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
