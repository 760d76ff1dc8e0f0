"""Reading contenders: each is started once and describes itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.engines.prepared import PreparedContender, read_back

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds


@dataclass(frozen=True, slots=True)
class ContendersRead:
    """What running engines say of themselves.

    Attributes:
        reads: of each contender, in order.
        start_seconds: that a start of each took, by name.
        findings: what is to be said about them.
    """

    reads: tuple[ContenderRead, ...]
    start_seconds: Mapping[str, Seconds]
    findings: tuple[Finding, ...]


def read_contenders(contenders: Iterable[PreparedContender]) -> ContendersRead:
    """Start every contender once.

    Raises:
        EngineFault: one of them cannot be started.
    """
    reads: list[ContenderRead] = []
    seconds: dict[str, Seconds] = {}
    findings: list[Finding] = []
    for one in contenders:
        began = time.monotonic()
        described, found = read_back(one)
        seconds[one.name] = time.monotonic() - began
        reads.append(described)
        findings += found
    return ContendersRead(tuple(reads), seconds, tuple(findings))
