"""A layout copied to memory (tmpfs), for contenders whose data is to lie there."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh.data.layout import file_facts
from weigh.host import scratch, storage
from weigh.model import units
from weigh.model.errors import DataFault, EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.data.cache import CachedData

_SPARE = 0.1
"""Share of the free memory that is left to others."""


@contextmanager
def in_memory(data: CachedData) -> Iterator[CachedData]:
    """The same files in memory, while this lasts; verified, as they were copied.

    Raises:
        EnvironmentFault: there is no memory-backed file system, or not enough room on it.
        DataFault: the copies are not what was copied.
    """
    folder = scratch.folder("tmpfs", in_memory=True)
    try:
        found, free = storage.place(folder), shutil.disk_usage(folder).free
        if found.kind != "memory":
            raise EnvironmentFault(
                f"the store tmpfs is memory, and {folder.parent} is on {found.on}",
                where="store tmpfs",
                remedy="mount a tmpfs at /dev/shm, or leave out the store",
            )
        if data.manifest.bytes > (1 - _SPARE) * free:
            raise EnvironmentFault(
                f"the data needs {units.size(data.manifest.bytes)} of memory, and {units.size(free)} are free",
                where=str(folder.parent),
                remedy="choose a smaller --scale, or leave out the store",
            )
        # Engines that run as another user must get there.
        folder.chmod(0o755)
        for file in data.manifest.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(data.folder / file.path, target)
        if problems := file_facts.verify(folder, data.manifest):
            raise DataFault(problems[0].text, where=str(folder), remedy="run it again; memory may be failing")
        yield data._replace(folder=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
