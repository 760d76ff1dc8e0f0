"""Bounding: every contender gets the same CPUs and the same memory, and each life is asked what it has of them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from weigh.engines import resources
from weigh.engines.exchange import WorkerEnded
from weigh.host import cgroup, facts
from weigh.model import units
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.resources import Bounds, WorkerRead, cpus_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.engines.engine import Engine
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.evidence.journal import Journal
    from weigh.model.contender import Setting
    from weigh.model.spec import Spec
    from weigh.model.units import Bytes


def check(spec: Spec) -> None:
    """This machine has what all contenders are to be given.

    Raises:
        UsageError: it has less.
    """
    here = facts.allowed_cpus()
    if spec.affinity and set(spec.affinity) - set(here):
        raise UsageError(
            f"affinity {cpus_text(spec.affinity)}: weigh itself may only use the CPUs {cpus_text(here)} here",
            remedy="name some of these",
        )
    memory = facts.allowed_bytes()
    if spec.memory_limit and memory is not None and spec.memory_limit > memory:
        raise UsageError(
            f"a memory limit of {units.size(spec.memory_limit)} limits nothing: weigh itself may use "
            f"{units.size(memory)} here",
            remedy="give less",
        )


def bounded(contenders: Sequence[PreparedContender], spec: Spec) -> list[PreparedContender]:
    """The contenders with the bounds that the spec asks for, equal for all.

    Raises:
        UsageError: a contender's own setting says something else.
        EnvironmentFault: a limit of memory cannot be put on one of them.
    """
    memory = spec.memory_limit or None
    bounds = Bounds(affinity=spec.affinity or (), memory=memory)
    if memory is None:
        return [msgspec.structs.replace(one, bounds=bounds) for one in contenders]
    groups = cgroup.usable()
    if groups is not None:
        return [msgspec.structs.replace(one, bounds=bounds, groups=groups) for one in contenders]
    return [
        msgspec.structs.replace(one, bounds=bounds, settings={**one.settings, **_setting(one, memory)})
        for one in contenders
    ]


def _setting(one: PreparedContender, memory: Bytes) -> dict[str, Setting]:
    """The engine's own setting, where no control group can be made."""
    if not one.engine.memory:
        raise EnvironmentFault(
            f"no control group can be made here, and {one.engine.name} has no setting that limits its memory",
            where=f"contender {one.name}",
            remedy="leave --memory-limit out, or run where control groups can be written "
            "(docs/concept/method.md#equal-resources)",
        )
    if one.engine.memory in one.contender.settings:
        raise UsageError(
            f"{one.engine.memory} and --memory-limit are both given, and no control group can be made here",
            where=f"contender {one.name}",
            remedy="keep one of them",
        )
    return {one.engine.memory: _value(one.engine, memory)}


def _value(engine: Engine, memory: Bytes) -> Setting:
    text = engine.memory_form.format(bytes=memory, mib=memory >> 20)
    return int(text) if text.isdecimal() else text


def tell(
    journal: Journal,
    block: int,
    workers: Mapping[str, tuple[int, WorkerProcess]],
    contender_of: Mapping[str, PreparedContender],
) -> None:
    """Ask lives at their end what they have: whoever takes more meanwhile shows it, and nothing is disturbed.

    Args:
        journal: receives.
        block: that they belong to.
        workers: number and life by arm.
        contender_of: the contender of each arm.
    """
    for arm, (start, worker) in workers.items():
        one = contender_of[arm]
        with suppress(WorkerEnded):
            in_force = worker.settings(resources.named(one.engine))
            resources_found = resources.resources_read(one.engine, worker, in_force, one.contender.settings)
            journal.append(
                "life", WorkerRead(block=block, start=start, arm=arm, contender=one.name, resources=resources_found)
            )
