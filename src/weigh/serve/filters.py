"""What of a list is to be shown, as its address says it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec

from weigh.kinds.table import KINDS
from weigh.model.verdict import TierName, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weigh.kinds.folder import Entry
    from weigh.serve.index import Row

CHOICES = {
    "kind": tuple(kind.name for kind in reversed(KINDS)),
    "verdict": tuple(map(str, VerdictName)),
    "tier": tuple(map(str, TierName)),
}
"""Of filters that are one of few."""
_LONGEST = 200


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be shown; what is empty filters nothing.

    Attributes:
        name: part of the name of the evidence, of its workload, or of what it is of.
        kind: of evidence.
        contender: part of a contender's name, or of a target's.
        operation: part of an operation's name.
        verdict: that one of the chosen contenders got, on one of the chosen operations.
        tier: what the evidence is good for.
        since, until: days in UTC, both included, ``2026-11-23``.
    """

    name: str = ""
    kind: str = ""
    contender: str = ""
    operation: str = ""
    verdict: str = ""
    tier: str = ""
    since: str = ""
    until: str = ""

    @property
    def given(self) -> dict[str, str]:
        """Those that filter."""
        return {key: value for key, value in msgspec.structs.asdict(self).items() if value}

    @property
    def mistakes(self) -> list[str]:
        """What is no day, or no choice; it filters nothing."""
        problems = [
            f"'{value}' is no day: 2026-11-23 is one" for value in (self.since, self.until) if value and not day(value)
        ]
        return problems + [
            f"there is no {key} '{value}'"
            for key, known in CHOICES.items()
            if (value := getattr(self, key)) and value not in known
        ]

    @property
    def reads(self) -> bool:
        """Whether rows must be read before it is known which are shown."""
        return bool(self.name or self.contender or self.operation or self.verdict or self.tier)

    def link(self, **more: str | int) -> str:
        """The address of the list that it filters, with further parameters; an empty one takes a filter away."""
        parameters = {key: value for key, value in {**self.given, **more}.items() if value != ""}
        return f"/?{urlencode(parameters)}" if parameters else "/"

    def entries(self, entries: Iterable[Entry]) -> list[Entry]:
        """Those that it shows, as far as that is known without reading them."""
        kinds = {self.kind} if self.kind in CHOICES["kind"] else set(CHOICES["kind"])
        since, until = day(self.since) or datetime.date.min, day(self.until) or datetime.date.max
        return [one for one in entries if one.kind.name in kinds and since <= one.written.date() <= until]

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """Those that it shows."""
        return [one for one in rows if self._shows(one)]

    def _shows(self, row: Row) -> bool:
        if self.tier in CHOICES["tier"] and row.tier != self.tier:
            return False
        if not _within(self.name, (row.name, row.workload, row.about)):
            return False
        if self.verdict in CHOICES["verdict"]:
            return any(
                one.verdict == self.verdict
                and _within(self.contender, (one.contender,))
                and _within(self.operation, (one.operation,))
                for one in row.verdicts
            )
        # Of what has no report yet, what it is of names its contenders.
        return _within(self.contender, row.contenders or (row.about,)) and _within(self.operation, row.operations)


def of_query(query: Mapping[str, str]) -> Filter:
    """The filter of an address."""
    return Filter(**{key: " ".join(query[key].split())[:_LONGEST] for key in Filter.__struct_fields__ if key in query})


def day(text: str) -> datetime.date | None:
    """A day; None where it is none."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def _within(part: str, texts: Iterable[str]) -> bool:
    wanted = part.casefold()
    return not wanted or any(wanted in one.casefold() for one in texts)
