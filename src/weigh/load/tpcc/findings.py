"""What is found in a run that says it is TPC-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.tpcc.checks import ERROR
from weigh.load.tpcc.terminals import MOST
from weigh.model import codes
from weigh.model.units import percent, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.tpcc.checks import Check
    from weigh.load.tpcc.results import TpccFigures
    from weigh.model.finding import Finding


def findings(runs: Sequence[TpccFigures]) -> Iterator[Finding]:
    """Everything that is found."""
    for run in runs:
        name = f"run {run.number}: " if len(runs) > 1 else ""
        yield from _broken(run, name)
        if run.too_fast and run.tpmc is not None:
            yield codes.L5_PACE.finding(
                text=f"{name}{run.tpmc:,.1f} tpmC is more than {run.most:,.2f}, which the times of {run.terminals} "
                f"users allow ({MOST} a warehouse): somebody did not type or think",
                remedy="it is no run of TPC-C: see who else orders in these tables",
            )
        slow = [one for one in run.transactions if one.met is False]
        if slow and run.terminals:
            kinds = [
                f"{one.name} {percent(one.slow.share)} of {one.slow.count:,} (limit {seconds(one.limit_s)}; at least "
                f"{percent(one.slow.low)} by a 99 % bound)"
                for one in slow
            ]
            yield codes.L3_LIMIT.finding(
                text=f"{name}more than 10 % of the answers took longer than TPC-C allows: {'; '.join(kinds)}. Its tpmC "
                "does not count",
                remedy="fewer --warehouses, or a faster server",
            )
        if run.unread:
            yield codes.L5_UNREAD.finding(
                text=f"{name}the tables could not be read back ({run.unread}): mix and draws are the generator's word",
                remedy="let the user of the load read them",
            )


def _broken(run: TpccFigures, name: str) -> Iterator[Finding]:
    for subject, code, remedy in (
        ("mix", codes.L5_MIX, "it is no run of TPC-C: see which transactions the server held up"),
        ("draws", codes.L5_DRAWS, "it is no run of TPC-C: see what stands between the load and its tables"),
        ("users", codes.L5_PACE, "it is no run of TPC-C"),
        ("work", codes.L6_WORK, "the server did not do what it acknowledged; its figures are those of other work"),
    ):
        found = [one for one in run.broken if one.subject == subject]
        if found:
            chance = f" (by chance less often than once in {round(1 / ERROR):,})" if subject != "work" else ""
            text = f"{name}{'; '.join(map(_sentence, found))}{chance}"
            yield code.finding(text=text, remedy=remedy)


def _sentence(one: Check) -> str:
    return f"{one.name}: {one.observed}, and not {one.wanted}"
