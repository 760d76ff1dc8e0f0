"""Stacks: where the time of executions went, by functions. Pure.

A stack is text, the outermost function first and ``;`` between them: the folded form of Brendan Gregg's FlameGraph,
with microseconds as its weight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.experiment.profile.spread import apart, more_samples
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNKNOWN = "[unknown]"
_NAMED = 0.5
"""Share of unknown frames from which on no function is named: what is named would stand for the wrong code."""


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of one side.

    Attributes:
        executions: during which samples were taken.
        interval: seconds that one sample stands for.
        stacks: microseconds by stack, of all executions together.
        rounds: seconds of one execution by function, itself, in each round; none where there was one.
        lacks: why there are none; empty where there are.
    """

    executions: int = 0
    interval: Seconds = 0.0
    stacks: dict[str, int] = {}
    rounds: tuple[dict[str, Seconds], ...] = ()
    lacks: str = ""

    @property
    def unknown(self) -> float | None:
        """Share of all frames whose function is not known; None without frames."""
        frames = unknown = 0
        for stack, weight in self.stacks.items():
            parts = stack.split(";")
            frames += weight * len(parts)
            unknown += weight * sum(part.startswith(UNKNOWN) for part in parts)
        return unknown / frames if frames else None

    def folded(self) -> str:
        """As text."""
        return "".join(f"{stack} {weight}\n" for stack, weight in sorted(self.stacks.items()))

    def each(self) -> dict[str, Seconds]:
        """Seconds of one execution by stack."""
        many = max(self.executions, 1) * 1e6
        return {stack: weight / many for stack, weight in self.stacks.items()}

    def self_seconds(self) -> dict[str, Seconds]:
        """Seconds of one execution by function, itself."""
        found: dict[str, Seconds] = {}
        for stack, seconds in self.each().items():
            name = stack.rpartition(";")[2]
            found[name] = found.get(name, 0.0) + seconds
        return found


class FunctionChange(msgspec.Struct, frozen=True, kw_only=True):
    """A function on both sides.

    Attributes:
        name: with where it comes from.
        before_s: seconds of one execution in which it was executing itself, by the baseline.
        after_s: the same of the contender.
        change_s: the difference.
        clear: whether it is more than samples scatter, and, where there were rounds, all of one side lie above all of
            the other.
    """

    name: str
    before_s: Seconds
    after_s: Seconds
    change_s: Seconds
    clear: bool


class Functions(msgspec.Struct, frozen=True, kw_only=True):
    """What samples say of functions.

    Attributes:
        kind: ``python`` of Python's frames, in seconds of wall time of the thread that executes; ``native`` of all
            code, in CPU seconds of all threads.
        lacks: why no function is named; empty where some may be.
        unknown: share of frames without a name: of the baseline, and of the contender; None without samples.
        changes: the largest first.
    """

    kind: Literal["python", "native"]
    lacks: str
    unknown: tuple[float | None, float | None]
    changes: tuple[FunctionChange, ...] = ()


def functions(kind: Literal["python", "native"], before: Sampled, after: Sampled) -> Functions:
    """Every function of two sides."""
    unknown = (before.unknown, after.unknown)
    lacks = before.lacks or after.lacks
    if not lacks and None in unknown:
        lacks = "no sample was taken: its executions are too short"
    if not lacks and (most := max(share or 0.0 for share in unknown)) > _NAMED:
        lacks = f"{most:.0%} of the frames have no name (the engine's library has no symbols)"
    if lacks:
        return Functions(kind=kind, lacks=lacks, unknown=unknown)
    old, new = before.self_seconds(), after.self_seconds()
    found = []
    for name in {**old, **new}:
        one, other = old.get(name, 0.0), new.get(name, 0.0)
        found.append(
            FunctionChange(
                name=name,
                before_s=one,
                after_s=other,
                change_s=other - one,
                clear=not name.startswith(UNKNOWN)
                and _more(one, other, before, after)
                and _apart(name, before.rounds, after.rounds),
            )
        )
    return Functions(
        kind=kind,
        lacks="",
        unknown=unknown,
        changes=tuple(sorted(found, key=lambda one: (not one.clear, -abs(one.change_s), one.name))),
    )


def _apart(name: str, before: Sequence[Mapping[str, Seconds]], after: Sequence[Mapping[str, Seconds]]) -> bool:
    """Whether the rounds of the sides are apart; of one round nobody can tell."""
    if not before or not after:
        return True
    old, new = ([one.get(name, 0.0) for one in side] for side in (before, after))
    return apart(old, new)


def _more(before_s: Seconds, after_s: Seconds, before: Sampled, after: Sampled) -> bool:
    # In samples of as many executions as the baseline had.
    ratio = max(before.executions, 1) / max(after.executions, 1)
    each = max(before.executions, 1) / before.interval
    return more_samples(before_s * each, after_s * each, ratio)


def merged(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Stacks of several rounds as one."""
    found: dict[str, int] = {}
    for part in parts:
        for stack, weight in part.items():
            found[stack] = found.get(stack, 0) + weight
    return found
