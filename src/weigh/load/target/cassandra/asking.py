"""What a cluster says of itself, asked by weigh's own generator: there is no driver to install."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.generator_errors import call
from weigh.load.runs import TargetRead
from weigh.load.target.cassandra.replicas import durability_unread, replicas, undurable
from weigh.model.errors import EngineFault
from weigh.model.units import count

if TYPE_CHECKING:
    from weigh.load.target.cassandra.address import Address
    from weigh.load.target.cassandra.replicas import Replicas

_PATIENCE = 20.0
_LONGEST = 200
_DEFAULTS = {
    "authenticator": None,
    "commitlog_sync": "periodic",
    "commitlog_sync_period": "10000ms",
    "commitlog_sync_group_window": None,
    "concurrent_reads": "32",
    "concurrent_writes": "32",
    "endpoint_snitch": None,
    "hinted_handoff_enabled": "true",
    "memtable_heap_space": None,
    "num_tokens": "16",
    "read_request_timeout": "5000ms",
    "write_request_timeout": "2000ms",
}
"""Settings that decide what a request costs and what a write survives, with the defaults of Cassandra 5.0."""
_LOCAL = "SELECT release_version, cluster_name, data_center FROM system.local"
_PEERS = "SELECT peer FROM system.peers"
_SCYLLA = "SELECT version FROM system.versions"
_SETTINGS = "SELECT name, value FROM {table} WHERE name IN ({names})"
_TABLES = {"Cassandra": "system_views.settings", "ScyllaDB": "system.config"}


class _Answer(msgspec.Struct):
    kind: str
    rows: list[list[str | None]] = []
    code: str = ""
    text: str = ""


class _Answered(msgspec.Struct):
    script: str
    answer: _Answer


def described(address: Address, *, here: bool | None, tls: str) -> TargetRead:
    """The cluster as it describes itself.

    Args:
        address: of it.
        here: whether its first node answers at an address of this machine.
        tls: how far TLS goes.

    Raises:
        EngineFault: no node of it answers, or it refuses the user or the keyspace.
    """
    keyspace = address.keyspace.replace("'", "''")
    local, peers, scylla, keyspaces = _ask(
        address,
        [
            _LOCAL,
            _PEERS,
            _SCYLLA,
            f"SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = '{keyspace}'",
        ],
    )
    product = "ScyllaDB" if scylla.rows else "Cassandra"
    release, cluster, data_center = (*_row(local), "", "", "")[:3]
    version = _row(scylla)[0] if scylla.rows else release
    names = ", ".join(f"'{name}'" for name in _DEFAULTS)
    (read,) = _ask(address, [_SETTINGS.format(table=_TABLES[product], names=names)])
    settings = {str(name): str(value)[:_LONGEST] for name, value in read.rows}
    replication, durable_writes = (*_row(keyspaces), "", "")[:2]
    meaning = replicas(address.levels["consistency"], replication, data_center)
    level = address.levels["consistency"]
    if meaning and meaning.answering > meaning.of:
        raise EngineFault(
            f"?consistency={level} needs {count(meaning.answering, 'replica')}, and the keyspace has {meaning.of}: "
            "every request would be refused",
            remedy="declare a level that needs fewer (QUORUM, ONE), or raise the replication of the keyspace",
        )
    found = undurable(settings, durable_writes)
    unread = "" if settings.get("commitlog_sync") else read.text[:_LONGEST] or f"{_TABLES[product]} has none"
    unread = unread or durability_unread(settings, durable_writes)
    in_force: dict[str, dict[str, Any]] = {
        "consistency": {"value": level, "default": "LOCAL_ONE"},
        "serial_consistency": {"value": address.levels["serial_consistency"], "default": "SERIAL"},
        "replication": {"value": replication[:_LONGEST], "default": None},
        "durable_writes": {"value": durable_writes.lower(), "default": "true"},
        "nodes": {"value": str(1 + len(peers.rows)), "default": None},
        "nodes loaded": {"value": str(1 + len(address.nodes)), "default": None},
        "cluster_name": {"value": cluster[:_LONGEST], "default": None},
    }
    in_force |= {
        name: {"value": settings[name], "default": default} for name, default in _DEFAULTS.items() if name in settings
    }
    return TargetRead(
        kind="cql",
        product=product,
        version=version[:_LONGEST] or "?",
        embedded=False,
        same_host=here,
        in_force=in_force,
        undurable=tuple(found),
        durable=False if found else None if unread else True,
        unread=unread,
        tls=tls,
        consistency=str(meaning) if meaning else level,
        stale=_stale(level, meaning),
    )


def _stale(level: str, meaning: Replicas | None) -> str | msgspec.UnsetType:
    if meaning is None:
        return f"{level}, and how many replicas there are is not known"
    if meaning.meets:
        return msgspec.UNSET
    return f"{level}: {meaning.answering} of {meaning.of} replicas answer a read, and {meaning.answering} a write"


def _row(answer: _Answer) -> list[str]:
    return [one or "" for one in answer.rows[0]] if answer.rows else []


def _ask(address: Address, statements: list[str]) -> list[_Answer]:
    """The answers to statements that only read; one that is refused has no rows.

    Raises:
        EngineFault: no node answers, or it refuses the login.
    """
    from weigh._native import Load

    scripts = [{"name": str(place), "text": f"{text};", "weight": 1} for place, text in enumerate(statements)]
    settings = {
        # One replica suffices to be asked what a node knows of itself.
        "target": {**address.connect(), "settings": {"consistency": "ONE"}},
        "workload": {"kind": "script", "scripts": scripts, "seed": 0, "prepared": False},
        "arrivals": {"kind": "closed"},
        "duration_s": 1.0,
        "connections": 1,
        "threads": 1,
        "max_in_flight": 1,
        "timeout_s": _PATIENCE,
        "interval_s": 1.0,
    }
    generator = call(Load, msgspec.json.encode(settings).decode())
    found = {one.script: one.answer for one in msgspec.json.decode(call(generator.ask, 1), type=list[_Answered])}
    return [found.get(str(place), _Answer(kind="error")) for place in range(len(statements))]
