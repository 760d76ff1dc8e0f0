"""What a user asks of a replay, as parts of a spec."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.capture.trace import Trace
from weigh.host import scratch
from weigh.load.preparation import file_of
from weigh.load.recording import plan
from weigh.load.recording.spec import Replay
from weigh.load.replay import source
from weigh.load.spec import Arrivals, LoadSpec, interval_s
from weigh.model.errors import UsageError
from weigh.model.units import count, parse_duration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORD = "replay"
"""The workload."""
_NOT_OF_A_REPLAY = {
    "rate": "the trace says when statements are due; --speed 2x makes it faster",
    "arrivals": "the trace says when statements are due",
    "closed": "a replay keeps to the recorded times",
    "both": "a replay keeps to the recorded times",
    "find_rate": "repeat the replay with another --speed",
    "budget": "repeat the replay with another --speed",
    "crash": "crash a load of scripts: `weigh capture` writes them",
    "nemesis": "disturb a load of scripts: `weigh capture` writes them",
    "with": "disturb a load of scripts: `weigh capture` writes them",
    "during": "disturb a load of scripts: `weigh capture` writes them",
    "properties": "it is of YCSB",
    "property": "it is of YCSB",
    "records": "it is of YCSB",
    "define": "statements have the values that were recorded",
    "protocol": "a statement is sent as it was recorded",
    "pin": "compare servers with --contender and --answers keep",
    "expected_interval": "it is of closed loops",
    "max_in_flight": "each session waits for its own answers alone",
}
_OF_A_REPLAY = ("speed", "read_only", "on_copy", "hide_values")


def is_replay(workload: Sequence[str]) -> bool:
    """Whether the workload is a replay."""
    return bool(workload) and workload[0] == WORD


def refuse_options(flags: Mapping[str, Any]) -> None:
    """See that nothing is asked for that only a replay has.

    Raises:
        UsageError: it is.
    """
    for name in _OF_A_REPLAY:
        if flags.get(name):
            flag = name.replace("_", "-")
            raise UsageError(f"--{flag} is of a replay, and this is none", remedy=f"write `weigh load {WORD} FOLDER`")


def requested(workload: Sequence[str], target: str, flags: dict[str, Any]) -> tuple[dict[str, Any], Replay, plan.Plan]:
    """Flags as the rest of a load has them, what is replayed, and what of it is sent.

    Args:
        workload: ``replay`` and what is replayed.
        target: what the user wrote, without its password; empty where there are contenders.
        flags: of the command line, by name.

    Raises:
        UsageError: they contradict each other, or the trace cannot be replayed so.
    """
    if len(workload) != 2:
        problem = "nothing is named to be replayed" if len(workload) < 2 else "one trace is replayed at a time"
        raise UsageError(problem, remedy=f"write `weigh load {WORD} FOLDER --target URL`")
    for name, why in _NOT_OF_A_REPLAY.items():
        if flags.get(name) not in (None, False, ()):
            raise UsageError(f"--{name.replace('_', '-')} means nothing to a replay", remedy=why)
    keeps = flags["answers"] is not None
    if keeps and str(flags["answers"]) != "keep":
        raise UsageError(f"--answers {flags['answers']} is of scripts", remedy="of a replay write --answers keep")
    speed = _speed(flags["speed"])
    most = parse_duration(flags["duration"]) if flags["duration"] else None
    connections = _connections(flags["connections"])
    targets = [one.partition("=")[2] or one for one in flags["contender"]] or [target]
    embedded = all(":embedded" in one for one in targets)
    prepare = None
    if flags["prepare"] is not None:
        prepare = file_of(
            flags["prepare"], targets, "restore it into a server of your own, name that, and say --on-copy"
        )
    folder = scratch.folder("replay")
    path = source.find(Path(workload[1]), folder)
    # By URL nobody knows whose data it is: the server itself is to refuse writes that a function hides.
    guarded = bool(flags["read_only"]) or not (embedded or flags["on_copy"])
    with Trace(path) as trace:
        _speaks(trace.header.product, targets)
        made = plan.make(
            trace,
            folder / "lines.jsonl",
            connections=connections,
            most_s=None if most is None else most * speed,
            read_only=bool(flags["read_only"]),
            guarded=guarded,
            prepare=prepare,
            coverage=source.coverage(path),
        )
        product = trace.header.product
    if made.planned.writes and not (embedded or flags["on_copy"] or flags["read_only"]):
        raise UsageError(
            f"{count(made.planned.writes, 'statement')} of the trace write, or may, and the data at {targets[0]} may "
            "be somebody's",
            remedy="--read-only leaves them out; or restore a copy of the data from before the recording, name that "
            "server, and say --on-copy",
        )
    digest = hashlib.sha256(made.path.read_bytes())
    digest.update(repr((guarded, keeps)).encode())
    replay = Replay(
        trace=Path(workload[1]).name,
        digest=digest.hexdigest(),
        product=product,
        speed=speed,
        calls=made.planned.calls,
        length_s=made.length_s,
        read_only=guarded,
        answers=keeps,
        hidden=bool(flags["hide_values"]),
        prepare=prepare.name if prepare else "",
        prepare_digest=hashlib.sha256(prepare.read_bytes()).hexdigest() if prepare else "",
    )
    own = {
        **flags,
        **dict.fromkeys(_OF_A_REPLAY),
        "prepare": None,
        "answers": None,
        "connections": str(made.lanes),
        "rate": "1",
        "duration": None,
    }
    return own, replay, made


def spec(base: LoadSpec, replay: Replay) -> LoadSpec:
    """The spec of a replay, of one that was made of its flags."""
    duration = max(replay.length_s / replay.speed, 0.05)
    if base.warmup_s is not None and base.warmup_s >= duration:
        raise UsageError("the warm-up leaves nothing of the recording", remedy="shorten --warmup")
    return msgspec.structs.replace(
        base,
        workload=WORD,
        replay=replay,
        arrivals=Arrivals(kind="trace", rate=replay.calls / duration),
        duration_s=duration,
        interval_s=interval_s(duration),
    )


def _speed(text: str | None) -> float:
    if text is None:
        return 1.0
    try:
        value = float(text.strip().lower().removesuffix("x"))
    except ValueError:
        value = math.nan
    if not 0.001 <= value <= 1000:
        raise UsageError(f"--speed {text} cannot be", remedy="write 0.5x, 2x or 4x")
    return value


def _connections(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or not 0 < int(text) <= 10_000:
        raise UsageError(f"--connections {text} cannot be", remedy="a replay has one number of them, e.g. 100")
    return int(text)


def _speaks(product: str, targets: Sequence[str]) -> None:
    """See that the targets understand the trace.

    Raises:
        UsageError: one does not.
    """
    kinds = {"postgres": ("postgres",), "redis": ("valkey:", "redis")}.get(product, ())
    for target in targets:
        if not target.startswith(kinds) or not kinds:
            can = f"name a server of {product}" if kinds else "a replay is for traces of PostgreSQL and Valkey"
            raise UsageError(f"the trace is of {product}, and {target} does not speak that", remedy=can)
