"""Builds that no index has: whether two contenders are one, and whether what was installed is what was asked for (R3).

A job that builds one side and forgets the other, or checks out the wrong branch, compares a build with itself: green,
whatever the change does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.build import SHORT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.record import Record
    from weigh.model.build import BuildRead
    from weigh.model.contender import Contender
    from weigh.model.finding import Finding


def findings(record: Record) -> Iterator[Finding]:
    """Contenders that are the same build as the baseline, and differ from it in nothing else."""
    built = _builds(record)
    base = record.spec.contender(record.spec.baseline)
    for one in record.spec.contenders:
        if one.name == base.name or _else(one) != _else(base):
            continue
        mine, theirs = built.get(one.name), built.get(base.name)
        if mine is None or theirs is None or mine.sha256 != theirs.sha256:
            continue
        if mine.content == theirs.content or "wheel" in (mine.kind, theirs.kind):
            yield codes.R3_BUILD.finding(
                "warning",
                contender=one.name,
                text=f"it is the same build as {base.name} ({_what(mine)}): no change between them was measured",
                remedy="name the two builds that are to be compared",
            )
        else:
            yield codes.R3_BUILD.finding(
                "note",
                contender=one.name,
                text=f"it was built from other sources than {base.name}, and the wheels are the same bytes "
                f"({_what(mine)}): the change reaches no program",
                remedy="nothing is wrong",
            )


def _what(build: BuildRead) -> str:
    return f"sha256 {build.sha256[:SHORT]}"


def _else(one: Contender) -> tuple[object, ...]:
    """What else could differ."""
    return one.engine, one.pins, one.settings, one.data


def _builds(record: Record) -> dict[str, BuildRead]:
    reads = record.environment.contenders if record.environment else ()
    return {one.name: one.build for one in reads if one.build is not msgspec.UNSET}


def departures(record: Record) -> Iterator[str]:
    """Builds that are not those of the spec, or not those of the packages."""
    if record.environment is None:
        return
    built = _builds(record)
    locks = {one.name: one.lock for one in record.environment.contenders}
    for one in record.spec.contenders:
        read = built.get(one.name)
        if one.build is msgspec.UNSET:
            if read is not None:
                yield f"{one.name} is a version of the index, and a build is recorded for it"
            continue
        if read is None:
            yield f"what was installed for the build of {one.name} is not recorded"
        elif read.identity != one.build.identity or (one.build.kind == "wheel" and read.sha256 != one.build.content):
            yield f"the build of {one.name} is not the one that the experiment is of"
        elif f"sha256:{read.sha256}/{read.file}" not in locks.get(one.name, ""):
            yield f"the packages of {one.name} do not hold the wheel of its build"
