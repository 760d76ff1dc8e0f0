"""An anomaly in words that people can follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.isolation.workload import TABLE
from weigh.model.units import count, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.isolation.record import Anomaly, Example, Moment, Step, Witness

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(place: int) -> str:
    """What a transaction of an example is called: ``A``, ``B``."""
    return _LETTERS[place] if place < len(_LETTERS) else f"T{place + 1}"


def number(one: Anomaly) -> str:
    """How often it was found."""
    return f"{one.count:,}" if one.counted else f"at least {one.count:,}"


def statement(one: Moment) -> str:
    """What was sent, and what came back."""
    if one.kind in ("append", "write"):
        how = f"append {one.value} to" if one.kind == "append" else f"write {one.value} to"
        return f"{how} {one.key}"
    if one.kind == "register":
        return f"read {one.key}: {'nothing' if one.value is None else one.value}"
    if one.list is None:
        return f"read {one.key}: no answer"
    elements = ",".join(map(str, one.list))
    return f"read {one.key}: [{'..., ' if one.before else ''}{elements}]"


_UPDATE, _UPDATE_OF_MYSQL = "ON CONFLICT (k) DO UPDATE SET v =", "ON DUPLICATE KEY UPDATE v ="
_NEW = {
    "append": f"{_UPDATE} {TABLE}.v || ',' || excluded.v",
    "write": f"{_UPDATE} excluded.v",
}
_NEW_OF_MYSQL = {
    "append": f"{_UPDATE_OF_MYSQL} concat(v, ',', values(v))",
    "write": f"{_UPDATE_OF_MYSQL} values(v)",
}


def sql(one: Moment, kind: str) -> str:
    """The statement that was sent to a server of a kind, without what it answered."""
    if one.kind in ("append", "write"):
        new = (_NEW_OF_MYSQL if kind == "mysql" else _NEW)[one.kind]
        return f"INSERT INTO {TABLE} (k, v) VALUES ({one.key}, '{one.value}') {new}"
    return f"SELECT v FROM {TABLE} WHERE k = {one.key}"


def transaction(place: int, one: Witness) -> str:
    """A transaction in one sentence."""
    statements = "; ".join(statement(moment) for moment in one.operations)
    outcome = "" if one.outcome == "committed" else f", {one.outcome}"
    return f"{letter(place)} (transaction {one.number:,}, connection {one.process:,}{outcome}): {statements}"


def step(one: Step, example: Example) -> str:
    """Why one comes before the other."""
    first, second = letter(one.from_), letter(one.to)
    # What A did after B's end, A's own name for it.
    if one.kind == "rt":
        return f"{second} began {seconds(one.gap_s or 0.0)} after {first} had ended"
    if one.kind == "ww":
        return f"{second} wrote {one.second} to {one.key} after {first}'s {one.first}"
    if one.kind == "wr":
        return f"{second} read {one.key} with {first}'s {one.first}"
    until = f"up to {one.first}" if one.first is not None else "empty"
    return f"{first} read {one.key} {until}, without {second}'s {one.second}"


def explained(one: Example) -> Iterator[str]:
    """The transactions, then why they cannot have come one after the other."""
    for place, witness in enumerate(one.transactions):
        yield transaction(place, witness)
    if one.steps:
        reasons = "; ".join(step(each, one) for each in one.steps)
        yield f"So each comes before the next, and the last before the first: {reasons}"
    elif one.element is not None:
        yield f"What is meant is {one.element} in {one.key}"


def summary(found: tuple[Anomaly, ...]) -> str:
    """Names with numbers, in one line."""
    return ", ".join(f"{one.name} {number(one)}" for one in found)


def of(number_of: int) -> str:
    """``1 transaction``."""
    return count(number_of, "transaction")
