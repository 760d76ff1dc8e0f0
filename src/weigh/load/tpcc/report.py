"""A run of TPC-C for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.units import count, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.tpcc.results import TpccFigures, Transaction

TITLE = "TPC-C"


def lines(run: TpccFigures) -> Iterator[str]:
    """What is said of it."""
    yield figure(run)
    for one in run.transactions:
        yield _transaction(one, limited=run.terminals is not None)
    deferred = "a Delivery is answered when it is queued: its time is that of its deferred work"
    if run.terminals is not None:
        yield f"{deferred}; tpmC counts committed New-Orders"
    said = [f"{count(run.retried, 'attempt')} given up by the server because of others, and made again"]
    said += [f"{run.skipped:,} districts had nothing to deliver"] if run.skipped else []
    yield "; ".join(said)
    yield checked(run)
    for check in run.checks:
        if check.outcome != "kept":
            word = "BROKEN" if check.outcome == "broken" else "too few to tell"
            yield f"  {check.name}: {check.seen}; wanted {check.wanted}: {word}"
    yield "missing for TPC-C: " + "; ".join(run.missing)


def figure(run: TpccFigures) -> str:
    """Its figure, and how far it may go."""
    if run.per_second is None:
        return "no figure"
    if run.tpmc is None:
        return (
            f"{run.per_second:,.4g} transactions a second, derived from TPC-C; no tpmC, which needs users at terminals"
        )
    share = percent(run.tpmc / run.most)
    return (
        f"{run.tpmc:,.1f} tpmC, derived from TPC-C: {share} of the {run.most:,.2f} that {run.terminals} users at "
        f"terminals of {count(run.warehouses, 'warehouse')} can reach"
    )


def checked(run: TpccFigures) -> str:
    """How many checks were kept."""
    kept = sum(one.outcome == "kept" for one in run.checks)
    few = sum(one.outcome == "too few" for one in run.checks)
    read = f"the tables were not read back ({run.unread})" if run.unread else "the tables were read back"
    said = f"{kept} of {count(len(run.checks), 'check')} of mix, draws and work kept, {len(run.broken)} broken"
    return said + (f", {few} seen too seldom to tell" if few else "") + f"; {read}"


def _transaction(one: Transaction, *, limited: bool) -> str:
    share = f" ({percent(one.share)})" if one.share is not None else ""
    p90 = "not resolved" if one.p90 is None else seconds(one.p90)
    verdict = {True: "kept", False: "BROKEN", None: "not judged"}[one.kept]
    limit = f", limit {seconds(one.limit_s)}: {verdict}" if limited else ""
    return f"{one.name}: {one.count:,}{share}, p90 {p90}{limit}"
