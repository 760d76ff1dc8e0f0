"""Sealing: the last thing that happens to the evidence of any experiment, however it ended."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh import __version__
from weigh.evidence import attempts
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.experiment.record import End


@contextmanager
def sealed(folder: Path, journal: Journal, end: End | None) -> Iterator[None]:
    """Write the end and close the journal; what is derived from it is written in the body; then seal.

    Args:
        folder: the attempt's directory.
        journal: of the attempt.
        end: how it ended; None where the journal says so already.

    Raises:
        EnvironmentFault: there is no room.
    """
    journal.release()
    try:
        if end is not None:
            journal.append("end", end)
        journal.close()
        yield
        attempts.seal(folder, __version__)
    except OSError as error:
        raise EnvironmentFault(
            f"the evidence cannot be sealed: {error.strerror}",
            where=str(folder),
            remedy="free space; `weigh report` reads the journal as it is",
        ) from error
