"""What the server's sessions waited for, for people and as a part of the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from markupsafe import Markup

from weigh.load.waits.analysis import LEAST_LOOKS, Root, RunWaited
from weigh.load.waits.model import CPU
from weigh.model.text import one_line
from weigh.model.units import count, percent, seconds
from weigh.render.blocks import Cell, Column, Group, Lines, Part, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.waits.analysis import Hot, Share
    from weigh.load.waits.model import Blocked
    from weigh.render.blocks import Block

ROWS = ("transactionid", "tuple", "row")
"""Types of lock that a session waits for when another one has changed the row that it wants."""
_SHARES = 6
"""Wait events that are reported in words; the JSON has them all."""
_STATEMENTS = 20
"""Statements that the JSON has of a run, the most active first."""
TITLE = "What the server's sessions waited for"
_HIDDEN = "a statement that this user may not see"
_MEANS = {
    CPU: "computing, or ready to",
    "Lock:transactionid": "for the transaction that changed the same row",
    "Lock:tuple": "in the queue for a row",
    "Lock:relation": "for a lock on a table",
    "Lock:extend": "to make a table's file longer",
    "LWLock:WALWrite": "for another session to write the log",
    "LWLock:WALInsert": "for room in the log's buffers",
    "LWLock:BufferContent": "for a page in memory",
    "LWLock:LockManager": "for the table of locks",
    "IO:WALSync": "for the log to be on the disk",
    "IO:WALWrite": "for the log to be written",
    "IO:WalSync": "for the log to be on the disk",
    "IO:WalWrite": "for the log to be written",
    "IO:DataFileRead": "for a page from a table's file",
    "Client:ClientRead": "for the client",
    "Client:ClientWrite": "for the client to take the answer",
    "Lock:row": "for the transaction that holds the same row",
    "Lock:table metadata": "for a transaction that uses the table whose form is to change",
    "Stage:Commit": "committing: its log written, and forced to the disk where the settings say so",
    "Stage:Reading from net": "for the client",
    "Stage:Sending data": "reading and computing rows",
    "Stage:Statistics": "reading pages to plan, and a row by its key",
    "Stage:Update": "inserting rows, or about to",
    "Stage:Updating": "finding rows and changing them",
    "Stage:Updating status": "ending, which commits a statement that is a transaction of its own",
    "Stage:Writing to net": "for the client to take the answer",
    "Stage:none named": "between two stages, or beginning",
}
"""In words, after PostgreSQL's documentation, "The Cumulative Statistics System", tables of wait events; and after
"Thread States" of MySQL's and MariaDB's."""


def blocks(one: RunWaited) -> list[Block]:
    """In sentences; a page has a table of the wait events instead of the first one."""
    found = list(lines(one))
    if not one.shares:
        return [Lines(found, indent=2, most=1000)]
    rows = []
    for share in one.shares:
        means = (Markup("<br>"), Part(_MEANS[share.event], "small")) if share.event in _MEANS else ()
        event = one_line(share.event, 80)
        rows.append(
            Row([Cell(event, page=(event, *means)), percent(share.share), _interval(share), f"{share.samples:,}"])
        )
    columns = [Column(name) for name in ("wait event", "share of active samples", "95 % interval", "samples")]
    return [
        Lines(found, indent=2, most=1000, form="terminal"),
        Lines([_samples(one)], css="muted", form="page"),
        Table(columns, [Group("", rows)], css="lines pc", label=None, form="page"),
        Lines(found[1:], most=1000, form="page"),
    ]


def lines(one: RunWaited) -> Iterator[str]:
    """The sentences, that of the wait events first."""
    if one.looks and not one.connections:
        yield (
            "None of the server's sessions was recognised as the load's: they call themselves 'weigh load', unless "
            "something between the two gives them another name."
        )
        return
    yield _events(one) if one.looks else "No look fell into the part of the run that counts."
    if one.waits:
        yield from _locks(one)
    elif one.resolved:
        yield "No session was observed waiting for a lock."
    if one.idle_in_transaction:
        share = percent(one.idle_in_transaction / one.connections)
        yield f"{share} of the connections were inside a transaction and waited for the client to go on."
    busy = [f"{name} (in {count(times, 'look')})" for name, times in one.vacuuming.items()]
    if one.checkpoints:
        busy.insert(0, count(one.checkpoints, "checkpoint"))
    if busy:
        yield f"Meanwhile in the server: {'; '.join(busy)}."
    yield _cost(one)


def _samples(one: RunWaited) -> str:
    return f"{count(one.active, 'active sample')} in {count(one.looks, 'look')}, {one.met:,} of which met any"


def _events(one: RunWaited) -> str:
    behind = _samples(one)
    if not one.resolved:
        return f"Not resolved by {behind}: {LEAST_LOOKS} have to. Measure longer, or at a higher rate."
    shares = ", ".join(_share(share) for share in one.shares[:_SHARES])
    more = len(one.shares) - _SHARES
    few = "" if any(share.low is not None for share in one.shares) else " So few looks give the shares no interval."
    return f"{behind}: {shares}" + (f", and {count(more, 'other event')}." if more > 0 else ".") + few


def _share(one: Share) -> str:
    parts = [part for part in (_interval(one), _MEANS.get(one.event, "")) if part]
    return f"{percent(one.share)} {one.event}" + (f" ({', '.join(parts)})" if parts else "")


def _interval(one: Share) -> str:
    return "" if one.low is None or one.high is None else f"{percent(one.low)} to {percent(one.high)}"


def _locks(one: RunWaited) -> Iterator[str]:
    if one.lock:
        yield f"Hottest lock: {lock(one.lock)}."
    if one.table:
        yield f"Hottest table: {table(one.table)}."
    else:
        yield f"Of none of the {count(one.waits, 'wait')} a table is known."
    (first, *_) = one.roots
    yield f"In the way most often: {root(first)}, in {first.samples:,} of {count(one.waits, 'wait')}."
    if one.longest:
        yield f"Longest wait seen: {seconds(one.longest.longest_s)} {_wait(one.longest)}."
    if one.deepest and one.deepest.ahead > 1:
        yield f"Longest queue seen: {count(one.deepest.ahead, 'session')} before one {_wait(one.deepest)}."


def lock(one: Hot) -> str:
    """The hottest lock."""
    of = f", of a row of {one.table}" if one.lock in ROWS else f" of {one.table}"
    of = of if one.table else ""
    return f"{one.mode} on {one.lock}{of}, {_of(one)}"


def table(one: Hot) -> str:
    """The hottest table, and how that is known."""
    how = {
        "lock": "{} by the lock",
        "row": "{} by the lock on the row",
        "held": "{} as the only table that the waiting transaction changes",
        "statement": "{} as the one of these that the waiting statement names",
    }
    ways = [how[way].format(f"{times:,}") for way, times in sorted(one.sources.items(), key=lambda pair: -pair[1])]
    return f"{one.table}, {_of(one)}: known {', '.join(ways)}"


def _of(one: Hot) -> str:
    share = f" ({percent(one.samples / one.of, 0)})" if one.of >= LEAST_LOOKS else ""
    return f"{one.samples:,} of {count(one.of, 'wait')} for a lock{share}"


def root(one: Root) -> str:
    """Who stands in the way."""
    if one.whose == "prepared":
        return "a prepared transaction that nobody has committed or rolled back"
    if not one.whose:
        return "somebody who was gone when the server was asked who"
    whose = {"load": "of this load", "server": f"of the server itself ({one_line(one.name, 80)})"}
    who = whose.get(one.whose, f"of somebody else ({one_line(one.name, 80) or 'without a name'})")
    hidden = "a transaction whose last statement is not told" if one.state.startswith("idle") else _HIDDEN
    what = f'"{one_line(one.statement, 200)}"' if one.statement else hidden
    return f"{what}, a session {who}" + (f", {one.state}" if one.state else "")


def _wait(one: Blocked) -> str:
    of = (" of a row" if one.lock in ROWS else "") + (f" of {one.table}" if one.table else "")
    head = Root(statement=one.root, state=one.root_state, whose=one.root_whose, name=one.root_name, samples=one.times)
    before = f"; at the head of the queue {root(head)}" if one.root_whose else ""
    return f'by "{one_line(one.statement, 200)}" for {one.mode} on {one.lock}{of}{before}'


def _cost(one: RunWaited) -> str:
    used = one.cpu_s + (one.server_cpu_s or 0.0)
    share = f", {percent(used / one.seconds)} of one CPU" if one.seconds else ""
    server = (
        f" and {seconds(one.server_cpu_s)} in the server{share}"
        if one.server_cpu_s is not None
        else "; that of its session in the server cannot be read"
    )
    return (
        f"Looking took {seconds(one.query_s)} of waiting for the server's answers, the longest "
        f"{seconds(one.longest_look_s)}, and CPU: {seconds(one.cpu_s)} in the sampler{server}."
    )


class WaitsDocument(RunWaited, frozen=True, kw_only=True):
    """``waits`` of a run in the JSON document.

    Attributes:
        lock_waits: waits for locks that were observed.
    """

    lock_waits: int


def document(one: RunWaited) -> WaitsDocument:
    """What sessions waited for in a run, as the JSON document has it: the first statements."""
    fields = {**msgspec.structs.asdict(one), "statements": one.statements[:_STATEMENTS]}
    return WaitsDocument(**fields, lock_waits=one.waits)
