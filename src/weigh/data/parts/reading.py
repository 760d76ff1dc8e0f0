"""A user's own files read on a cluster: hashed, their pages compared and their rows digested where they lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.data.layout import file_facts
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.cluster.place import Part, Place
    from weigh.data.user_files import Tables
    from weigh.model.dataset import FileFacts
    from weigh.model.progress import Progress

_AHEAD = 4


class FileRead(NamedTuple):
    """A file as a worker read it.

    Attributes:
        facts: what it is.
        modified_ns: when its content was last changed, nanoseconds; the same before and after it was read.
    """

    facts: FileFacts
    modified_ns: int


def read(path: str, table: str) -> FileRead:
    """On a worker: read a file whole.

    Raises:
        DataFault: it is not there, is damaged, or changed while it was read.
    """
    file = Path(path)
    try:
        before = file.stat().st_mtime_ns
        facts = file_facts.file_facts(file, table, path, 1)
        after = file.stat().st_mtime_ns
    except FileNotFoundError:
        raise DataFault(
            "a worker does not find it", where=path, remedy="name files on a file system that all machines share"
        ) from None
    if before != after:
        raise DataFault("it changed while it was read", where=path, remedy="register it when nobody writes it")
    return FileRead(facts, after)


def read_all(place: Place, tables: Tables, progress: Progress) -> Mapping[Path, FileRead]:
    """Every file of every table, as workers read it.

    Raises:
        DataFault: as :func:`read`.
        EnvironmentFault: the cluster is gone.
    """
    files = [(file, table) for table, files in tables.items() for file in files]
    ahead = _AHEAD * sum(worker.threads for worker in place.workers())
    found: dict[Path, FileRead] = {}
    waiting: dict[Part, Path] = {}
    left = iter(files)
    while True:
        while len(waiting) < ahead and (one := next(left, None)):
            waiting[place.submit(read, str(one[0]), one[1])] = one[0]
        if not waiting:
            return found
        for done in place.gather(list(waiting)):
            if done.fault is not None:
                place.cancel(waiting)
                raise done.fault
            found[waiting.pop(done.part)] = done.value
            progress.step(len(found), len(files), "data: files read")
            break
