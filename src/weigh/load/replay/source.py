"""The trace that a word of the command line names: a folder of ``weigh capture``, its trace, or a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.capture import trace as traces
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_PARQUET = b"PAR1"


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


def _of_log(log: Path, scratch: Path) -> Path:
    """The trace of a log.

    Raises:
        UsageError: it is no log that is known.
    """
    raise UsageError("it is no trace", where=str(log), remedy="make one: weigh capture LOG --out FOLDER")
