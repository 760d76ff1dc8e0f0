"""The trace that a word of the command line names: a folder of ``weigh capture``, its trace, or a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.capture import results, run
from weigh.capture import trace as traces
from weigh.model.errors import UsageError
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from pathlib import Path

_PARQUET = b"PAR1"
_OF_SCRIPTS = ("rare", "utility", "failed", "cut-transaction")
"""What a capture leaves out of its scripts only: the trace has it."""


def find(word: Path, scratch: Path) -> Path:
    """Where the trace lies; made of a log if that is what the word names.

    Args:
        word: of the command line.
        scratch: an empty folder for a trace that is made.

    Raises:
        UsageError: there is nothing of the kind.
    """
    remedy = "name a folder that `weigh capture` wrote, its trace.parquet, or a log"
    if word.is_dir():
        found = word / traces.FILE
        if not found.is_file():
            raise UsageError("the folder holds no trace", where=str(word), remedy=remedy)
        return found
    try:
        with word.open("rb") as file:
            begins = file.read(len(_PARQUET))
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror or error}", where=str(word), remedy=remedy) from None
    return word if begins == _PARQUET else _of_log(word, scratch)


def coverage(trace: Path) -> str:
    """What the capture that made a trace left out or changed, in a sentence; empty where nothing is alongside it."""
    try:
        found = msgspec.json.decode((trace.parent / results.FILE).read_bytes(), type=results.CaptureResults)
    except (OSError, msgspec.DecodeError):
        return ""
    reasons = "; ".join(f"{one.number:,} {one.text}" for one in found.left_out if one.reason not in _OF_SCRIPTS)
    return f"Left out or changed when it was captured: {reasons}." if reasons else ""


def _of_log(log: Path, scratch: Path) -> Path:
    """The trace of a log, as ``weigh capture LOG`` makes it.

    Raises:
        UsageError: it is no log that is known, or holds no calls with their moments.
    """
    made = scratch / "captured"
    run.capture(run.Wanted(paths=(log,)), made, Silence())
    trace = made / traces.FILE
    if not trace.is_file():
        raise UsageError(
            "its statements have no moments", where=str(log), remedy="totals cannot be replayed: capture a log"
        )
    return trace
