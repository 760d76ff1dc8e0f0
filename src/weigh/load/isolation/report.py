"""The isolation of a run, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.isolation.drawing import STYLE, cycle
from weigh.load.isolation.promises import NAMES
from weigh.load.isolation.words import explained, number, sql
from weigh.model.units import count, percent
from weigh.render.blocks import Fold, Lines, Listing, Part, Plot, Section, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.isolation.record import Anomaly, Example
    from weigh.load.isolation.results import IsolationFigures
    from weigh.render.blocks import Block

TITLE = "Isolation"
__all__ = ["STYLE", "sections", "unviolated", "verdict"]


def sections(runs: Sequence[IsolationFigures], number_of: int, kind: str) -> Iterator[Section]:
    """What is reported of one run, by its number, on a server of a kind; nothing of another workload."""
    yield from (Section(TITLE, _blocks(one, kind)) for one in runs if one.number == number_of)


def _blocks(run: IsolationFigures, kind: str) -> list[Block]:
    """The verdict, every anomaly, and an example of each with its picture."""
    found: list[Block] = [Lines([Part(f"{verdict(run)}.", "strong")], most=1000), Lines(list(_about(run)), most=1000)]
    rows = [
        (one.name, NAMES.get(one.name, one.name), number(one), "VIOLATES" if one in run.violations else "allowed")
        for one in (*run.violations, *run.allowed)
    ]
    if rows:
        found.append(words(("anomaly", "what it is", "found", f"at {run.declared}"), rows, label=TITLE))
    for one in (*run.violations, *run.allowed):
        found += _example(one, kind)
    return found


def unviolated(runs: Sequence[IsolationFigures]) -> list[str]:
    """The verdict on the first run, unless it was violated: that is among the wrong answers."""
    return [f"{verdict(one)}." for one in runs[:1] if one.outcome != "violated"]


def verdict(run: IsolationFigures) -> str:
    """In a sentence, without its full stop."""
    level = run.declared or "an unknown level"
    transactions = count(run.committed, "committed transaction")
    if run.outcome == "violated":
        names = ", ".join(one.name for one in run.violations)
        return f"{level} VIOLATED: {names}, in {transactions}"
    if run.outcome == "nothing to see":
        return f"Nothing is known of {level}: {run.unchecked or 'no transaction saw what another one wrote'}"
    share = (
        ""
        if run.bound is None
        else (f"; fewer than {percent(run.bound, 2)} of transactions like these show one (95 %, were each independent)")
    )
    return f"No violation of {level} was observed in {transactions}{share}"


def _about(run: IsolationFigures) -> Iterator[str]:
    named = ", ".join(f"{level} in {many:,}" for level, many in sorted(run.named.items()))
    yield (
        f"Named by the server inside the transactions: {named}."
        if named
        else ("The server names no level inside a transaction.")
    )
    if run.promise:
        yield f"What {run.declared} is here: {run.promise} ({run.source})."
    parts = [f"{count(run.aborted, 'attempt')} aborted", f"{run.unknown:,} of unknown outcome"]
    parts += [f"{count(run.retries, 'attempt')} given up by the server because of others, and made again"]
    yield f"{'; '.join(parts)}."
    if run.outcome == "not seen":
        yield (
            "It says nothing of predicates, of faults, of other shapes of transactions, or of what did not happen in "
            "this run: it is no proof of the level."
        )


def _example(one: Anomaly, kind: str) -> Iterator[Block]:
    for example in one.examples[:1]:
        lines = list(explained(example))
        picture = cycle(example)
        yield Lines([f"{one.name}, for example: {lines[0]}", *lines[1:]], indent=2, css="say", most=1000)
        if picture is not None:
            yield Plot(f"{NAMES.get(one.name, one.name)}", picture)
        yield Fold(f"{one.name}: statements", [Listing("\n".join(_statements(example, kind)))], tag="", css="")


def _statements(example: Example, kind: str) -> Iterator[str]:
    for at, witness in enumerate(example.transactions):
        yield f"-- {chr(ord('A') + at)}"
        yield "BEGIN;"
        yield from (f"{sql(moment, kind)};" for moment in witness.operations)
        yield "COMMIT;" if witness.outcome == "committed" else f"-- {witness.outcome}"
