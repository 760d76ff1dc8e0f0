"""The messages between weigh and a worker; both ends import this module.

A message is a JSON object behind its length (four bytes, big-endian), over a socket that the worker inherits as
a file descriptor of its own. Standard output and standard error stay free: whatever an engine prints there goes
to a log and cannot be mistaken for a message.

Requests carry ``do`` and answers carry either the fields below or ``error``::

    open     adapter, settings, scratch, affinity [CPU]   -> {}
    bind     tables {name: [path]}        -> {}
    load     tables, store                -> {}      an engine's own copy of the tables, in the folder ``store``
    attach   store, tables [name]         -> {}      the tables of a store, in place of bind
    files                                 -> {paths}      that hold the tables' data; none where nobody can tell
    prepare  sql                          -> {seconds, cpu_s}
    run                                   -> {wall_s, cpu_s, rows, peak_memory, bytes_read, bytes_written, major_faults}
    answer   path                         -> {seconds, cpu_s, bytes}      an Arrow IPC stream at that path
    settings                              -> {values {name: {value, default}}}
    version                               -> {engine, python}
    close                                 -> {}

    error    {kind, type, text}           kind is unsupported, out_of_memory or error
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

Message = dict[str, Any]

KINDS = ("unsupported", "out_of_memory", "error")
"""What an engine's refusal can mean."""

MAX_MESSAGE = 64 << 20
"""Bytes; more than any message needs. A larger length means that the stream is out of step."""

_LENGTH = struct.Struct(">I")


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
