"""The stage: the one place under which contenders see the data, so that it can be withdrawn from them."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from weigh.engines.loaded import Tables
from weigh.engines.process import WorkerEnded
from weigh.host import scratch
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.model.contender import Setting
    from weigh.model.dataset import Manifest


def tables_of(folder: Path, manifest: Manifest) -> Tables:
    """The tables of a manifest whose files lie in ``folder``."""
    from weigh._native import hash_bytes

    key = hash_bytes(" ".join(f"{file.table}:{file.blake3}" for file in manifest.files).encode())
    paths = {table: [str(folder / path) for path in manifest.paths(table)] for table in manifest.tables}
    return Tables(paths, key)


class DataLink:
    """A symbolic link to a layout's folder.

    An engine that has really executed a query does not need the data any more to hand out the answer. While the
    data is withdrawn, a lazy engine cannot answer (A5).

    Args:
        folder: where the layout's files are.
        manifest: of the layout.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._root = scratch.folder("stage")
        self._link = self._root / "data"
        self._link.symlink_to(folder.resolve(), target_is_directory=True)
        self._away = self._root / "withdrawn"
        self.tables = tables_of(self._link, manifest)
        self._hung: dict[tuple[str, str, str], WorkerEnded] = {}

    def start(
        self, ready: PreparedContender, tables: Tables | None = None, changed: Mapping[str, Setting] | None = None
    ) -> WorkerProcess:
        """A fresh life that sees the data; one that hung while it got its tables is not begun a second time.

        Each further life would hang as long again, and the gate begins one for every query.

        Args:
            ready: the contender.
            tables: other files than these, e.g. the same rows in more files.
            changed: settings to put over the contender's own.

        Raises:
            WorkerEnded: it could not be opened or bound, now or in an earlier life of the same kind.
        """
        tables = tables or self.tables
        kind = ready.name, tables.key, repr(sorted((changed or {}).items()))
        if kind in self._hung:
            before = self._hung[kind]
            raise WorkerEnded(before.outcome, before.detail, alive=False)
        try:
            return ready.start(tables, changed)
        except WorkerEnded as ended:
            if ended.outcome is Outcome.TIMEOUT:
                self._hung[kind] = ended
            raise

    @contextmanager
    def withdrawn(self) -> Iterator[None]:
        """While this lasts, none of the files can be opened."""
        self._link.rename(self._away)
        try:
            yield
        finally:
            self._away.rename(self._link)

    @contextmanager
    def showing(self, folder: Path, manifest: Manifest) -> Iterator[Tables]:
        """While this lasts, the same paths lead to the files of another layout, whose tables are given."""
        with self.withdrawn():
            self._link.symlink_to(folder.resolve(), target_is_directory=True)
            try:
                yield tables_of(self._link, manifest)
            finally:
                self._link.unlink()

    def close(self) -> None:
        """Remove the link, not the data."""
        shutil.rmtree(self._root, ignore_errors=True)

    def __enter__(self) -> DataLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
