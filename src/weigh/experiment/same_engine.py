"""One engine under two names (R10): contenders of different version that are the same build of the same engine."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.engines import loaded_files
from weigh.model import codes
from weigh.model.build import SHORT
from weigh.model.contender import engine_pins
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender
    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding, Severity


class RunningEngine(NamedTuple):
    """A contender whose process lives.

    Attributes:
        ready: the contender.
        read: what its engine says of itself.
        native: files of its environment that its process has loaded.
    """

    ready: PreparedContender
    read: ContenderRead
    native: dict[str, Path]


class SameEngine(NamedTuple):
    """Two contenders that are one engine.

    Attributes:
        one, other: their names.
        version: that both engines say.
        what: the files that are the same, for people.
        remedy: how to get two engines.
    """

    one: str
    other: str
    version: str
    what: str
    remedy: str

    def finding(self, severity: Severity) -> Finding:
        """That they are."""
        return codes.R10_SAME.finding(
            severity,
            contender=self.other,
            text=f"it is one and the same engine as {self.one}: both say that they are {self.version}, and {self.what}",
            remedy=self.remedy,
        )


def compared(engines: Sequence[RunningEngine]) -> tuple[list[SameEngine], list[Finding]]:
    """Pairs that name two versions and are one engine; and notes on those that print one number and are two."""
    same, notes = [], []
    for one, other in combinations(engines, 2):
        if one.ready.engine.name != other.ready.engine.name or one.read.version != other.read.version:
            continue
        if not _two_names(one.ready, other.ready):
            continue
        if found := next(_same(one, other), None):
            same.append(found)
        else:
            notes.append(
                codes.R10_NUMBER.finding(
                    contender=other.ready.name,
                    text=f"it says that it is {other.read.version}, as {one.ready.name} does; their files differ, so "
                    "they are two builds",
                    remedy="nothing is wrong; do not tell them apart by that number",
                )
            )
    return same, notes


def _two_names(one: PreparedContender, other: PreparedContender) -> bool:
    """Whether the user named two versions; that two builds of sources are one is told of them (R3.build)."""
    builds = [ready.contender.build is not msgspec.UNSET for ready in (one, other)]
    if all(builds) or not one.engine.package:
        return False
    if any(builds):
        return True
    releases = [ready.contender.release or ready.engine.tested for ready in (one, other)]
    pins = [engine_pins(ready.contender.pins) for ready in (one, other)]
    return releases[0] != releases[1] or pins[0] != pins[1]


def _same(one: RunningEngine, other: RunningEngine) -> Iterator[SameEngine]:
    """The pair, where its files are the same."""
    package = one.ready.engine.package
    built = any(each.ready.contender.build is not msgspec.UNSET for each in (one, other))
    # Of a server the client tells nothing; of a build everything in it may be what is compared.
    whole = built or one.read.elsewhere or not (one.native and other.native)
    files = [
        loaded_files.package_files(each.ready.environment, package) if whole else each.native for each in (one, other)
    ]
    digest = loaded_files.same_files(*files)
    if not digest:
        return
    largest = max(files[0], key=lambda name: files[0][name].stat().st_size)
    holder = loaded_files.owner(other.ready.environment, largest)
    pinned = holder.partition(" ")[0] if holder and holder.partition(" ")[0] != package else ""
    pin = f"pin what holds the engine, {one.ready.contender.spec}+{pinned}==VERSION, or " if pinned else ""
    number = count(len(files[0]), "file")
    of_holder = f" of {holder}" if holder else ""
    what = f"{package} has the same {number} in both" if whole else f"load the same {number}"
    yield SameEngine(
        one.ready.name,
        other.ready.name,
        f"{one.ready.engine.name} {one.read.version}",
        f"{what} (the largest {largest}{of_holder}; sha256 of all {digest[:SHORT]})",
        f"{pin}give --same-engine, and what differs between them is called noise (A/A)",
    )
