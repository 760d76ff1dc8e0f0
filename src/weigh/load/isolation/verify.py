"""Whether a kept history shows again what the journal says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.isolation.checking import checked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.load.isolation.record import IsolationRun


def departures(folder: Path, runs: tuple[IsolationRun, ...]) -> Iterator[tuple[str, str]]:
    """Files whose history shows something else, each with what.

    Args:
        folder: of the evidence.
        runs: as the journal has them.
    """
    for run in runs:
        if not run.file or run.history is None:
            continue
        if run.file != f"history-{run.run}.jsonl.gz":
            yield run.file, f"the history of run {run.run} has another name"
            continue
        try:
            found = checked(folder / run.file)
        except ValueError as error:
            yield run.file, f"the history cannot be checked: {error}"
            continue
        if found != run.history:
            yield run.file, f"the history of run {run.run} does not show what the journal says"
