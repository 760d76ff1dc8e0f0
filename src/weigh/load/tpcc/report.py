"""A run of TPC-C for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.units import count, percent, quantity, seconds
from weigh.render.blocks import Cell, Column, Fold, Group, Lines, Part, Row, Table, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.tpcc.results import TpccFigures, Transaction
    from weigh.render.blocks import Block, Content

TITLE = "TPC-C"
_KEPT = {True: "kept", False: "BROKEN", None: "not judged"}
_OUTCOME = {"broken": "BROKEN", "too few": "too few to tell"}


def blocks(run: TpccFigures) -> list[Block]:
    """Its figure, its transactions, its checks, and what it lacks."""
    below = [f"{_begun(one)}." for one in (*_asides(run), checked(run))]
    unmet = [
        (one.name, one.observed, one.wanted, _outcome(_OUTCOME[one.outcome]))
        for one in run.checks
        if one.outcome != "kept"
    ]
    headings = ("check that was broken, or seen too seldom", "seen", "wanted", "")
    return [
        Lines([Part(f"{_begun(figure(run))}.", "strong")]),
        _transactions(run),
        Lines(below, most=400),
        *([words(headings, unmet, label=TITLE)] if unmet else []),
        Fold("What it lacks of a run of TPC-C", [Lines(run.missing, listed=True)], tag="", css=""),
        Lines([f"missing for TPC-C: {one}" for one in run.missing], form="terminal"),
    ]


def _transactions(run: TpccFigures) -> Table:
    """A row for each; with its limit where users at terminals set one."""
    limited = run.terminals is not None
    rows = []
    for one in run.transactions:
        limit = (seconds(one.limit_s), _beyond(one), _outcome(_KEPT[one.met])) if limited else ()
        rows.append(Row([one.name, f"{one.count:,}", percent(one.share), _p90(one), *limit]))
    more = ("limit", "beyond it", "90 % within it") if limited else ()
    columns = [Column(one) for one in ("transaction", "answers", "share", "p90", *more)]
    return Table(columns, [Group("", rows)], label=TITLE)


def _outcome(word: str) -> Content:
    return Cell(word, "error") if word == "BROKEN" else word


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _asides(run: TpccFigures) -> Iterator[str]:
    if run.terminals is not None:
        yield (
            "a limit is kept where at most 10 % lie beyond it, by a 99 % bound; a Delivery's is that of its deferred "
            "work"
        )
    parts = [f"{count(run.retried, 'attempt')} given up by the server because of others, and made again"]
    parts += [f"{count(run.skipped, 'district')} had nothing to deliver"] if run.skipped else []
    yield "; ".join(parts)


def figure(run: TpccFigures) -> str:
    """Its figure, and how far it may go."""
    if run.per_second is None:
        return "no figure: the run is refused, or was too short for one"
    if run.tpmc is None:
        rate = f"{quantity(run.per_second)} transactions a second"
        return f"{rate}, derived from TPC-C; no tpmC, which needs users at terminals"
    share = percent(run.tpmc / run.most)
    return (
        f"{run.tpmc:,.1f} tpmC, derived from TPC-C: {share} of the {run.most:,.2f} that {run.terminals} users at "
        f"terminals of {count(run.warehouses, 'warehouse')} can reach"
    )


def limits(run: TpccFigures) -> str:
    """Which limits of the response time were kept; empty where no users at terminals set them."""
    if run.terminals is None:
        return ""
    names = {outcome: [one.name for one in run.transactions if one.met is outcome] for outcome in _KEPT}
    sentences = [
        f"{_KEPT[outcome]} {'for' if outcome is None else 'by'} {', '.join(of)}" for outcome, of in names.items() if of
    ]
    return f"response limits {'; '.join(sentences)}" if sentences else ""


def checked(run: TpccFigures) -> str:
    """How many checks were kept."""
    passed = sum(one.outcome == "kept" for one in run.checks)
    read = f"the tables were not read back ({run.unread})" if run.unread else "the tables were read back"
    return (
        f"{passed} of {count(len(run.checks), 'check')} of mix, draws and work kept, {len(run.broken)} broken; {read}"
    )


def _p90(one: Transaction) -> str:
    if one.p90 is not None:
        return seconds(one.p90)
    return f"not resolved, saw {seconds(one.empirical)}" if one.empirical is not None else "-"


def _beyond(one: Transaction) -> str:
    slow = one.slow
    if slow.beyond:
        return f"{slow.beyond:,} ({percent(slow.share)}; {percent(slow.low)} to {percent(slow.high)})"
    return "none" if slow.count else "-"
