"""EVIDENCE on the command line: a directory, the id of one of ``runs``, or ``latest``."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli import completing
from weigh.kinds.folder import resolve
from weigh.model.errors import EvidenceFault, WeighError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


class EvidencePath(click.Path):
    """An evidence directory, as :func:`weigh.kinds.folder.resolve` finds it."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The directory.

        Raises:
            EvidenceFault: as of that.
        """
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)
        return resolve(path)


@contextmanager
def others_evidence(evidence: Path) -> Iterator[None]:
    """Of everything that reads evidence: anybody may have made it, and with such values nothing may be computable.

    Raises:
        EvidenceFault: that is so.
    """
    from weigh.evidence.verification import uncomputable

    try:
        yield
    except (WeighError, OSError, click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        raise EvidenceFault(
            uncomputable(error),
            where=str(evidence),
            remedy="see `weigh verify`; if nobody edited it, this is a mistake of weigh, and WEIGH_DEBUG=1 shows where",
        ) from error


evidence_argument = click.argument(
    "evidence", metavar="EVIDENCE", type=EvidencePath(), shell_complete=completing.evidence
)
