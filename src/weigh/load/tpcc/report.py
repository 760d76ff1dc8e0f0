"""A run of TPC-C for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.model.units import count, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.tpcc.results import TpccFigures, Transaction

TITLE = "TPC-C"
_KEPT = {True: "kept", False: "BROKEN", None: "not judged"}
_OUTCOME = {"broken": "BROKEN", "too few": "too few to tell"}


def lines(run: TpccFigures) -> Iterator[str]:
    """What is said of it."""
    yield figure(run)
    for one in run.transactions:
        yield _transaction(one, limited=run.terminals is not None)
    yield from _asides(run)
    yield checked(run)
    for check in run.broken:
        yield f"{check.name}: {check.seen}; wanted {check.wanted}: {_OUTCOME[check.outcome]}"
    if few := [check.name for check in run.checks if check.outcome == "too few"]:
        yield f"seen too seldom to tell: {'; '.join(few)}"
    yield from (f"missing for TPC-C: {one}" for one in run.missing)


class Section(NamedTuple):
    """The same for a page.

    Attributes:
        figure: its figure, and how far it may go.
        transactions: name, answers, share, 90th percentile, limit, how many lie beyond it, and whether it was kept of
            each; without the last three where no users at terminals set limits.
        limited: whether they do.
        asides: sentences.
        checked: how many checks were kept.
        checks: what is not kept: name, what was seen, what was wanted, and the outcome.
        missing: what it lacks of a run of TPC-C.
    """

    figure: str
    transactions: tuple[tuple[str, ...], ...]
    limited: bool
    asides: tuple[str, ...]
    checked: str
    checks: tuple[tuple[str, str, str, str], ...]
    missing: tuple[str, ...]


def section(run: TpccFigures) -> Section:
    """What is said of it on a page."""
    limited = run.terminals is not None
    rows = tuple(
        (
            one.name,
            f"{one.count:,}",
            percent(one.share),
            _p90(one),
            *((seconds(one.limit_s), _beyond(one), _KEPT[one.kept]) if limited else ()),
        )
        for one in run.transactions
    )
    return Section(
        figure=figure(run),
        transactions=rows,
        limited=limited,
        asides=tuple(_asides(run)),
        checked=checked(run),
        checks=tuple(
            (one.name, one.seen, one.wanted, _OUTCOME[one.outcome]) for one in run.checks if one.outcome != "kept"
        ),
        missing=run.missing,
    )


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
        return (
            f"{run.per_second:,.4g} transactions a second, derived from TPC-C; no tpmC, which needs users at terminals"
        )
    share = percent(run.tpmc / run.most)
    return (
        f"{run.tpmc:,.1f} tpmC, derived from TPC-C: {share} of the {run.most:,.2f} that {run.terminals} users at "
        f"terminals of {count(run.warehouses, 'warehouse')} can reach"
    )


def limits(run: TpccFigures) -> str:
    """Which limits of the response time were kept; empty where no users at terminals set them."""
    if run.terminals is None:
        return ""
    names = {outcome: [one.name for one in run.transactions if one.kept is outcome] for outcome in _KEPT}
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


def _transaction(one: Transaction, *, limited: bool) -> str:
    share = f" ({percent(one.share)})" if one.share is not None else ""
    if not one.slow.count:
        return f"{one.name}: {one.count:,}{share}"
    limit = f"; {_beyond(one)} beyond {seconds(one.limit_s)}: {_KEPT[one.kept]}" if limited else ""
    return f"{one.name}: {one.count:,}{share}, p90 {_p90(one)}{limit}"


def _p90(one: Transaction) -> str:
    if one.p90 is not None:
        return seconds(one.p90)
    return f"not resolved, saw {seconds(one.seen)}" if one.seen is not None else "-"


def _beyond(one: Transaction) -> str:
    slow = one.slow
    if slow.beyond:
        return f"{slow.beyond:,} ({percent(slow.share)}; {percent(slow.low)} to {percent(slow.high)})"
    return "none" if slow.count else "-"
