"""What differs between two servers besides their names: kind of store, version, settings, place, encryption. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.record import LoadRecord
    from weigh.load.runs import TargetRead
    from weigh.model.finding import Finding

_LISTED = 6
"""Settings that a text names; the JSON of each load has them all."""
_STORE = {
    "clickhouse": "columnar",
    "cql": "wide-column",
    "http": "HTTP",
    "mysql": "relational",
    "postgres": "relational",
    "redis": "key-value",
    "sqlite": "relational",
}


def differences(record: LoadComparisonRecord, contender: str) -> Iterator[Finding]:
    """What differs between a contender and the baseline, each once; nothing where one of them was not reached."""
    base = record.spec.baseline
    own, other = record.loads.get(contender), record.loads.get(base)
    if own is None or other is None or own.environment is None or other.environment is None:
        return
    mine, its = own.environment.target, other.environment.target
    if _STORE.get(mine.kind) != _STORE.get(its.kind):
        yield codes.E6_SERVERS.finding(
            "warning",
            contender=contender,
            text=f"it is a {_STORE.get(mine.kind)} store, and {base} a {_STORE.get(its.kind)} one: one pays for "
            "transactions and constraints that the other does not have, and this load asks for none",
            remedy="read the ratio as the price of what the store does, and not as how well it does it",
        )
    if (mine.product, mine.version) != (its.product, its.version):
        yield codes.E6_SERVERS.finding(
            "note",
            contender=contender,
            text=f"{mine.product} {mine.version}, and {base} is {its.product} {its.version}",
            remedy="nothing is to be done where the version is what you compare",
        )
    if mine.product == its.product:
        yield from _settings(record, contender, mine, its)
    yield from _places(own, other, contender, base)


def _settings(record: LoadComparisonRecord, contender: str, mine: TargetRead, its: TargetRead) -> Iterator[Finding]:
    """Settings of one product that read differently: those that were declared, defaults of the versions, and others."""
    base = record.spec.baseline
    settings = {name for one in (contender, base) for name in _declared(record.spec.contender(one).target)}
    declared, defaults, others = [], [], []
    for name in sorted(mine.in_force.keys() | its.in_force.keys()):
        own, other = mine.in_force.get(name), its.in_force.get(name)
        # What one of them does not list is as it is by default there.
        values = [one.get("value") if one else None for one in (own, other)]
        if values[0] == values[1]:
            continue
        text = f"{name} is {_printed(values[0])}, and {_printed(values[1])} on {base}"
        if name in settings:
            declared.append(text)
        elif all(one is None or one.get("value") == one.get("default") for one in (own, other)):
            defaults.append(text)
        else:
            others.append(text)
    if others:
        yield codes.E6_SERVERS.finding(
            "warning",
            contender=contender,
            text=f"{count(len(others), 'setting')} differ that nobody declared: {_listed(others)}",
            remedy="give both the same, or name the setting in the target (?NAME=VALUE) if it is what you compare",
        )
    if declared:
        yield codes.E6_SERVERS.finding(
            "note", contender=contender, text=_listed(declared), remedy="it is declared: it is what you compare"
        )
    if defaults:
        yield codes.E6_SERVERS.finding(
            "note",
            contender=contender,
            text=f"defaults that differ: {_listed(defaults)}",
            remedy="set them in the targets if the versions are to be compared without them",
        )


def _declared(target: str) -> set[str]:
    return {name for name, _ in parse_qsl(target.partition("?")[2], keep_blank_values=True)}


def _printed(value: object) -> str:
    return "not told" if value is None else str(value)


def _listed(texts: list[str]) -> str:
    more = len(texts) - _LISTED
    return "; ".join(texts[:_LISTED]) + (f"; and {more} more" if more > 0 else "")


def _places(own: LoadRecord, other: LoadRecord, contender: str, base: str) -> Iterator[Finding]:
    """What lies elsewhere, or is asked in another way."""
    assert own.environment is not None
    assert other.environment is not None
    mine, its = own.environment.target, other.environment.target
    parts = []
    if mine.same_host != its.same_host:
        where = {True: "on the generator's machine", False: "on another machine", None: "nobody knows where"}
        parts.append(f"it runs {where[mine.same_host]}, and {base} {where[its.same_host]}")
    if mine.tls != its.tls:
        parts.append(f"it is asked {_way(mine)}, and {base} {_way(its)}")
    places = [one.environment.storage if one.environment else None for one in (own, other)]
    if places[0] and places[1] and places[0].on != places[1].on:
        parts.append(f"its data lies on {places[0].on}, and that of {base} on {places[1].on}")
    if mine.embedded != its.embedded:
        parts.append(
            f"{contender if mine.embedded else base} was started by weigh with fresh data, and the other was not"
        )
    for text in parts:
        yield codes.E6_SERVERS.finding(
            "warning", contender=contender, text=text, remedy="put both in the same place, and ask them in the same way"
        )


def _way(target: TargetRead) -> str:
    return {"off": "in clear", "require": "over TLS", "verify": "over TLS"}.get(str(target.tls), "over a local socket")


def is_durable(record: LoadComparisonRecord, contender: str) -> str:
    """Whether a contender keeps acknowledged writes, in a word or two."""
    load = record.loads.get(contender)
    known = load.durable if load else None
    return {True: "durable", False: "NOT DURABLE", None: "durability not known"}[known]
