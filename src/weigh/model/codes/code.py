"""One code: what it means, where the documentation explains it, how grave it is, and what is made with it."""

from __future__ import annotations

import re

import msgspec

from weigh.model.finding import Code, Finding, Severity
from weigh.model.verdict import Reason


class Page(msgspec.Struct, frozen=True):
    """Where the documentation explains something.

    Attributes:
        path: of the page, from docs/.
        heading: of the part; empty for the whole page.
    """

    path: str
    heading: str = ""

    @property
    def anchor(self) -> str:
        """The anchor that renderers of Markdown give the heading."""
        return re.sub(r"[^\w\- ]", "", self.heading.lower()).strip().replace(" ", "-")

    @property
    def link(self) -> str:
        """Path and anchor: ``concept/machine.md#contention``."""
        return f"{self.path}#{self.anchor}" if self.heading else self.path

    def __str__(self) -> str:
        return f"docs/{self.path}, {self.heading}" if self.heading else f"docs/{self.path}"


class Entry(msgspec.Struct, frozen=True):
    """A code of the registry. By itself it is the code of reasons, problems and notes, which have no severity.

    Attributes:
        code: the id of a lie, with a suffix where the lie has several findings; or ``M...``, ``X...``.
        page: that explains it.
        means: what it means for the reader, one sentence without its full stop.
    """

    code: Code
    page: Page
    means: str

    def __str__(self) -> str:
        return self.code

    @property
    def family(self) -> str:
        """The id of the lie; ``M`` or ``X`` where it belongs to none."""
        return self.code.partition(".")[0]

    @property
    def gravity(self) -> str:
        """Severity of its findings, in words; empty where it has none."""
        return ""

    def reason(self, text: str) -> Reason:
        """A reason of a verdict, a tier or a refusal."""
        return Reason(code=self.code, text=text)


class Fixed(Entry, frozen=True):
    """A code whose findings are all equally grave.

    Attributes:
        severity: of every finding.
        disqualifies: whether the contender is not compared at all.
        withholds: whether it is not compared on the operation that the finding names.
    """

    severity: Severity
    disqualifies: bool = False
    withholds: bool = False

    @property
    def gravity(self) -> str:
        """Severity of its findings, in words."""
        if self.withholds:
            return f"{self.severity}, no verdict"
        return f"{self.severity}, disqualifies" if self.disqualifies else self.severity

    def finding(self, *, text: str, remedy: str, contender: str | None = None, operation: str | None = None) -> Finding:
        """A finding with the severity of the code."""
        return Finding(
            code=self.code,
            severity=self.severity,
            text=text,
            remedy=remedy,
            contender=contender,
            operation=operation,
        )


class Graded(Entry, frozen=True):
    """A code whose findings are more or less grave; who makes one says how grave it is."""

    @property
    def gravity(self) -> str:
        """That it depends."""
        return "depends"

    def finding(
        self,
        severity: Severity,
        *,
        text: str,
        remedy: str,
        contender: str | None = None,
        operation: str | None = None,
    ) -> Finding:
        """A finding as grave as is reported."""
        return Finding(
            code=self.code, severity=severity, text=text, remedy=remedy, contender=contender, operation=operation
        )


def plain(code: str, page: Page, means: str) -> Entry:
    """A code without findings."""
    return Entry(Code(code), page, means)


def note(code: str, page: Page, means: str) -> Fixed:
    """A code whose findings change nothing."""
    return Fixed(Code(code), page, means, "note")


def warning(code: str, page: Page, means: str) -> Fixed:
    """A code whose findings weaken the result."""
    return Fixed(Code(code), page, means, "warning")


def error(code: str, page: Page, means: str, *, disqualifies: bool = False, withholds: bool = False) -> Fixed:
    """A code whose findings forbid a part of the result."""
    return Fixed(Code(code), page, means, "error", disqualifies, withholds)


def graded(code: str, page: Page, means: str) -> Graded:
    """A code whose findings are more or less grave."""
    return Graded(Code(code), page, means)
