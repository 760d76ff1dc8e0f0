"""What a file of another tool may hold: names of bounded length, times of our days, and values that can be measured."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from weigh.history.entry import is_possible
from weigh.model.errors import DataFault
from weigh.model.text import one_line
from weigh.model.units import count

NAME = 1_000
"""Characters of a name: a longer one names nothing that anybody reads."""
MOST = 300_000
"""Points of a file: each takes about a kilobyte of memory whenever the history is read."""
_FIRST, _LAST = 1970, 2200
"""Years in which a measurement can have been made; the last one allows for a clock that is wrong."""
_NAMED = 3


@dataclass(slots=True)
class LeftOut:
    """Cells of a file that are no measurements.

    Attributes:
        zeros: values of zero and below, which have no logarithm and no ratio.
        missing: cells that say that nothing was measured.
        others: each of the rest, by its place and why.
    """

    zeros: int = 0
    missing: int = 0
    others: list[str] = field(default_factory=list)

    def value(self, value: float, unit: str, where: str) -> bool:
        """Whether a value can be a measurement; what cannot is noted.

        Args:
            value: as it stands in the file.
            unit: of the value.
            where: its place, for people.
        """
        if value <= 0:
            self.zeros += 1
        elif not is_possible(value, unit):
            self.others.append(f"{where}: {value!r} cannot be a measurement")
        else:
            return True
        return False

    @property
    def problem(self) -> str:
        """What was left out and should not have been in the file; empty where there is nothing."""
        if not self.others:
            return ""
        more = len(self.others) - _NAMED
        return "; ".join(self.others[:_NAMED]) + (f"; and {more:,} more" if more > 0 else "")

    @property
    def note(self) -> str:
        """What was left out and may well be in such a file; empty where there is nothing."""
        counted = [
            f"{count(self.zeros, 'value')} of zero or below" if self.zeros else "",
            f"{count(self.missing, 'cell')} without a value" if self.missing else "",
        ]
        return f"{' and '.join(filter(None, counted))} left out" if any(counted) else ""


def name(text: str, what: str) -> str:
    """A name as it stands in a file.

    Raises:
        DataFault: it is longer than any name.
    """
    if len(text) > NAME:
        raise DataFault(
            f"{what} has {len(text):,} characters, and begins with '{one_line(text, 40)}'",
            remedy=f"a name has at most {NAME:,} characters",
        )
    return text


def written(found: datetime.datetime) -> str:
    """A time as an entry has it.

    Raises:
        ValueError: nothing was measured in that year.
    """
    utc = found.astimezone(datetime.UTC)
    if not _FIRST <= utc.year <= _LAST:
        raise ValueError(f"nothing was measured in {utc.year}")
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")


def check_number(points: int) -> None:
    """That a file has no more points than a history can hold.

    Raises:
        DataFault: it has more.
    """
    if points > MOST:
        raise DataFault(f"it has more than {MOST:,} values", remedy="leave out metrics, or add the newest rows alone")
