"""What a worker sends: messages behind their lengths, and replies in them. An adapter may send anything."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fuzz.frame import HOSTILE, ODD, Door, deep, elsewhere, fuzz, mutated
from weigh.engines import replies
from weigh_worker import protocol

if TYPE_CHECKING:
    import random
    from pathlib import Path

_KINDS = (
    protocol.Reply, protocol.RunReply, protocol.VersionReply, protocol.SettingsReply, protocol.FilesReply,
    protocol.ServersReply, protocol.StatisticsReply, protocol.CloseReply,
)  # fmt: skip
_REPLIES: tuple[dict[str, Any], ...] = (
    {},
    {"wall_s": 0.5, "rows": 3, "cpu_s": 0.4, "peak_memory": 1 << 20, "bytes_read": 0, "bytes_written": 0},
    {"engine": "1.0", "python": "3.11.7"},
    {"values": {"threads": {"value": 2, "default": "4"}}},
    {"paths": ["/data/a.parquet"]},
    {"pids": [1, 2]},
    {"server_s": 0.5, "queue_s": 0.1, "scanned_bytes": 10, "billed_bytes": 10, "credits": 0.5, "cached": False},
    {"closed": True},
    {"error": {"kind": "unsupported", "type": "ValueError", "text": "no such function"}},
)
_WAIT = 0.5


def make(chance: random.Random) -> bytes:
    body = json.dumps(chance.choice(_REPLIES)).encode()
    match chance.randrange(6):
        case 0:
            body = deep(chance.choice((50, 2_000, 300_000)))
        case 1:
            body = mutated(body, chance)
        case _:
            document = json.loads(body)
            for _ in range(chance.randrange(1, 4)):
                document = elsewhere(document, chance, (*ODD, *HOSTILE))
            body = json.dumps(document).encode()
    length = len(body) if chance.random() < 0.7 else chance.choice((0, 1, len(body) + 1, 1 << 20, 1 << 31, 2**32 - 1))
    frame = struct.pack(">I", length) + body
    return mutated(frame, chance, 2) if chance.random() < 0.2 else frame


def use(content: bytes, _: Path) -> None:
    ours, theirs = socket.socketpair()

    def send() -> None:
        with theirs, suppress(OSError):
            theirs.sendall(content)

    sender = threading.Thread(target=send)
    sender.start()
    with ours:
        until = time.monotonic() + _WAIT
        try:
            while True:
                body = protocol.receive(ours, until)
                for kind in _KINDS:
                    with suppress(replies.Refused, replies.BadReply):
                        assert isinstance(replies.read(body, kind, 10.0), kind)
        except (protocol.Disconnected, protocol.Malformed, TimeoutError, OSError):
            pass
    sender.join()


FRAMES = Door("frames", make, use)


def test_worker_frames() -> None:
    fuzz(FRAMES)
