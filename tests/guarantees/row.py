"""One line of the table of guarantees."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A guarantee in one setting.

    Attributes:
        guarantee, setting: what is promised, and where it was measured.
        goal: as statistics.md has it.
        reached: measured, with three binomial standard errors where it is a share.
        kept: whether the goal is met; None where there is none, or where it is another tool's line.
        elsewhere: what other tests make of the same samples, or of the design that they are used with.
    """

    guarantee: str
    setting: str
    goal: str
    reached: str
    kept: bool | None
    elsewhere: str = ""

    def __str__(self) -> str:
        kept = {True: "reached", False: "NOT REACHED", None: ""}[self.kept]
        line = f"{self.guarantee:37} {self.setting:52} {self.goal:15} {self.reached:17} {kept:11} {self.elsewhere}"
        return line.rstrip()
