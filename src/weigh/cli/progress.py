"""Progress on standard error: drawn on a terminal, one line a step elsewhere, nothing with --quiet."""

from __future__ import annotations

import sys
import time

from weigh.cli.output import clear_line, say
from weigh.model.progress import Progress, Silence


class Shown:
    """Progress for people. The protocol calls it between turns only, so nothing is drawn during a sample."""

    def __init__(self) -> None:
        self._drawn = False
        self._terminal = sys.stderr.isatty()
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        """A line that stays."""
        self._clear()
        say(f"[{time.monotonic() - self._began:5.1f} s] {text}", dim=True, err=True)

    def step(self, done: int, total: int, what: str) -> None:
        """A bar that is drawn over."""
        if not self._terminal:
            return
        width = 30
        filled = round(width * done / total) if total else width
        clear_line()
        say(f"{what} [{'#' * filled}{'.' * (width - filled)}] {done}/{total}", nl=False, err=True)
        self._drawn = True
        if done >= total:
            self._clear()

    def _clear(self) -> None:
        if self._drawn:
            clear_line()
            self._drawn = False


def progress(quiet: bool) -> Progress:
    """What the flags ask for."""
    return Silence() if quiet else Shown()
