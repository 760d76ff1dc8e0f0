"""Runs that tests of several files read: the first worker that needs one makes it, and nobody changes it."""

from __future__ import annotations

import fcntl
import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from support.command import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ANEW = pytest.StashKey[bool]()
"""Whether the test that is being set up is measured again: what others made is left alone, and not used."""


class Once:
    """Makes each run once.

    Args:
        common: folder that all workers of this session share.
        config: of pytest.
    """

    def __init__(self, common: Path, config: pytest.Config) -> None:
        self._common = common
        self._config = config

    def __call__(self, name: str, make: Callable[[], Run]) -> Run:
        """The run of this name: kept, or made now."""
        if self._config.stash.get(ANEW, False):
            return make()
        kept = self._common / f"{name}.run"
        with alone(self._common / f"{name}.lock"):
            if not kept.exists():
                kept.write_bytes(pickle.dumps(make()))
            run = pickle.loads(kept.read_bytes())
        assert isinstance(run, Run)
        return run


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One worker at a time."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
