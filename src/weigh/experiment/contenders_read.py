"""Reading contenders: each is started once and describes itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from weigh.engines import loaded_files
from weigh.engines.prepared import PreparedContender, opened
from weigh.experiment.same_engine import RunningEngine, SameEngine, compared
from weigh.model import codes, units

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weigh.experiment.data.data_link import DataLink
    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds


@dataclass(frozen=True, slots=True)
class ContendersRead:
    """What running engines say of themselves.

    Attributes:
        reads: of each contender, in order.
        start_seconds: that a start of each took, by name.
        findings: what is to be reported about them.
        same: contenders of different version that are one engine.
    """

    reads: tuple[ContenderRead, ...]
    start_seconds: Mapping[str, Seconds]
    findings: tuple[Finding, ...]
    same: tuple[SameEngine, ...] = ()


def read_contenders(contenders: Iterable[PreparedContender], link: DataLink) -> ContendersRead:
    """Start every contender once.

    Args:
        contenders: who is started.
        link: keeps what may wait for its tables.

    Raises:
        EngineFault: one of them cannot be started.
    """
    reads: list[ContenderRead] = []
    seconds: dict[str, Seconds] = {}
    findings: list[Finding] = []
    running: list[RunningEngine] = []
    for one in contenders:
        began = time.monotonic()
        worker, described, found = opened(one)
        seconds[one.name] = time.monotonic() - began
        native = loaded_files.native_files(worker.pid, one.environment, one.engine.package)
        whole = described.elsewhere or one.build is not msgspec.UNSET or not native
        files = loaded_files.package_files(one.environment, one.engine.package) if whole else native
        if digest := loaded_files.recorded_digest(one.environment, files):
            described = msgspec.structs.replace(described, files=digest)
        installed = {**loaded_files.package_files(one.environment, one.engine.package), **native}
        if edited := loaded_files.edited_files(one.environment, installed):
            described = msgspec.structs.replace(described, edited=edited)
            findings.append(_edited(one, edited))
        running.append(RunningEngine(one, described, native))
        link.wait(one, worker)
        reads.append(described)
        findings += found
    same, notes = compared(running)
    return ContendersRead(tuple(reads), seconds, (*findings, *notes), tuple(same))


def _edited(one: PreparedContender, edited: Mapping[str, str]) -> Finding:
    more = f" and {units.count(len(edited) - 1, 'more file')}" if len(edited) > 1 else ""
    return codes.X_EDITED.finding(
        contender=one.name,
        text=f"{next(iter(edited))}{more} of its environment is not as its installer recorded it: what is measured is "
        "no release",
        remedy="remove its environment, which is made anew, or measure the change as a build of its sources",
    )
