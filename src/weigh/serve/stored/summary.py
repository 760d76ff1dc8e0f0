"""What a list says of an evidence, and what two of them have to show side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = 200
"""Characters of a name that are kept: a list of names is searched, and whoever made it may have made it long."""


UNFINISHED = "No report yet: it was killed, or goes on."
"""Of evidence whose journal has no end."""


class Judged(NamedTuple):
    """A verdict, as far as a list is searched by it.

    Attributes:
        operation, contender: of what; empty where it is of all.
        verdict: its name.
    """

    operation: str
    contender: str
    verdict: str


class Figure(NamedTuple):
    """A figure of one evidence, to be shown alongside that of another.

    Attributes:
        name: what it is of.
        value: printed, with its unit and interval.
    """

    name: str
    value: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One evidence in a list.

    Attributes:
        workload: its name.
        says: the question answered in one line.
        tier: what it is good for; None where nothing was timed.
        contenders, operations: their names.
        verdicts: all of them that decide.
        wrong: who answered what wrongly; empty where nobody did.
    """

    workload: str
    says: str
    tier: str | None
    contenders: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    verdicts: tuple[Judged, ...] = ()
    wrong: str = ""

    @property
    def answer(self) -> str:
        """The line of a list that has one alone: whose answers are wrong comes first."""
        return f"{self.wrong}. {self.says}" if self.wrong else self.says


class Evidence(Protocol):
    """A kept document."""

    def summary(self) -> Summary:
        """One line of a list."""

    def figures(self) -> list[Figure]:
        """What it has to show, in its own order."""


class Named(msgspec.Struct, frozen=True):
    """Anything of which only the name is wanted."""

    name: str


def name(text: str) -> str:
    """A name as it is searched and shown."""
    return one_line(text, NAME)


def against(baseline: str, sentences: Sequence[str]) -> str:
    """What each contender is against the baseline, in a line.

    Args:
        baseline: its name.
        sentences: of each, ``new: SLOWER on 2``.
    """
    who, _, found = sentences[0].partition(": ")
    return (
        f"{who} against {name(baseline)}: {found}."
        if len(sentences) == 1
        else f"Against {name(baseline)}: {'. '.join(sentences)}."
    )


def interval(low: float | None, high: float | None, form: str = ".3f") -> str:
    """`` (0.98 to 1.02)``; empty where there is none."""
    return f" ({low:{form}} to {high:{form}})" if low is not None and high is not None else ""
