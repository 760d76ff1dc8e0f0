"""Files of other tools, as entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.evidence import files
from weigh.history.entry import Entry, sealed
from weigh.history.imports import clickbench, otava
from weigh.history.imports.cells import LeftOut
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Form(NamedTuple):
    """How the files of a tool are told and read."""

    recognises: Callable[[str], bool]
    points: Callable[[str, str, LeftOut], dict[str, Any]]


class Imported(NamedTuple):
    """A file that was read.

    Attributes:
        entry: what it holds.
        left_out: cells that are no measurements.
    """

    entry: Entry
    left_out: LeftOut


FORMS = {
    "clickbench": Form(clickbench.recognises, clickbench.points),
    "otava": Form(otava.recognises, otava.points),
}


def imported(path: Path, form: str = "") -> Imported:
    """A file as an entry.

    Args:
        path: of it.
        form: a name of :data:`FORMS`; empty to tell it by its content.

    Raises:
        DataFault: it cannot be read, or is none of these.
    """
    try:
        content = files.content(path)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise DataFault(
            f"it cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}",
            where=str(path),
            remedy="name an evidence directory, Otava's CSV, or ClickBench's JSON",
        ) from error
    named = form or next((name for name, one in FORMS.items() if one.recognises(text)), "")
    if not named:
        raise DataFault(
            "it is neither evidence nor a file of Otava or ClickBench",
            where=str(path),
            remedy="an Otava CSV has a column `time`, a ClickBench JSON has `system`, `date`, `machine` and `result`",
        )
    file_hash, left_out = files.hashed(path), LeftOut()
    try:
        # Files of other systems end their lines in other ways.
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        fields = FORMS[named].points(lines, path.stem, left_out)
    except DataFault as error:
        raise DataFault(error.what, where=str(path), remedy=error.remedy) from error
    made = sealed(Entry(id=file_hash, evidence=path.name, path=str(path.resolve()), covers=(file_hash,), **fields))
    return Imported(made, left_out)
