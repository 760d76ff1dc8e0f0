"""A history, written alongside the journal and checked: when its run is over, and again whenever it is verified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.generator_errors import call
from weigh.load.isolation.record import History, IsolationRun

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.evidence.journal import Journal


def ended(journal: Journal, folder: Path, run: int, generator: Any) -> None:
    """Keep the history of a run that is over, and write down what it shows.

    Args:
        journal: of the load.
        folder: of the evidence.
        run: its number.
        generator: that made it.
    """
    name = f"history-{run}.jsonl.gz"
    account = call(generator.account)
    retries = msgspec.json.decode(account)["retries"] if account else {}
    call(generator.write_history, folder / name)
    found = IsolationRun(run=run, file=name, retries=retries)
    try:
        found = msgspec.structs.replace(found, history=checked(folder / name))
    except ValueError as error:
        found = msgspec.structs.replace(found, unchecked=str(error))
    journal.append("isolation", found)


def checked(path: Path) -> History:
    """What the history in a file shows.

    Raises:
        ValueError: it cannot be read, or is none.
    """
    from weigh._native import check_history

    return msgspec.json.decode(check_history(path), type=History)
