"""URLs of clusters: several nodes in the place of one host, and the consistency levels behind the question mark."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from weigh.load.target.url import Url, parse
from weigh.model.errors import UsageError, nearest

SCHEMES = ("cassandra://", "scylla://")
LEVELS = ("ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "EACH_QUORUM", "LOCAL_ONE")
"""Levels that both reads and writes may have."""
SERIAL_LEVELS = ("SERIAL", "LOCAL_SERIAL")
USUAL = {"consistency": "LOCAL_ONE", "serial_consistency": "SERIAL"}
"""Without a word, as drivers have them."""
_NODE = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:,]+)(?::(?P<port>\d{1,5}))?")
_FORM = "write cassandra://HOST,HOST2:PORT/KEYSPACE?consistency=QUORUM"


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """Where a cluster is, and at which levels it is asked.

    Attributes:
        url: of its first node; its text names all of them.
        nodes: host and port of the others.
        levels: ``consistency`` and ``serial_consistency``.
    """

    url: Url
    nodes: tuple[tuple[str, int], ...]
    levels: dict[str, str]

    @property
    def keyspace(self) -> str:
        """Where the tables are."""
        return self.url.database or ""

    def connect(self) -> dict[str, Any]:
        """As the generator takes it."""
        nodes = [{"host": host, "port": port} for host, port in self.nodes]
        return {**self.url.connect(), "nodes": nodes, "settings": self.levels}


def address(text: str) -> Address:
    """Take the URL of a cluster apart.

    Raises:
        UsageError: it is none, or names no keyspace, or a level that there is not.
    """
    scheme, _, rest = text.partition("://")
    end = min((found for mark in "/?#" if (found := rest.find(mark)) >= 0), default=len(rest))
    place, behind = rest[:end], rest[end:]
    login, at, hosts = place.rpartition("@")
    nodes = _nodes(hosts)
    path, _, query = behind.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    levels = {name: _level(name, given.get(name, usual)) for name, usual in USUAL.items()}
    others = "&".join(one for one in query.split("&") if one and one.partition("=")[0] not in USUAL)
    (host, port), *more = nodes
    url = parse(f"{scheme}://{login}{at}{host}:{port}{path}{'?' + others if others else ''}")
    if not url.database:
        raise UsageError(
            "the target's URL names no keyspace",
            where=url.text,
            remedy=f"{_FORM}; make it first: CREATE KEYSPACE weigh WITH replication = {{'class': "
            "'NetworkTopologyStrategy', 'replication_factor': 3}",
        )
    if url.tls.mode == "verify" and more:
        raise UsageError(
            "sslmode=verify-full checks that a certificate is for the host of the URL, and this one names several",
            remedy="take sslmode=require, or name one node",
        )
    user = f"{login.split(':', 1)[0]}@" if at and login.split(":", 1)[0] else ""
    rest = urlsplit(url.text).query
    named = "&".join([*(f"{name}={levels[name]}" for name in USUAL if name in given), *([rest] if rest else [])])
    text = f"{scheme}://{user}{hosts}{path}{'?' + named if named else ''}"
    return Address(
        url=msgspec.structs.replace(url, text=text),
        nodes=tuple((name.strip("[]"), number) for name, number in more),
        levels=levels,
    )


def _nodes(hosts: str) -> list[tuple[str, int]]:
    """Host and port of each; the last port is that of all that have none.

    Raises:
        UsageError: one of them is none.
    """
    found = [_NODE.fullmatch(one) for one in hosts.split(",")]
    ports = [int(one["port"]) for one in found if one and one["port"]]
    if not all(found) or not all(1 <= port <= 65535 for port in ports):
        # Without the text: what stands before an @ that is missing may be a password.
        raise UsageError("the target's URL names a node that is none", remedy=_FORM)
    usual = ports[-1] if ports else 9042
    nodes = [(one["host"], int(one["port"] or usual)) for one in found if one]
    if len(set(nodes)) < len(nodes):
        raise UsageError("the target's URL names a node twice", remedy="name each node once")
    return nodes


def _level(name: str, given: str) -> str:
    level, known = given.upper(), SERIAL_LEVELS if name == "serial_consistency" else LEVELS
    if level not in known:
        what = "serial level" if known is SERIAL_LEVELS else "level that reads and writes can both have"
        raise UsageError(
            f"{name}={given} is no {what}",
            remedy=nearest(level, known),
        )
    return level
