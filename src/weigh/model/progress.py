"""What a long command says while it works. The command line decides whether and where it is shown."""

from __future__ import annotations

from typing import Protocol


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
