"""Workloads: operations, the literals they are asked with, and the answers that are known beforehand.

A workload is whatever has the shape of ``WorkloadSource``, found by the entry point ``weigh.workloads``,
whose value is an instance. Ours use the same door.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from weigh.host import plug_ins
from weigh.model.errors import UsageError, nearest
from weigh.model.operation import Case

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import Agreement
    from weigh.model.operation import Operation, Workload

Cubes = Mapping[str, Mapping[str, Any]]
"""Ground truth as its generator keeps it: cubes by name, columns by name; empty where nothing is known."""

_OURS = {
    "command-exact": "weigh.workloads.commands:exact",
    "command-json": "weigh.workloads.commands:json",
    "command-lines": "weigh.workloads.commands:lines",
    "command-none": "weigh.workloads.commands:none",
    "h2o-groupby": "weigh.workloads.h2o:groupby",
    "h2o-join": "weigh.workloads.h2o.join:join",
    "netflow": "weigh.workloads.netflow:workload",
    "ssb": "weigh.workloads.ssb:workload",
    "tpcds": "weigh.workloads.tpcds:workload",
    "tpch": "weigh.workloads.tpch:tpch",
    "tpch-dbgen": "weigh.workloads.tpch:tpch_dbgen",
}


class WorkloadSource(Protocol):
    """Builds a workload for a dataset and knows its answers.

    Attributes:
        name: as the user writes it.
        dataset: name of the generator of its data.
    """

    name: str
    dataset: str

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The operations, with literals chosen from what is known about the data.

        Args:
            truth: of the dataset.
            seed: of the choice.
        """

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The right answer as a table with the columns of the result schema; None where it is not known.

        Where rows tie at the query's limit it holds all of them, and so more rows than the limit.
        """


def operation_names(source: WorkloadSource) -> tuple[str, ...]:
    """The names of a workload's operations before there is data, where its source says them (``operation_names``)."""
    return tuple(getattr(source, "operation_names", ()))


def build(source: WorkloadSource, truth: Cubes, seed: int, chosen: Collection[str]) -> Workload:
    """The workload, or as much of it as the chosen operations need, where its source can tell (``build_only``).

    Args:
        source: of the workload.
        truth: of the dataset.
        seed: of the choice of literals.
        chosen: names of operations; empty for all.
    """
    only = getattr(source, "build_only", None)
    built = only(truth, seed, chosen) if only and chosen else source.build(truth, seed)
    return cast("Workload", built)


def agreements(source: WorkloadSource, digests: Mapping[str, str]) -> Callable[[Operation, Case], Agreement | None]:
    """What several lineages agreed on over the same rows, where its source has that (``agreement``).

    Args:
        source: of the workload.
        digests: row digest of every table that is asked.
    """
    known = getattr(source, "agreement", lambda *_: None)

    def of(operation: Operation, case: Case) -> Agreement | None:
        found = known(operation.name, case, digests)
        return found if found is not None and found.tells else None

    return of


FRESH = "fresh-"
"""Beginning of the names of cases that no other run has."""
_FRESH_EACH = 3


def with_fresh(workload: Workload, source: WorkloadSource, truth: Cubes) -> Workload:
    """The workload with cases more, of literals that are drawn now: who knows the seed cannot know these.

    They are what the source draws with another seed, and the gate alone asks them.

    Args:
        workload: built of the source.
        source: of the workload.
        truth: of the dataset; without any, nothing is added.
    """
    if not truth:
        return workload
    drawn = secrets.SystemRandom()
    others = {
        one.name: one
        for one in build(source, truth, drawn.getrandbits(31), [one.name for one in workload.operations]).operations
    }

    def more(one: Operation) -> Operation:
        other = others.get(one.name)
        if other is None or other.sql != one.sql:
            return one
        literals = [case.literals for case in one.cases]
        new = [case.literals for case in other.cases if case.literals not in literals]
        chosen = drawn.sample(new, min(_FRESH_EACH, len(new)))
        cases = (Case(name=f"{FRESH}{number}", literals=found) for number, found in enumerate(chosen, 1))
        return msgspec.structs.replace(one, cases=(*one.cases, *cases))

    return msgspec.structs.replace(workload, operations=tuple(map(more, workload.operations)))


def names() -> list[str]:
    """The names of all workloads that are installed."""
    return sorted({*_OURS, *plug_ins.entries("weigh.workloads")})


def load(name: str) -> WorkloadSource:
    """The workload of that name.

    Raises:
        UsageError: there is none.
    """
    if name in _OURS:
        return cast("WorkloadSource", EntryPoint(name, _OURS[name], "weigh.workloads").load())
    known = plug_ins.entries("weigh.workloads")
    if name not in known:
        raise UsageError(f"there is no workload '{name}'", remedy=nearest(name, known.keys() | _OURS.keys()))
    return cast("WorkloadSource", known[name].load())
