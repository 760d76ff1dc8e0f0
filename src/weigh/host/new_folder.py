"""A folder that is there whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """A place beside it, which becomes it at the end, or goes.

    Args:
        out: a folder that is not there, or is empty.

    Raises:
        UsageError: something is there already, or it cannot be made.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError("there is something already", where=str(out), remedy="name a folder that is not there: --out")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise UsageError(f"the folder cannot be made: {error.strerror}", where=str(out), remedy=_ELSEWHERE) from None
    try:
        yield place
        place.chmod(0o755)
        if out.exists():
            out.rmdir()
        place.rename(out)
    finally:
        shutil.rmtree(place, ignore_errors=True)


_ELSEWHERE = "name a folder where you may write: --out"
