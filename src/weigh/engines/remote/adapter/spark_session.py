"""A session of Spark Connect with the part of DB-API that a life needs: its answers are Arrow already."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

    import pyarrow as pa

    from .profile import Rows


class Session:
    """One session.

    Args:
        spark: the client's.
        interrupter: interrupts what it executes where its standard input ends without a byte.
    """

    def __init__(self, spark: Any, interrupter: subprocess.Popen[bytes]) -> None:
        self._spark = spark
        self._interrupter: subprocess.Popen[bytes] | None = interrupter

    def cursor(self) -> Cursor:
        """For one statement after another."""
        return Cursor(self._spark)

    def close(self) -> None:
        """End it, in order; at the second time nothing."""
        if self._interrupter is None:
            return
        with suppress(OSError):
            self._interrupter.communicate(b".", timeout=5)
        self._interrupter = None
        self._spark.stop()


class Cursor:
    """A statement and its answer.

    Attributes:
        table: the answer, as it came.
    """

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self.table: pa.Table | None = None

    @property
    def description(self) -> list[tuple[str, pa.DataType]]:
        """Names of the answer's columns, and their types."""
        return [] if self.table is None else [(field.name, field.type) for field in self.table.schema]

    def execute(self, sql: str) -> None:
        """Send a statement, and take its whole answer."""
        self.table = self._spark.sql(sql).toArrow()

    def fetchall(self) -> Rows:
        """Its rows, as Python has them."""
        assert self.table is not None
        return list(zip(*(column.to_pylist() for column in self.table.columns), strict=True))

    def close(self) -> None:
        """Drop it."""
        self.table = None
