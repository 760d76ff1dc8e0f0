"""The verdict on the isolation of each run. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.load.isolation.promises import NAMES, promise
from weigh.load.isolation.record import Anomaly, IsolationRun
from weigh.load.isolation.workload import LEVELS, normal
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.load.isolation.workload import IsolationWorkload
    from weigh.model.verdict import Reason

Outcome = Literal["violated", "not seen", "nothing to see"]
_THREE = 3.0
"""Upper 95 % bound of a mean count of which none was observed: -ln 0.05 (Hanley, Lippman-Hand, JAMA 249, 1983)."""


class IsolationFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of the isolation of a run.

    Attributes:
        number: of the run.
        declared: the level that it is held to: the one that was asked for, or that the server named; empty where
            neither is known.
        outcome: ``violated``, or ``not observed`` in so many transactions; ``nothing to see`` where no transaction saw
            what another one wrote, the level is not known, or answers could not be read.
        named: committed transactions that read, by the level that the server named inside them, in weigh's form.
        other_levels: of these, levels that are not the one that was asked for.
        committed, aborted, unknown: transactions.
        bound: upper 95 % bound of the share of transactions like these that take part in what was not observed, if they
            did so independently; None where something was observed.
        promise: what the level is on this server, in a few words.
        source: where its manual says so.
        violations: what was found and cannot be at that level, the gravest first.
        allowed: what was found and may be there.
        retries: attempts that the server gave up because of others.
        file: of the history, alongside the journal.
        unchecked: why it was not checked, or not all of it; empty where it was.
    """

    number: int
    declared: str
    outcome: Outcome
    named: dict[str, int]
    other_levels: tuple[str, ...]
    committed: int
    aborted: int
    unknown: int
    bound: float | None
    promise: str
    source: str
    violations: tuple[Anomaly, ...]
    allowed: tuple[Anomaly, ...]
    retries: int
    file: str
    unchecked: str = ""

    @property
    def broken(self) -> bool:
        """Whether it did not have the level that it says."""
        return self.outcome == "violated" or bool(self.other_levels)


def isolation(
    workload: IsolationWorkload | msgspec.UnsetType,
    runs: Sequence[IsolationRun],
    kind: str,
    product: str,
    unknown: Mapping[int, str],
) -> tuple[IsolationFigures, ...]:
    """What is reported of each run; empty of another workload.

    Args:
        workload: as it was asked for.
        runs: whose histories were recorded.
        kind: protocol of the server.
        product: what it calls itself.
        unknown: why it cannot be reported that nothing was violated in runs, by their numbers.
    """
    if workload is msgspec.UNSET:
        return ()
    return tuple(_figures(workload, one, kind, product, unknown.get(one.run, "")) for one in runs)


def _figures(workload: IsolationWorkload, run: IsolationRun, kind: str, product: str, unknown: str) -> IsolationFigures:
    history = run.history
    named: dict[str, int] = {}
    for name, number in (history.levels if history else {}).items():
        if name:
            named[normal(name)] = named.get(normal(name), 0) + number
    declared = workload.level or _only(named) or ("serializable" if kind == "sqlite" else "")
    found = promise(kind, product, declared)
    order = list(NAMES)
    anomalies = sorted(history.anomalies, key=lambda one: order.index(one.name)) if history else []
    violations = tuple(one for one in anomalies if found and one.name in found.forbids)
    saw = (
        not unknown and history is not None and found is not None and history.writes_read > 0 and history.committed > 1
    )
    return IsolationFigures(
        number=run.run,
        declared=declared,
        outcome="violated" if violations else "not seen" if saw else "nothing to see",
        named=named,
        other_levels=tuple(sorted(one for one in named if workload.level and one != workload.level)),
        committed=history.committed if history else 0,
        aborted=history.aborted if history else 0,
        unknown=history.unknown if history else 0,
        bound=min(_THREE / history.committed, 1.0) if history and saw and not violations else None,
        promise=found.words if found else "",
        source=found.source if found else "",
        violations=violations,
        allowed=tuple(one for one in anomalies if one not in violations),
        retries=sum(run.retries.values()),
        file=run.file,
        unchecked=run.unchecked or unknown,
    )


def _only(named: Mapping[str, int]) -> str:
    """The level that the server named; of several the weakest, for nobody was promised more."""
    known = [one for one in LEVELS if one in named]
    return known[0] if known else ""


def refusals(run: IsolationFigures) -> Iterator[Reason]:
    """Why the run has no throughput of its level."""
    if run.violations:
        names = ", ".join(one.name for one in run.violations)
        yield codes.L12_VIOLATED.reason(
            f"{run.declared} was not kept ({names}): what was answered is no throughput of that level"
        )
    if run.other_levels:
        yield codes.L12_LEVEL.reason(
            f"the server named {', '.join(run.other_levels)} inside transactions that asked for {run.declared}"
        )
