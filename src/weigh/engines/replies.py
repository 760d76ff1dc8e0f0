"""Replies of a worker, checked before anybody believes them.

The worker runs in an environment of its own, and adapters are plug-ins. A reply that is not what the protocol says, or
says what cannot be, is the contender's error, and nothing of it reaches a sample or the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import singledispatch
from typing import TypeVar, get_type_hints

import msgspec

from weigh.host.processes import process_counters
from weigh.model.units import Seconds
from weigh_worker import Failed, Unsupported, protocol

_R = TypeVar("_R", bound=protocol.Reply)

_LARGEST = 1 << 63
"""Whole numbers from here on have no column in Parquet."""
_LONGEST = 4096
"""Characters of a path, and of what an engine says of itself or of an error."""
_PROCESSES = 1 << 22
"""Process ids are below this (proc(5), pid_max)."""
_CPU_SLACK = 1.0
"""CPU seconds that the kernel may charge late."""


class Refused(Exception):
    """The worker did not carry out the request, and said why.

    Args:
        reply: what it said.
    """

    def __init__(self, reply: protocol.ErrorReply) -> None:
        # What an adapter says by itself is a sentence, and the name of its class says nothing more.
        kind = "" if reply.type in (Unsupported.__name__, Failed.__name__) else f"{reply.type[:_LONGEST]}: "
        super().__init__(f"{kind}{reply.text[:_LONGEST]}")
        self.kind = reply.kind


class BadReply(Exception):
    """The reply is not what the protocol says.

    Args:
        problem: why not.
        in_step: whether the next reply can still be understood.
    """

    def __init__(self, problem: str, *, in_step: bool) -> None:
        super().__init__(problem)
        self.in_step = in_step


def read(body: bytes, kind: type[_R], limit: Seconds) -> _R:
    """The reply in a message.

    Args:
        body: the message.
        kind: what is expected.
        limit: seconds that the request could take.

    Raises:
        Refused: the worker says that it did not carry it out.
        BadReply: it is no such reply.
    """
    try:
        reply = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadReply(f"it is no JSON: {error}", in_step=False) from None
    except RecursionError:
        raise BadReply("it is nested too deeply", in_step=False) from None
    if not isinstance(reply, Mapping):
        raise BadReply(f"it is no object, but {_called(reply)}", in_step=False)
    if "error" in reply:
        raise Refused(_converted(reply["error"], protocol.ErrorReply))
    found = _converted(reply, kind)
    if problem := _impossible(found, limit):
        raise BadReply(problem, in_step=True)
    return found


def _converted(reply: object, kind: type[_R]) -> _R:
    if isinstance(reply, Mapping) and (surplus := reply.keys() - kind.FIELDS):
        named = ", ".join(sorted(str(name)[:80] for name in surplus)[:5])
        raise BadReply(f"it has fields that nobody asked for: {named}", in_step=True)
    try:
        return kind(**msgspec.structs.asdict(msgspec.convert(reply, _FIELDS[kind])))
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadReply(str(error), in_step=True) from None


def _fields(kind: type[protocol.Reply]) -> type[msgspec.Struct]:
    """The fields of a reply with their types."""
    types = {name: about for name, about in get_type_hints(kind, vars(protocol)).items() if name in kind.FIELDS}
    defaults = kind.DEFAULTS
    fields = [(name, about, defaults[name]) if name in defaults else (name, about) for name, about in types.items()]
    return msgspec.defstruct(kind.__name__, fields, kw_only=True)


_FIELDS = {
    kind: _fields(kind)
    for kind in vars(protocol).values()
    if isinstance(kind, type) and issubclass(kind, protocol.Reply)
}
"""What is converted into each kind of reply."""


@singledispatch
def _impossible(_: protocol.Reply, __: Seconds) -> str:
    """What a reply says that cannot be; empty where there is nothing."""
    return ""


@_impossible.register
def _(reply: protocol.RunReply, limit: Seconds) -> str:
    if not math.isfinite(reply.wall_s) or not 0 < reply.wall_s <= limit:
        return f"wall_s is {reply.wall_s:g}, and must be above 0 and at most the {limit:g} s that it was given"
    if not 0 <= reply.rows < _LARGEST:
        return f"rows is {str(reply.rows)[:24]}, and no table has so many"
    most = limit * process_counters.cpus() + _CPU_SLACK
    if reply.cpu_s is not None and not 0 <= reply.cpu_s <= most:
        return f"cpu_s is {reply.cpu_s:g}, and must be at least 0 and at most {most:g}: the limit on every CPU"
    return ""


@_impossible.register
def _(reply: protocol.StatisticsReply, _: Seconds) -> str:
    for name in ("server_s", "queue_s", "credits"):
        if (value := getattr(reply, name)) is not None and not 0 <= value < math.inf:
            return f"{name} is {value:g}, and must be at least 0"
    for name in ("scanned_bytes", "billed_bytes"):
        if (value := getattr(reply, name)) is not None and not 0 <= value < _LARGEST:
            return f"{name} is {str(value)[:24]}, and nobody reads so many"
    return ""


@_impossible.register
def _(reply: protocol.FilesReply, _: Seconds) -> str:
    for path in reply.paths:
        if not path or "\0" in path or len(path) > _LONGEST:
            return f"{path[:40]!r} is no path"
    return ""


@_impossible.register
def _(reply: protocol.GuaranteeReply, _: Seconds) -> str:
    return "" if len(reply.by) <= _LONGEST else "what it promises is longer than a page"


@_impossible.register
def _(reply: protocol.ServersReply, _: Seconds) -> str:
    for pid in reply.pids:
        if not 0 < pid < _PROCESSES:
            return f"{str(pid)[:24]} is no process id"
    return ""


@_impossible.register
def _(reply: protocol.SettingsReply, _: Seconds) -> str:
    for name, one in reply.values.items():
        for value in one.values():
            if isinstance(value, int) and abs(value) >= _LARGEST:
                return f"the value of {name[:80]} is too large a number"
    return ""


@_impossible.register
def _(reply: protocol.ProfileReply, _: Seconds) -> str:
    wrong = next((name for name, value in reply.counters.items() if not math.isfinite(value)), None)
    return "" if wrong is None else f"the counter {wrong[:80]} is no number"


@_impossible.register
def _(reply: protocol.RepeatReply, limit: Seconds) -> str:
    if reply.executions < 1 or not math.isfinite(reply.wall_s) or not 0 <= reply.wall_s <= limit:
        return f"{reply.executions} executions in {reply.wall_s:g} s, and there must be one in at most {limit:g} s"
    if any(not math.isfinite(value) for value in reply.usage.values()) or min(reply.stacks.values(), default=0) < 0:
        return "what it used is no number"
    return ""


@_impossible.register
def _(reply: protocol.VersionReply, _: Seconds) -> str:
    return "" if len(reply.engine) <= _LONGEST else "a version is no longer than a page"


def _called(value: object) -> str:
    return {list: "a list", str: "text", type(None): "null", bool: "a boolean"}.get(type(value), "a number")
