"""One engine under two names (R10): the sessions name two versions of a package that are one engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.build import SHORT
from weigh.model.contender import engine_pins
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.compare.results import Session
    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding

_PIN = "pin the package that holds the engine, and measure again"


def check(first: Session, second: Session, pairs: Sequence[tuple[str, str]], *, same_engine: bool) -> Iterator[Finding]:
    """What is to be reported of pairs of two versions that are one engine.

    Args:
        first: the session of the baselines.
        second: the session of the candidates.
        pairs: (contender of the second, contender of the first).
        same_engine: whether the user knows, and wants the A/A.

    Raises:
        UsageError: a pair is one engine, and no verdict on two versions can come of it.
    """
    for candidate, baseline in pairs:
        mine, its = second.contender(candidate), first.contender(baseline)
        if (mine.engine, mine.version) != (its.engine, its.version) or not _two_names(mine, its):
            continue
        recorded = bool(mine.files and its.files)
        if recorded and mine.files != its.files:
            continue
        if not recorded and not _only_names_differ(mine, its):
            continue
        same = (
            f"loaded the same files (sha256 {str(mine.files)[:SHORT]})"
            if recorded
            else f"only the package that names them differs ({its.package}, and {mine.package})"
        )
        of = f"{baseline} in the first session"
        # Without a record of the files that the package is no engine itself is likely, and not known.
        if recorded and not same_engine:
            raise UsageError(
                f"{candidate} is one and the same engine as {of}: both said that they were {mine.engine} "
                f"{mine.version}, and {same}; no verdict on two versions can come of it",
                remedy=f"{_PIN}, or give --same-engine, and what differs between them is called noise (A/A)",
            )
        yield codes.R10_SAME.finding(
            "note" if same_engine else "warning",
            contender=candidate,
            text=f"it is one and the same engine as {of}: both say that they are {mine.engine} {mine.version}, and "
            f"{same}: what differs between them is noise (A/A)",
            remedy=_PIN,
        )


def _two_names(one: ContenderRead, other: ContenderRead) -> bool:
    """Whether the user named two versions."""
    builds = [read.build is not msgspec.UNSET for read in (one, other)]
    if all(builds) or not (one.package and other.package):
        return False
    pins_differ = engine_pins(one.pins) != engine_pins(other.pins)
    return any(builds) or one.package != other.package or pins_differ


def _only_names_differ(one: ContenderRead, other: ContenderRead) -> bool:
    """Whether nothing but one package differs, and no build."""
    if any(read.build is not msgspec.UNSET for read in (one, other)):
        return False
    apart = {line for line in set(one.lock.split()) ^ set(other.lock.split()) if "==" in line}
    return len({line.partition("==")[0] for line in apart}) == 1
