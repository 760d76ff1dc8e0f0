"""Progress on standard error: drawn on a terminal, one line a step elsewhere, nothing with --quiet."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple, TextIO

from weigh.cli.output import clear_line, say
from weigh.model import units
from weigh.model.progress import Progress, Silence

if TYPE_CHECKING:
    from collections.abc import Iterator

_EVERY = 30.0
"""Seconds without a line after which one says how far a step is, where no bar can be drawn."""


_TELLING = 5.0
"""Seconds of a step after which its pace tells how long it will go on."""


class _Course(NamedTuple):
    """The present step: the first word of its name, when it began, and how much was done then."""

    name: str
    began: float
    done: int


class Terminal:
    """Progress for people. The protocol calls it between turns only, so nothing is drawn during a sample."""

    def __init__(self) -> None:
        self._drawn = False
        self._terminal = sys.stderr.isatty()
        self._began = self._written = time.monotonic()
        self._course = _Course("", 0.0, 0)

    def say(self, text: str) -> None:
        """A line that stays."""
        self._written = time.monotonic()
        with _reader_gone():
            self._clear()
            say(f"[{time.monotonic() - self._began:5.1f} s] {text}", dim=True, err=True)

    def step(self, done: int, total: int, what: str) -> None:
        """A bar that is drawn over; elsewhere a line now and then, so that nobody takes it for dead."""
        left = self._left(done, total, what)
        if not self._terminal:
            if time.monotonic() - self._written > _EVERY and done < total:
                self.say(f"{what}: {done:,} of {total:,}{left}")
            return
        width = 30
        filled = round(width * done / total) if total else width
        with _reader_gone():
            clear_line()
            say(f"{what} [{'#' * filled}{'.' * (width - filled)}] {done}/{total}{left}", nl=False, err=True)
            self._drawn = True
            if done >= total:
                self._clear()

    def _left(self, done: int, total: int, what: str) -> str:
        """How long it will still go on at the pace since its beginning: ``, some 4 min 10 s left``."""
        # A rate that is told anew each time is the same course.
        name = what.partition(" ")[0].strip("0123456789.,")
        now = time.monotonic()
        if name != self._course.name or done < self._course.done:
            # What was written last was that it begins.
            self._course = _Course(name, self._written, 0 if done <= 1 else done)
        parts = done - self._course.done
        if parts <= 0 or done >= total or now - self._course.began < _TELLING:
            return ""
        return f", some {units.duration((now - self._course.began) / parts * (total - done))} left"

    def _clear(self) -> None:
        if self._drawn:
            clear_line()
            self._drawn = False


@contextmanager
def _reader_gone() -> Iterator[None]:
    """A measurement goes on where nobody reads its progress any more: a closed pipe, a terminal that is gone."""
    try:
        yield
    except OSError:
        forget_if_gone(sys.stderr)


def forget_if_gone(stream: TextIO | None) -> None:
    """Write a stream that cannot be written any more to nowhere from now on."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def progress(quiet: bool) -> Progress:
    """What the flags ask for."""
    return Silence() if quiet else Terminal()
