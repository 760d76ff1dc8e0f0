"""What opened evidence of every kind has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import msgspec

from weigh._kinds import Found, Kind, Results, kind_of
from weigh.model.errors import EvidenceFault
from weigh.render.terminal import plain_text

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.comparison.spec import LoadComparisonSpec
    from weigh.load.spec import LoadSpec
    from weigh.model.finding import Finding
    from weigh.model.spec import Spec
    from weigh.model.verdict import Tier


class AnyEvidence(ABC, Generic[Results, Found]):
    """An evidence directory, read: what all kinds have. Everything is computed anew, as ``weigh report`` does.

    Nothing is verified by reading: :meth:`verify` does that.

    Args:
        folder: the directory.

    Attributes:
        path: that directory, absolute.

    Raises:
        EvidenceFault: there is no such directory, it is no evidence or that of another kind, or it is damaged.
    """

    _kind: ClassVar[Kind[Any, Any]]

    def __init__(self, folder: Path) -> None:
        found = kind_of(folder)
        if found is not self._kind:
            raise EvidenceFault(
                f"it is {found.noun}, and not {self._kind.noun}",
                where=str(folder),
                remedy="weigh.open opens evidence of every kind",
            )
        self.path = folder.resolve()

    def __repr__(self) -> str:
        return f"<weigh.{type(self).__name__} {self.path.name}: {self._about}>"

    @property
    def kind(self) -> str:
        """``run``, ``ladder`` or ``load``: the command that left it."""
        return self._kind.name

    @property
    @abstractmethod
    def spec(self) -> Spec | LoadSpec | LoadComparisonSpec:
        """What was decided beforehand."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What weigh has to say about it, errors first; of a ladder those of its rungs, then what it shows itself."""
        return self._results.findings

    @property
    @abstractmethod
    def tier(self) -> Tier | None:
        """What the evidence is good for, provided that :meth:`verify` passes; None where nothing was timed."""

    def document(self) -> dict[str, Any]:
        """The report as plain data, the same as ``weigh report --json`` (docs/reference/json.md)."""
        made = msgspec.json.encode(self._kind.document(self._results, self.path.name))
        plain: dict[str, Any] = msgspec.json.decode(made)
        return plain

    def report(self) -> str:
        """The report as text; of a run and a load the same as ``report.txt``."""
        return plain_text(self._kind.whole(self._results, self.path.name))

    def html(self) -> str:
        """The report as one page, the same as ``weigh report --html``."""
        return self._kind.html(self.path).decode()

    def verify(self) -> Found:
        """Compute every hash and every printed number again, as ``weigh verify`` does; it says what is wrong.

        Raises:
            EvidenceFault: it was never sealed.
        """
        found: Found = self._kind.verify(self.path)
        return found

    @property
    @abstractmethod
    def _results(self) -> Results: ...

    @property
    @abstractmethod
    def _about(self) -> str: ...
