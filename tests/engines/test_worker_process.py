"""The messages between weigh and a worker, over a real socket pair."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any

import pytest

from weigh.engines.process import WorkerEnded, WorkerProcess
from weigh.model.sample import Outcome
from weigh_worker import protocol
from weigh_worker.__main__ import Worker
from weigh_worker.adapter import Adapter, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(10)
        yield ours, theirs


def raw(body: bytes, length: int | None = None) -> bytes:
    return struct.pack(">I", len(body) if length is None else length) + body


def test_messages_arrive_whole_and_in_order(pair: Pair) -> None:
    ours, theirs = pair
    messages = [{"do": "prepare", "sql": "naïve\n\0 'x'"}, {}, {"values": [1, None, 1.5, True]}]
    for message in messages:
        protocol.send(theirs, message)
    assert [protocol.receive(ours) for _ in messages] == messages


def test_a_message_that_comes_in_pieces_is_one_message(pair: Pair) -> None:
    ours, theirs = pair
    for byte in raw(b'{"a":1}'):
        theirs.send(bytes([byte]))
    assert protocol.receive(ours) == {"a": 1}


@pytest.mark.parametrize(
    "torn", [b"", b"\0\0", raw(b"", 10), raw(b'{"a":', 10)], ids=["nothing", "length", "no body", "half a body"]
)
def test_the_end_in_the_middle_of_a_message(pair: Pair, torn: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(torn)
    theirs.close()
    with pytest.raises(protocol.Disconnected):
        protocol.receive(ours)


@pytest.mark.parametrize(
    "body", [raw(b"", protocol.MAX_MESSAGE + 1), raw(b"[1]"), raw(b'"run"')], ids=["huge", "list", "text"]
)
def test_what_is_no_message(pair: Pair, body: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(body)
    with pytest.raises(protocol.Disconnected):
        protocol.receive(ours)


@pytest.mark.parametrize("body", [raw(b"garbage"), raw(b"\xff\xfe")])
def test_what_is_no_json(pair: Pair, body: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(body)
    with pytest.raises(ValueError, match=r"."):
        protocol.receive(ours)


def test_silence_is_a_time_out(pair: Pair) -> None:
    ours, _ = pair
    ours.settimeout(0.01)
    with pytest.raises(TimeoutError):
        protocol.receive(ours)


def test_sending_to_nobody(pair: Pair) -> None:
    ours, theirs = pair
    theirs.close()
    with pytest.raises(protocol.Disconnected):
        for _ in range(100):
            protocol.send(ours, {"do": "run", "padding": "x" * 10_000})


class Refuses(Adapter):
    """Says no in the way it is told to; nothing else of it is ever called."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        raise {"unsupported": Unsupported, "memory": MemoryError}.get(next(iter(tables)), RuntimeError)("no\n" * 9999)


# The methods that no test calls may stay abstract.
Refuses.__abstractmethods__ = frozenset()


@pytest.mark.parametrize(
    ("table", "kind"), [("unsupported", "unsupported"), ("memory", "out_of_memory"), ("other", "error")]
)
def test_an_exception_of_the_engine_is_a_reply(table: str, kind: str) -> None:
    worker = Worker()
    worker.adapter = Refuses({}, "")
    reply = worker.carry_out({"do": "bind", "tables": {table: []}})
    assert reply["error"]["kind"] == kind
    assert len(reply["error"]["text"]) <= 4000


@pytest.mark.parametrize("request_", [{}, {"do": "nonsense"}, {"do": "run"}, {"do": "bind", "wrong": 1}])
def test_a_request_that_cannot_be_carried_out_is_a_reply_too(request_: protocol.Message) -> None:
    assert Worker().carry_out(request_)["error"]["kind"] == "error"


RAN = {
    "wall_s": 0.25, "rows": 3, "cpu_s": None, "peak_memory": 1 << 40, "bytes_read": 0, "bytes_written": None,
    "major_faults": 1,
}  # fmt: skip


@pytest.fixture
def process(pair: Pair) -> WorkerProcess:
    """The controller's end without a process at the other one."""
    made = WorkerProcess.__new__(WorkerProcess)
    made._channel = pair[0]
    return made


def test_a_reply_arrives_as_it_was_sent(process: WorkerProcess, pair: Pair) -> None:
    sent = protocol.RunReply(**RAN)
    protocol.send(pair[1], sent.message())
    assert process.run(1) == sent
    protocol.send(pair[1], protocol.PrepareReply(seconds=1, cpu_s=0.5).message())
    assert process.prepare("SELECT 1", 1) == protocol.PrepareReply(seconds=1.0, cpu_s=0.5)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({**RAN, "wall_s": "fast"}, "Expected `float`, got `str` - at `$.wall_s`"),
        ({**RAN, "wall_s": None}, "Expected `float`, got `null` - at `$.wall_s`"),
        ({**RAN, "rows": 3.5}, "Expected `int`, got `float` - at `$.rows`"),
        ({**RAN, "rows": True}, "Expected `int`, got `bool` - at `$.rows`"),
        ({key: value for key, value in RAN.items() if key != "cpu_s"}, "missing required field `cpu_s`"),
        ({}, "missing required field `wall_s`"),
        ({**RAN, "speed": 9, "best": True}, "it has fields that nobody asked for: best, speed"),
        ({"error": {"kind": "boredom", "type": "E", "text": ""}}, "Invalid enum value 'boredom' - at `$.kind`"),
        ({"error": {"kind": "error", "type": "E", "text": "", "trace": ""}}, "nobody asked for: trace"),
        ({"error": {"kind": "error"}}, "missing required field `type`"),
        ({"error": "no"}, "Expected `object`, got `str`"),
    ],
)
def test_a_reply_of_another_form_is_the_worker_s_error(
    process: WorkerProcess, pair: Pair, reply: dict[str, Any], said: str
) -> None:
    protocol.send(pair[1], reply)
    with pytest.raises(WorkerEnded) as caught:
        process.run(1)
    assert (caught.value.outcome, caught.value.alive) == (Outcome.ERROR, True)
    assert caught.value.detail.startswith("the worker's reply to 'run' is malformed: ")
    assert said in caught.value.detail


def test_what_the_engine_refused_is_no_malformed_reply(process: WorkerProcess, pair: Pair) -> None:
    error = protocol.ErrorReply(kind="unsupported", type="ParserError", text="no such function")
    protocol.send(pair[1], error.message())
    with pytest.raises(WorkerEnded) as caught:
        process.prepare("SELEKT", 1)
    assert (caught.value.outcome, caught.value.detail) == (Outcome.UNSUPPORTED, "ParserError: no such function")
