"""What a load lacks for a conclusive result, and the command lines that add it. Pure."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from weigh.load.budgets import BUDGET_S, enough_s
from weigh.load.command_line import parsed
from weigh.load.gate.findings import UNASKED
from weigh.model import codes
from weigh.model.units import parse_duration, typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.command_line import CommandLine
    from weigh.load.record import LoadRecord
    from weigh.model.units import Seconds
    from weigh.model.verdict import Reason

REPEATS = 3
TAIL = 0.99
"""The percentile that must be resolved."""
_WARM_UP, _WHOLE = "5m", 1800.0
_NEEDED = 20
"""Independent requests beyond a percentile (:mod:`weigh.statistics.percentiles`)."""
_CALM = 0.7
"""Of what a closed loop carried: an open loop at all of it would only measure a queue."""
_FOLDER = "traffic"
_OF_A_BENCHMARK = (
    "--agents",
    *("-D", "-P", "-p", "--answers", "--arrivals", "--budget", "--define", "--find-rate", "--pin", "--protocol"),
    *("--rate", "--records", "--warehouses"),
)
"""Flags that a workload of one's own does not need: a capture has its rate and its arrivals."""
_OF_SCHEDULES = ("--both", "--closed", "--connections", "--duration", "--expected-interval", "--max-in-flight")
"""Flags that a replay does not have: its sessions keep to the recorded times."""
_LAX = {
    "mariadb": ("innodb_doublewrite", "innodb_flush_log_at_trx_commit", "innodb_flush_method", "sync_binlog"),
    "postgres": ("fsync", "full_page_writes", "synchronous_commit"),
    "valkey": ("appendfsync", "appendonly", "no-appendfsync-on-rewrite"),
    "sqlite": ("journal_mode", "synchronous"),
}
"""Settings of embedded servers that let acknowledged writes be lost; without them they are durable."""


def with_commands(reasons: Iterable[Reason], record: LoadRecord, runs: Sequence[RunFigures]) -> tuple[Reason, ...]:
    """Reasons of a tier, each with the command lines that add what is missing, where there are any.

    Args:
        reasons: why the tier is not better.
        record: of the load; its own command line is what they are made of.
        runs: that are judged.
    """
    command_line = parsed(record.environment.command) if record.environment else None
    if command_line is None:
        return tuple(reasons)
    done = []
    for one in reasons:
        adds = _ADDS.get(one.code)
        commands = tuple(map(str, adds(command_line, record, runs))) if adds else ()
        done.append(msgspec.structs.replace(one, commands=commands) if commands else one)
    return tuple(done)


def _again(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    yield command_line


def _starts(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    if record.spec.crash:
        yield command_line.but(crash=str(REPEATS))
    elif not record.spec.find_rate:
        yield command_line.but(repeats=str(REPEATS))


def _length(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    if not _cut_by_its_trace(record):
        yield _longer(command_line, record, runs, _WHOLE).but(warmup=_WARM_UP)


def _steady(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    if not _cut_by_its_trace(record):
        yield _longer(command_line, record, runs, max(_WHOLE, 2 * record.spec.duration_s))


def _tail(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    if not _cut_by_its_trace(record):
        fewest = min((run.whole.response.at(TAIL).exceedances for run in runs if run.operations), default=0.0)
        wanted = 1.5 * _NEEDED / max(fewest, 1.0) * record.spec.duration_s
        yield _longer(command_line, record, runs, max(wanted, 2 * record.spec.duration_s))


def _open(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    carried = min((run.rate_achieved.mean for run in runs if run.rate_achieved), default=0.0)
    if carried > 0:
        yield command_line.but(closed=None, expected_interval=None, rate=f"{float(f'{_CALM * carried:.2g}'):g}")


def _answers(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    spec = record.spec
    kind = record.environment.target.kind if record.environment else ""
    if spec.scripts and kind not in UNASKED and not command_line.has("--answers"):
        yield command_line.but(pin="answers.json")
        yield command_line.but(pin=None, answers="answers.json")


def _watched(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[str]:
    yield f"env -u WEIGH_SAMPLER {command_line}"


def _uncontended(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    yield command_line.but(contention="5%")


def _longer_search(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    given = command_line.value("--budget")
    budget = parse_duration(given) if given else BUDGET_S
    made = sum(run.rate_target is not None for run in runs)
    yield command_line.but(budget=typed(max(enough_s(budget, made), budget + 1)))


def _elsewhere(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine]:
    """On another machine, to a server on a machine of its own."""
    kind = record.environment.target.kind if record.environment else ""
    target = command_line.value("--target")
    if target is None or command_line.has("--contender") or record.spec.in_process:
        return
    other = {
        "mysql": "mysql://USER@SERVER/DB", "postgres": "postgres://USER@SERVER/DB", "redis": "redis://SERVER:6379/0",
    }.get(kind)  # fmt: skip
    if "://" in target and (place := urlsplit(target)).netloc:
        user, at, host = place.netloc.rpartition("@")
        port = host[host.rindex(":") :] if ":" in host.rpartition("]")[2] else ""
        other = place._replace(netloc=f"{user}{at}SERVER{port}").geturl()
    if other:
        yield command_line.but(target=other, server_cpus=None, server_memory=None, client_cpus=None, cold=None)


def _durable(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine | str]:
    """Settings back to what loses nothing; not where a script, a disk or a crash is the reason."""
    target = record.environment.target if record.environment else None
    given = command_line.value("--target")
    if target is None or given is None or not target.undurable or any("tmpfs" in one for one in target.undurable):
        return
    place, _, settings = given.partition("?")
    engine = place.partition(":")[0]
    if engine in _LAX and target.embedded:
        settings_left = [one for one in settings.split("&") if one.partition("=")[0] not in _LAX[engine]]
        better = f"{place}?{'&'.join(settings_left)}".removesuffix("?")
        if better != given:
            yield command_line.but(target=better)
    elif target.kind == "postgres":
        off = [name for name in _LAX["postgres"] if target.in_force.get(name, {}).get("value") == "off"]
        if off:
            alter = " ".join(f"-c 'ALTER SYSTEM SET {name} = on'" for name in off)
            yield f"psql {shlex.quote(given)} {alter} -c 'SELECT pg_reload_conf()'"
            yield command_line
    elif target.kind == "redis":
        yield f"valkey-cli -u {shlex.quote(given)} CONFIG SET appendonly yes appendfsync always"
        yield command_line


def _captured(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures]) -> Iterator[CommandLine | str]:
    kind = record.environment.target.kind if record.environment else ""
    if kind == "postgres":
        yield f"weigh capture postgres://USER@PRODUCTION/DB --out {_FOLDER}"
        yield command_line.of([_FOLDER], _OF_A_BENCHMARK)
    elif kind == "redis":
        yield "valkey-cli -h PRODUCTION MONITOR > monitor.txt"
        yield f"weigh capture monitor.txt --out {_FOLDER}"
        yield command_line.of(["replay", _FOLDER], (*_OF_A_BENCHMARK, *_OF_SCHEDULES))


def _cut_by_its_trace(record: LoadRecord) -> bool:
    """Whether a recording says how long it can be: no flag makes more of it."""
    return bool(record.spec.replay) or record.spec.arrivals.kind == "trace"


def _longer(command_line: CommandLine, record: LoadRecord, runs: Sequence[RunFigures], length: Seconds) -> CommandLine:
    """The same for longer; of a search, at the rate that it shows."""
    minutes = math.ceil(length / 60)
    longer = command_line.but(duration=f"{minutes}m")
    rate = next((run.rate_target for run in runs if run.rate_target), None)
    if not record.spec.find_rate or rate is None:
        return longer
    found = longer.but(find_rate=None, budget=None, rate=f"{float(f'{rate:.4g}'):g}")
    return found if found.has("--contender") else found.but(repeats=str(REPEATS))


_ADDS: dict[str, Callable[[CommandLine, LoadRecord, Sequence[RunFigures]], Iterator[CommandLine | str]]] = {
    codes.A8.code: _answers,
    codes.E4_ALLOWED.code: _uncontended,
    codes.E4_BLOCKER.code: _again,
    codes.E4_UNWATCHED.code: _watched,
    codes.E7_NOT_DURABLE.code: _durable,
    codes.E8_SAME_MACHINE.code: _elsewhere,
    codes.L2_CLOSED.code: _open,
    codes.L3_UNRESOLVED.code: _longer_search,
    codes.L4_LENGTH.code: _length,
    codes.L4_NOT_STEADY.code: _steady,
    codes.L9_TAIL.code: _tail,
    codes.T8_STOPPED.code: _again,
    codes.T10_RUN.code: _starts,
    codes.X_PUBLIC.code: _captured,
}
"""By the code of what is missing. E4.apart has none: whether the server is there, only another machine can show."""
