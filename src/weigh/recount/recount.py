"""Figures that were printed against figures that a second implementation computed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from weigh.evidence.verification import Problem
from weigh.model import codes

Row = Mapping[str, Any]
Run = Callable[[str, Sequence[str]], Sequence[Sequence[Row]]]
"""Executes a script in DuckDB, then queries: one list of rows each."""

TOLERANCE = 1e-9
"""Greatest relative difference that is rounding: nine significant digits, more than any report prints."""
_ZERO = 1e-12
"""What is left when one figure is taken from another: a difference below this is rounding, however small they are."""


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """Figures that were not compared.

    Attributes:
        what: their names.
        why: one sentence.
    """

    what: str
    why: str


class Recount(msgspec.Struct, frozen=True, kw_only=True):
    """What the second implementation says of the first.

    Attributes:
        compared: how many figures of each name were compared.
        difference: the greatest relative difference among those that agree.
        skipped: what was not compared.
        problems: figures that differ, ``R4.sql``; empty when all agree.
    """

    compared: dict[str, int]
    difference: float
    skipped: tuple[Skipped, ...]
    problems: tuple[Problem, ...]


class Figures:
    """The comparison of figures, one by one.

    Args:
        source: what the second ones are computed from, for people: ``samples``.
        cancelling: names of those that are what is left when one figure is taken from another.
    """

    def __init__(self, source: str, cancelling: Sequence[str] = ()) -> None:
        self._source = source
        self._cancelling = cancelling
        self._compared: Counter[str] = Counter()
        self._difference = 0.0
        self._skipped: dict[str, list[str]] = defaultdict(list)
        self._problems: list[Problem] = []

    def compare(
        self, file: str, place: str, name: str, printed: float | None, computed: float | None, within: float = TOLERANCE
    ) -> None:
        """One figure; nothing where neither has it.

        Args:
            file: in which it was printed.
            place: what it is of, for people.
            name: of the figure.
            printed: as it was printed.
            computed: by SQL.
            within: greatest relative difference that counts as none.
        """
        if printed is None and computed is None:
            return
        self._compared[name] += 1
        apart = self._apart(name, printed, computed)
        if apart <= within:
            self._difference = max(self._difference, apart)
        else:
            self._differs(file, place, name, _number(printed), _number(computed))

    def word(self, file: str, place: str, name: str, printed: str, computed: str) -> None:
        """A word, such as a verdict; the arguments are those of :meth:`compare`."""
        self._compared[name] += 1
        if printed != computed:
            self._differs(file, place, name, printed, computed)

    def skip(self, why: str, place: str) -> None:
        """Something is not compared, for a reason that others may share."""
        self._skipped[why].append(place)

    def wrong(self, file: str, text: str) -> None:
        """What is wrong and is no figure."""
        self._problems.append(Problem(code=codes.R4_SQL.code, file=file, text=text))

    def result(self, *never: Skipped) -> Recount:
        """What came of it.

        Args:
            never: what is never compared.
        """
        skipped = [Skipped(what="; ".join(sorted(set(places))), why=why) for why, places in self._skipped.items()]
        return Recount(
            compared=dict(self._compared),
            difference=self._difference,
            skipped=(*skipped, *never),
            problems=tuple(self._problems),
        )

    def _apart(self, name: str, printed: float | None, computed: float | None) -> float:
        """Relative; infinite where one of them is not there."""
        if printed is None or computed is None:
            return float("inf")
        apart = abs(printed - computed)
        if apart == 0 or (name in self._cancelling and apart < _ZERO):
            return 0.0
        return apart / max(abs(printed), abs(computed))

    def _differs(self, file: str, place: str, name: str, printed: str, computed: str) -> None:
        self.wrong(file, f"{place}: {name} is {printed} in the report, {computed} by SQL from the {self._source}")


def merged(counted: Mapping[str, Recount]) -> Recount:
    """What came of several evidences.

    Args:
        counted: by name of the evidence, which files and places are then told with.
    """
    compared: Counter[str] = Counter()
    for one in counted.values():
        compared.update(one.compared)
    return Recount(
        compared=dict(compared),
        difference=max((one.difference for one in counted.values()), default=0.0),
        skipped=tuple(dict.fromkeys(part for one in counted.values() for part in one.skipped)),
        problems=tuple(
            msgspec.structs.replace(problem, file=f"{name}/{problem.file}")
            for name, one in counted.items()
            for problem in one.problems
        ),
    )


def impossible(file: str, why: str) -> Recount:
    """Nothing could be computed: sealed evidence that cannot be read is not what it says.

    Args:
        file: that holds the figures.
        why: they cannot be computed.
    """
    return Recount(
        compared={},
        difference=0.0,
        skipped=(Skipped(what="all figures", why="what they are computed from cannot be read"),),
        problems=(Problem(code=codes.R4_SQL.code, file=file, text=why),),
    )


def _number(value: float | None) -> str:
    return "absent" if value is None else f"{value:.9g}"
