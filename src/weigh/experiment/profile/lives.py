"""Both sides of a change, executed in lives of their own and looked at from everywhere."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.engines.exchange import WorkerEnded
from weigh.experiment.profile.perf import FREQUENCY, Perf
from weigh.experiment.profile.plans import Operator
from weigh.experiment.profile.stacks import Sampled, merged
from weigh.model.text import visible, without_passwords
from weigh_worker import protocol

if TYPE_CHECKING:
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.units import Seconds

EXECUTIONS = 6
"""Under the engine's own profiler, of each side: see :mod:`weigh.experiment.profile.spread`."""
_ROUNDS = 6
"""In which both sides are sampled in turn: what the machine does meanwhile, it does to both."""
_INTERVAL = 0.001
_SLOW = 30.0
"""Seconds after which no further execution is profiled."""
_DEEPEST = 200
_NAME, _DETAIL = 80, 300
_ELSEWHERE = "the engine executes in other processes, which have no Python frames"


class Side:
    """What was observed of one side.

    Attributes:
        version: of the engine, as it says.
        wall_s: seconds of an execution while Python frames were sampled.
        plans: of each profiled execution.
        counters: of each profiled execution and of each round.
        raw: the first profile, as the engine wrote it.
        lacks: what its profiler does not tell, and why.
        python: samples of Python frames.
        native: samples of all code.
    """

    def __init__(self) -> None:
        self.version = ""
        self.wall_s: Seconds = 0.0
        self.plans: list[Operator] = []
        self.counters: list[dict[str, float]] = []
        self.usage: list[dict[str, float]] = []
        self.raw = ""
        self.lacks = ""
        self.python = Sampled()
        self.native = Sampled()


def look(
    pair: tuple[PreparedContender, PreparedContender],
    sql: tuple[str, str],
    link: DataLink,
    seconds: Seconds,
    timeout: Seconds,
) -> tuple[Side, Side]:
    """Execute one query on both sides.

    Args:
        pair: baseline and contender.
        sql: the text for each.
        link: where the data is.
        seconds: how long each side is sampled, once by Python frames and once by all code.
        timeout: seconds for one execution.

    Raises:
        WorkerEnded: a side cannot be started, or does not execute it.
    """
    sides = (Side(), Side())
    with ExitStack() as stack:
        lives = []
        for ready, text, side in zip(pair, sql, sides, strict=True):
            life = stack.enter_context(link.start(ready))
            side.version = life.version()
            life.prepare(text, timeout)
            # The first one reads what is not in memory yet.
            life.run(timeout)
            lives.append(life)
        _by_engine(lives, sides, timeout)
    with ExitStack() as stack:
        lives = []
        for ready, text in zip(pair, sql, strict=True):
            life = stack.enter_context(link.start(ready))
            life.prepare(text, timeout)
            life.run(timeout)
            lives.append(life)
        _by_python(lives, sides, seconds, timeout)
        for life, side in zip(lives, sides, strict=True):
            side.native = _by_perf(life, seconds, timeout)
    return sides


def _by_engine(lives: list[WorkerProcess], sides: tuple[Side, Side], timeout: Seconds) -> None:
    spent = 0.0
    for _ in range(EXECUTIONS):
        for life, side in zip(lives, sides, strict=True):
            try:
                reply, cost = life.exchange.ask("profile", protocol.ProfileReply, timeout)
            except WorkerEnded as ended:
                if not ended.alive:
                    raise
                side.lacks = f"its profiler failed: {clean(ended.detail, _DETAIL)}"
                return
            spent += cost.seconds
            _take(side, reply)
        if spent > _SLOW:
            return


def _take(side: Side, reply: protocol.ProfileReply) -> None:
    side.lacks = clean(reply.lacks, _DETAIL)
    side.raw = side.raw or clean(reply.raw)
    side.counters.append({clean(name, _NAME): value for name, value in reply.counters.items()})
    if reply.plan is None:
        return
    try:
        side.plans.append(_operator(msgspec.convert(reply.plan, Operator)))
    except (msgspec.ValidationError, RecursionError) as error:
        side.lacks = f"what its adapter's profile() returned is no plan: {clean(str(error), _DETAIL)}"


def _operator(one: Operator, depth: int = 0) -> Operator:
    """With texts that can be shown.

    Raises:
        RecursionError: it has more levels than a plan can have.
    """
    if depth > _DEEPEST:
        raise RecursionError(f"more than {_DEEPEST} levels")
    return msgspec.structs.replace(
        one,
        name=clean(one.name, _NAME),
        detail=clean(one.detail, _DETAIL),
        children=tuple(_operator(child, depth + 1) for child in one.children),
    )


def _by_python(lives: list[WorkerProcess], sides: tuple[Side, Side], seconds: Seconds, timeout: Seconds) -> None:
    parts: tuple[list[protocol.RepeatReply], ...] = ([], [])
    for _ in range(_ROUNDS):
        for life, found in zip(lives, parts, strict=True):
            found.append(_repeat(life, seconds / _ROUNDS, _INTERVAL, timeout))
    for life, side, found in zip(lives, sides, parts, strict=True):
        side.usage = [{name: value / one.executions for name, value in one.usage.items()} for one in found]
        side.wall_s = sum(one.wall_s for one in found) / sum(one.executions for one in found)
        elsewhere = life.declared().elsewhere
        side.python = Sampled(
            executions=sum(one.executions for one in found),
            interval=_INTERVAL,
            stacks={} if elsewhere else _clean(merged([one.stacks for one in found])),
            rounds=tuple(_self_seconds(one) for one in found),
            lacks=_ELSEWHERE if elsewhere else "",
        )


def _self_seconds(one: protocol.RepeatReply) -> dict[str, Seconds]:
    return Sampled(executions=one.executions, stacks=_clean(one.stacks)).self_seconds()


def _by_perf(life: WorkerProcess, seconds: Seconds, timeout: Seconds) -> Sampled:
    perf = Perf()
    if perf.lacks:
        return Sampled(lacks=perf.lacks)
    pids = dict.fromkeys([*(life.family.pids() if life.family else ()), life.pid, *life.servers()])
    with perf.sampling(list(pids), Path(life.folder)):
        reply = _repeat(life, seconds, 0.0, timeout)
    taken = sum(perf.stacks.values()) / 1e6
    cpu_s = sum(value for name, value in reply.usage.items() if name.endswith("CPU seconds"))
    # It begins later than the executions: what it saw stands for all that they used.
    scale = cpu_s / taken if cpu_s and taken else 1.0
    return Sampled(
        executions=reply.executions,
        interval=scale / FREQUENCY,
        stacks=_clean({stack: round(weight * scale) for stack, weight in perf.stacks.items()}),
        lacks=perf.lacks,
    )


def _repeat(life: WorkerProcess, seconds: Seconds, interval: Seconds, timeout: Seconds) -> protocol.RepeatReply:
    # At least one execution, however long it takes.
    limit = seconds + 2 * timeout
    return life.exchange.ask("repeat", protocol.RepeatReply, limit, seconds=seconds, interval=interval)[0]


def _clean(stacks: dict[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for stack, weight in stacks.items():
        # A line of a folded file is a stack.
        key = clean(stack).replace("\n", " ")
        found[key] = found.get(key, 0) + weight
    return found


def clean(text: Any, limit: int = 0) -> str:
    """Without passwords of URLs, with what a terminal obeys made visible, and at most so long."""
    line = visible(without_passwords(str(text)))
    return line if not limit or len(line) <= limit else line[: limit - 3] + "..."
