"""What a long command says while it works. The command line decides whether and where it is shown."""

from __future__ import annotations

import time
from typing import Protocol

from weigh.model import units


class Progress(Protocol):
    """Somebody who is told how far it is. Never called while a sample is in flight."""

    def say(self, text: str) -> None:
        """A step begins, or something worth a line of its own."""

    def step(self, done: int, total: int, what: str) -> None:
        """``done`` of ``total`` parts of the present step are behind us."""


class Silence:
    """Tells nobody."""

    def say(self, text: str) -> None:
        """Show nothing."""

    def step(self, done: int, total: int, what: str) -> None:
        """Show nothing."""


class Remaining:
    """How long equal parts of a work will still take, by those that are done.

    Args:
        parts: how many there are.
        each_s: what one takes at least, as long as none is done.
    """

    def __init__(self, parts: int, each_s: units.Seconds) -> None:
        self._parts, self._each_s, self._done = parts, each_s, 0
        self._began = time.monotonic()

    def next(self) -> str:
        """A part begins: ``, some 4 min 10 s left``."""
        if self._done:
            self._each_s = (time.monotonic() - self._began) / self._done
        left = (self._parts - self._done) * self._each_s
        word = "some" if self._done else "at least"
        self._done += 1
        return f", {word} {units.duration(left)} left"
