"""Anchoring while a run goes on: between turns, about every minute, at the beginning and at the end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.evidence import journal
from weigh.evidence.anchoring.anchor import Anchor, Stamped
from weigh.model.errors import WeighError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from weigh.evidence.anchoring.places import Place
    from weigh.evidence.anchoring.run_key import RunKey

EVENT = "anchor"
INTERVAL = 60.0
"""Seconds between two anchors."""
_ALWAYS = ("opened", "load", "gate", "end")
"""Events after which one is sent in any case: what was asked, what was answered, how it ended."""


class Anchoring:
    """Sends the heads of one journal.

    Args:
        places: by the words of the user.
        experiment: id of it.
        attempt: number of it.
        folder: of the evidence.
        key: that signs them; the journal names its public half.
        interval: seconds between two.
        between: events after which one may be sent, where it would disturb what is measured after others; empty for
            all.
    """

    def __init__(
        self,
        places: dict[str, Place],
        experiment: str,
        attempt: int,
        folder: Path,
        key: RunKey,
        interval: float = INTERVAL,
        between: Collection[str] = (),
    ) -> None:
        self._between = between
        self._places, self._experiment, self._attempt = places, experiment, attempt
        self._folder, self._interval = folder, interval
        self._last = float("-inf")
        self._first = ""
        self._key = key

    def stamps(self, event: str, line: int, head: str) -> Sequence[Stamped]:
        """What the journal writes down after an event: nothing where none is due.

        Args:
            event: that was written.
            line: lines that the journal has.
            head: hash of the last.
        """
        due = event in _ALWAYS or time.monotonic() - self._last >= self._interval
        if event == EVENT or not due or (self._between and event not in self._between):
            return ()
        self._last = time.monotonic()
        self._first = self._first or (head if line == 1 else next(iter(journal.links(self._folder)), ""))
        anchor = Anchor(experiment=self._experiment, attempt=self._attempt, line=line, head=head, first=self._first)
        signed = self._key.signed(anchor)
        return [self._sent(name, one, signed) for name, one in self._places.items()]

    def _sent(self, name: str, one: Place, anchor: Anchor) -> Stamped:
        try:
            return one.send(anchor, self._folder)
        except (WeighError, OSError) as error:
            # A witness that is gone ends no measurement: what is not anchored is reported by verify.
            return Stamped(to=name, anchor=anchor, error=one_line(str(error), 300))
