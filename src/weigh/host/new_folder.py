"""A folder that is there whole or not at all."""

from __future__ import annotations

import glob
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh.host import scratch
from weigh.model.errors import EnvironmentFault, UsageError, refusal, remedy_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def new_folder(out: Path, *, replaces: bool = False) -> Iterator[Path]:
    """A place alongside it, which becomes it at the end, or goes; what killed processes left there goes before.

    Args:
        out: a folder that is not there, or is empty.
        replaces: whether a folder that is there goes when the new one is whole.

    Raises:
        UsageError: something is there already.
        EnvironmentFault: it cannot be made or filled.
    """
    if out.exists() and not replaces and (not out.is_dir() or any(out.iterdir())):
        raise UsageError("there is something already", where=str(out), remedy="name a folder that is not there: --out")
    name = f".{out.name}"
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        scratch.sweep_in(out.parent, glob.escape(name))
        place = scratch.made(name, out.parent)
    except OSError as error:
        raise EnvironmentFault(
            f"the folder cannot be made: {refusal(error)}", where=str(out), remedy=f"--out: {remedy_of(error)}"
        ) from error
    old: Path | None = None
    try:
        yield place
        place.chmod(0o755)
        if replaces and out.exists():
            # At no moment is the old one half there, also where this is killed.
            old = scratch.made(name, out.parent)
            out.rename(old)
        elif out.exists():
            out.rmdir()
        place.rename(out)
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(place)):
            raise
        raise EnvironmentFault(
            f"the folder cannot be filled: {refusal(error)}",
            where=str(out),
            remedy=f"--out: {remedy_of(error)}",
        ) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)
