"""The messages between weigh and a worker, over a real socket pair."""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from weigh.engines.exchange import Exchange, WorkerEnded
from weigh.engines.process import WorkerProcess
from weigh.engines.run_cost import unmetered
from weigh.engines.simultaneous import run_at_once
from weigh.engines.start_clock import StartClock
from weigh.host.processes.process_counters import Counters
from weigh.model.sample import Outcome
from weigh_worker import protocol
from weigh_worker.__main__ import Worker
from weigh_worker.adapter import Adapter, Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        assert json.loads(protocol.receive(ours)) == message


def test_a_message_that_comes_in_pieces_is_one_message(pair: Pair) -> None:
    ours, theirs = pair
    for byte in raw(b'{"a":1}'):
        theirs.send(bytes([byte]))
    assert protocol.receive(ours) == b'{"a":1}'


@pytest.mark.parametrize(
    "torn", [b"", b"\0\0", raw(b"", 10), raw(b'{"a":', 10)], ids=["nothing", "length", "no body", "half a body"]
)
def test_the_end_in_the_middle_of_a_message(pair: Pair, torn: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(torn)
    theirs.close()
    with pytest.raises(protocol.Disconnected):
        protocol.receive(ours)


@pytest.mark.parametrize("body", [raw(b"", protocol.MAX_MESSAGE + 1), raw(b"{}") + b"x"], ids=["huge", "more"])
def test_what_is_no_message(pair: Pair, body: bytes) -> None:
    ours, theirs = pair
    theirs.sendall(body)
    with pytest.raises(protocol.Malformed):
        protocol.receive(ours)


def test_silence_is_a_time_out(pair: Pair) -> None:
    with pytest.raises(TimeoutError):
        protocol.receive(pair[0], time.monotonic() + 0.01)


def test_a_trickle_is_a_time_out_too(pair: Pair) -> None:
    """The limit is that of the whole message: each byte in time is not enough."""
    ours, theirs = pair
    stop = threading.Event()

    def trickle() -> None:
        for byte in raw(b" " * 1000):
            if stop.wait(0.02):
                return
            theirs.send(bytes([byte]))

    sender = threading.Thread(target=trickle)
    sender.start()
    try:
        with pytest.raises(TimeoutError):
            protocol.receive(ours, time.monotonic() + 0.2)
    finally:
        stop.set()
        sender.join()


def test_sending_to_nobody(pair: Pair) -> None:
    ours, theirs = pair
    theirs.close()
    with pytest.raises(protocol.Disconnected):
        for _ in range(100):
            protocol.send(ours, {"do": "run", "padding": "x" * 10_000})


class Panic(BaseException):
    """As an extension in Rust raises it."""


class Refuses(Adapter):
    """Says no in the way it is told to; nothing else of it is ever called."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        kinds = {"unsupported": Unsupported, "memory": MemoryError, "panic": Panic}
        raise kinds.get(next(iter(tables)), RuntimeError)("no\n" * 9999)


# The methods that no test calls may stay abstract.
Refuses.__abstractmethods__ = frozenset()


@pytest.mark.parametrize(
    ("table", "kind"),
    [("unsupported", "unsupported"), ("memory", "out_of_memory"), ("panic", "error"), ("other", "error")],
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


RAN = {"wall_s": 0.25, "rows": 3, "cpu_s": None}
BILLION = 10**400


class Ours(WorkerProcess):
    """The controller's end; at the other one is a test, and no process."""

    def __init__(self, channel: socket.socket) -> None:
        self.exchange = Exchange(channel, self.pid, self)
        self._starting = StartClock()
        self._starting_s = 60.0
        self._reports = False
        self.metered, self._sql = unmetered, ""
        self.family = None
        self.store = None
        self.counters = Counters(self.pid)
        self.killed = False

    @property
    def pid(self) -> int:
        return os.getpid()

    def kill(self) -> None:
        self.killed = True


@pytest.fixture
def process(pair: Pair) -> Iterator[Ours]:
    ours = Ours(pair[0])
    yield ours
    ours.counters.close()


def replying(theirs: socket.socket, *bodies: bytes | protocol.Message) -> threading.Thread:
    """Answers one request after another."""

    def reply() -> None:
        for body in bodies:
            protocol.receive(theirs)
            if isinstance(body, bytes):
                theirs.sendall(raw(body))
            else:
                protocol.send(theirs, body)

    made = threading.Thread(target=reply)
    made.start()
    return made


def statistics(process: WorkerProcess) -> object:
    """Of the last execution, from an engine that has some."""
    process._reports = True
    return process.reported(5)


def test_a_reply_arrives_as_it_was_sent(process: Ours, pair: Pair) -> None:
    answering = replying(pair[1], {}, {}, protocol.RunReply(**RAN).message())
    assert process.prepare("SELECT 1", 5).seconds > 0
    cost = process.run(5)
    answering.join()
    assert (cost.wall_s, cost.rows, cost.cpu_s) == (0.25, 3, None)
    assert cost.round_trip.seconds > 0
    assert cost.release.seconds > 0


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({**RAN, "wall_s": "fast"}, "Expected `float`, got `str` - at `$.wall_s`"),
        ({**RAN, "wall_s": None}, "Expected `float`, got `null` - at `$.wall_s`"),
        ({**RAN, "wall_s": BILLION}, "out of range"),
        ({**RAN, "wall_s": 0}, "wall_s is 0, and must be above 0 and at most the 5 s that it was given"),
        ({**RAN, "wall_s": -1}, "wall_s is -1, and must be above 0"),
        ({**RAN, "wall_s": 5.1}, "wall_s is 5.1, and must be above 0 and at most the 5 s"),
        ({**RAN, "wall_s": True}, "Expected `float`, got `bool`"),
        ({**RAN, "wall_s": [1]}, "Expected `float`, got `array`"),
        ({**RAN, "cpu_s": -0.1}, "cpu_s is -0.1, and must be at least 0"),
        ({**RAN, "cpu_s": 1e9}, "cpu_s is 1e+09, and must be at least 0 and at most"),
        ({**RAN, "rows": 3.5}, "Expected `int`, got `float` - at `$.rows`"),
        ({**RAN, "rows": True}, "Expected `int`, got `bool` - at `$.rows`"),
        ({**RAN, "rows": -1}, "rows is -1, and no table has so many"),
        ({**RAN, "rows": 1 << 63}, "no table has so many"),
        ({**RAN, "rows": BILLION}, "no table has so many"),
        ({key: value for key, value in RAN.items() if key != "cpu_s"}, "missing required field `cpu_s`"),
        ({}, "missing required field `wall_s`"),
        ({**RAN, "speed": 9, "best": True}, "it has fields that nobody asked for: best, speed"),
        ({"error": {"kind": "boredom", "type": "E", "text": ""}}, "Invalid enum value 'boredom' - at `$.kind`"),
        ({"error": {"kind": "error", "type": "E", "text": "", "trace": ""}}, "nobody asked for: trace"),
        ({"error": {"kind": "error"}}, "missing required field `type`"),
        ({"error": "no"}, "Expected `object`, got `str`"),
        ({"error": None}, "Expected `object`, got `null`"),
    ],
)
def test_a_reply_of_another_form_is_the_worker_s_error(
    process: Ours, pair: Pair, reply: dict[str, Any], said: str
) -> None:
    answering = replying(pair[1], {}, reply)
    with pytest.raises(WorkerEnded) as caught:
        process.run(5)
    answering.join()
    assert (caught.value.outcome, caught.value.alive, process.killed) == (Outcome.ERROR, True, False)
    assert caught.value.detail.startswith("the worker's reply to 'run' is malformed: ")
    assert said in caught.value.detail


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"garbage", "it is no JSON"),
        (b"\xff\xfe", "it is no JSON"),
        (b'{"wall_s":NaN,"rows":3,"cpu_s":null}', "it is no JSON"),
        (b'{"wall_s":Infinity,"rows":3,"cpu_s":null}', "it is no JSON"),
        (b'{"wall_s":1e999,"rows":3,"cpu_s":null}', "it is no JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "nested too deeply"),
        (b"[1]", "it is no object, but a list"),
        (b'"run"', "it is no object, but text"),
        (b"", "it is no JSON"),
    ],
    ids=lambda value: str(value[:20]),
)
def test_after_what_is_no_reply_nothing_can_be_understood(process: Ours, pair: Pair, body: bytes, said: str) -> None:
    answering = replying(pair[1], {}, body)
    with pytest.raises(WorkerEnded) as caught:
        process.run(5)
    answering.join()
    assert (caught.value.outcome, caught.value.alive, process.killed) == (Outcome.ERROR, False, True)
    assert said in caught.value.detail


def test_a_reply_that_comes_before_it_was_asked_for_is_none(process: Ours, pair: Pair) -> None:
    """It cannot be about what had not been asked yet."""
    answering = replying(pair[1], {})
    released = process.release(5)
    answering.join()
    protocol.send(pair[1], protocol.RunReply(**{**RAN, "wall_s": 1e-6}).message())
    with pytest.raises(WorkerEnded) as caught:
        process.run(5, released)
    assert (caught.value.outcome, process.killed) == (Outcome.ERROR, True)
    assert "it came before it was asked for" in caught.value.detail


@pytest.mark.parametrize(
    ("ask", "reply", "said"),
    [
        (statistics, {"queue_s": -1.0}, "queue_s is -1, and must be at least 0"),
        (statistics, {"scanned_bytes": -1}, "scanned_bytes is -1, and nobody reads so many"),
        (WorkerProcess.files, {"paths": ["a\0b"]}, "is no path"),
        (WorkerProcess.files, {"paths": ["x" * 5000]}, "is no path"),
        (WorkerProcess.servers, {"pids": [-1]}, "-1 is no process id"),
        (WorkerProcess.servers, {"pids": [BILLION]}, "is no process id"),
        (WorkerProcess.settings, {"values": {"a": {"value": [1], "default": None}}}, "got `array`"),
        (WorkerProcess.settings, {"values": {"a": {"value": BILLION}}}, "too large a number"),
        (WorkerProcess.version, {"engine": "v" * 5000, "python": ""}, "no longer than a page"),
    ],
)
def test_other_replies_are_checked_too(
    process: Ours, pair: Pair, ask: Callable[[WorkerProcess], object], reply: dict[str, Any], said: str
) -> None:
    answering = replying(pair[1], reply)
    with pytest.raises(WorkerEnded) as caught:
        ask(process)
    answering.join()
    assert caught.value.outcome is Outcome.ERROR
    assert said in caught.value.detail


def test_no_reply_in_time_ends_the_life(process: Ours) -> None:
    with pytest.raises(WorkerEnded) as caught:
        process.bind({}, 0.05)
    assert (caught.value.outcome, caught.value.alive, process.killed) == (Outcome.TIMEOUT, False, True)
    assert caught.value.detail == "no whole reply to 'bind' within 0.05 s"


def test_of_two_that_run_together_each_has_its_own_round_trip(process: Ours, pair: Pair) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        late = Ours(ours)
        go = threading.Event()

        def reply() -> None:
            protocol.receive(theirs)
            protocol.send(theirs, {})
            protocol.receive(theirs)
            go.wait(5)
            time.sleep(0.3)
            protocol.send(theirs, RAN)

        second = threading.Thread(target=reply)
        second.start()
        first = replying(pair[1], {}, RAN)
        go.set()
        # The late one is waited for first, and does not lengthen the other one's.
        costs = run_at_once([late, process], 5)
        first.join()
        second.join()
    assert not any(isinstance(one, WorkerEnded) for one in costs)
    slow, quick = (one.round_trip.seconds for one in costs if not isinstance(one, WorkerEnded))
    assert slow - quick > 0.1


def test_of_two_that_run_together_one_that_hangs_ends_alone(process: Ours, pair: Pair) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        hangs = Ours(ours)
        first, second = replying(pair[1], {}, RAN), replying(theirs, {})
        ended, cost = run_at_once([hangs, process], 0.3)
        first.join()
        second.join()
    assert isinstance(ended, WorkerEnded)
    assert (ended.outcome, hangs.killed, process.killed) == (Outcome.TIMEOUT, True, False)
    assert not isinstance(cost, WorkerEnded)


def test_what_the_engine_refused_is_no_malformed_reply(process: Ours, pair: Pair) -> None:
    error = protocol.ErrorReply(kind="unsupported", type="ParserError", text="no such function")
    answering = replying(pair[1], error.message())
    with pytest.raises(WorkerEnded) as caught:
        process.prepare("SELEKT", 1)
    answering.join()
    assert (caught.value.outcome, caught.value.detail) == (Outcome.UNSUPPORTED, "ParserError: no such function")


@pytest.mark.parametrize("name", ["Failed", "Unsupported"])
def test_a_sentence_of_an_adapter_is_printed_without_its_class(process: Ours, pair: Pair, name: str) -> None:
    error = protocol.ErrorReply(kind="error", type=name, text="./query ended with exit code 4")
    answering = replying(pair[1], error.message())
    with pytest.raises(WorkerEnded) as caught:
        process.prepare("SELECT", 1)
    answering.join()
    assert (caught.value.outcome, caught.value.detail) == (Outcome.ERROR, "./query ended with exit code 4")
