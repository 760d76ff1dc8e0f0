"""EVIDENCE on the command line: a directory, or ``latest``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh import _runs

if TYPE_CHECKING:
    import os


class EvidencePath(click.Path):
    """An evidence directory; ``latest`` is the newest of ``runs``, ``DIR/latest`` that of DIR."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The directory.

        Raises:
            EvidenceFault: there is no evidence to be the latest.
        """
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        return _runs.resolve(path)


evidence_argument = click.argument("evidence", metavar="EVIDENCE", type=EvidencePath())
