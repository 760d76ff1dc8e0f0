"""SQL executed by DuckDB in an environment of its own, for what is computed about experiments and not in them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.engines import duckdb_sql_runner
from weigh.engines import environment as environments
from weigh.engines.duckdb import engine
from weigh.model.errors import DataFault, EngineFault

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = f"DuckDB {engine.tested}"
_TIMEOUT = 600.0


class DuckDB:
    """DuckDB at the version that weigh is tested with.

    Args:
        cache: weigh's cache directory, where its environment is or will be.
        timeout: seconds for one call.
    """

    def __init__(self, cache: Path, timeout: float = _TIMEOUT) -> None:
        self._cache = cache
        self._timeout = timeout

    def __call__(self, script: str, queries: Sequence[str]) -> list[list[dict[str, Any]]]:
        """Execute a script, then queries, in one connection to a database in memory.

        Returns:
            The rows of each query.

        Raises:
            EnvironmentFault: DuckDB is not cached and cannot be had.
            DataFault: a statement failed, as with a file that is damaged.
            EngineFault: DuckDB itself failed.
        """
        python = environments.ensure([f"{engine.package}=={engine.tested}"], self._cache).python
        try:
            done = subprocess.run(
                [str(python), "-I", str(duckdb_sql_runner.__file__)],
                input=msgspec.json.encode({"script": script, "queries": list(queries)}),
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EngineFault(
                f"{NAME} did not answer within {self._timeout:.0f} s", remedy="try again on a quieter machine"
            ) from error
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        if done.returncode == duckdb_sql_runner.REFUSED:
            raise DataFault(f"{NAME} cannot compute it: {lines[-1]}", remedy="see weigh verify: a file may be damaged")
        if done.returncode:
            raise EngineFault(
                f"{NAME} ended with code {done.returncode}: {lines[-1] if lines else 'it said nothing'}",
                remedy="remove weigh's cached environments and try again",
            )
        answers: list[list[dict[str, Any]]] = msgspec.json.decode(done.stdout)
        return answers
