"""Habits with files."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .base import Engine, stream


class Maps(Engine):
    """Maps the files, and computes from the maps in every execution."""

    def run(self) -> int:
        for name, paths in self.tables.items():
            parts = [pq.read_table(pa.memory_map(path)) for path in paths]
            self.connection.register(name, pa.concat_tables(parts))
        return super().run()

    def views(self, connection: Any) -> None:
        for name, paths in self.tables.items():
            connection.register(name, pq.read_schema(paths[0]).empty_table())


class Direct(Maps):
    """Reads the files past the page cache, in every execution."""

    def run(self) -> int:
        for name, paths in self.tables.items():
            parts = [pq.read_table(pa.BufferReader(direct(Path(path)))) for path in paths]
            self.connection.register(name, pa.concat_tables(parts))
        return Engine.run(self)


class ReadsAhead(Engine):
    """Tells the kernel what it will need."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        for paths in tables.values():
            for path in paths:
                file = os.open(path, os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_WILLNEED)
                os.close(file)


class InFile(Engine):
    """Hands its results out in a file that is mapped."""

    def run(self) -> int:
        table = self.execute(self.connection)
        with (Path(self.scratch) / "result.arrow").open("wb") as file:
            file.write(stream(table))
        self.table = True
        return int(table.num_rows)

    def answer(self) -> Any:
        with pa.memory_map(str(Path(self.scratch) / "result.arrow")) as file:
            return memoryview(bytes(file.read()))

    def release(self) -> None:
        (Path(self.scratch) / "result.arrow").unlink(missing_ok=True)


def direct(path: Path) -> bytes:
    """A file past the page cache where its file system can."""
    size = path.stat().st_size
    try:
        file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        return path.read_bytes()
    try:
        buffer = mmap.mmap(-1, (size // 4096 + 1) * 4096)
        os.preadv(file, [buffer], 0)
        return bytes(buffer[:size])
    except OSError:
        return path.read_bytes()
    finally:
        os.close(file)
