"""Statements executed by chDB in an environment of its own, for tables that a suite makes."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import msgspec

from weigh.engines import chdb_sql_runner
from weigh.engines import environment as environments
from weigh.engines.chdb import engine
from weigh.model.contender import parse_contender
from weigh.model.errors import DataFault, EngineFault

if TYPE_CHECKING:
    from pathlib import Path

NAME = f"chDB {engine.tested}"


def tables(script: str, folder: Path, cache: Path, timeout: float) -> None:
    """Execute statements, and write each table that is there afterwards to ``TABLE.parquet``.

    Args:
        script: statements, each ended by a semicolon and a new line.
        folder: for the files.
        cache: weigh's cache directory.
        timeout: seconds for all of it.

    Raises:
        EnvironmentFault: chDB is not cached and cannot be had.
        DataFault: a statement failed.
        EngineFault: chDB itself failed.
    """
    python = environments.ensure(engine.requirements(parse_contender("chdb")), cache).python
    try:
        done = subprocess.run(
            [str(python), "-I", str(chdb_sql_runner.__file__)],
            input=msgspec.json.encode({"script": script, "folder": str(folder)}),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineFault(f"{NAME} did not end within {timeout:.0f} s", remedy="make smaller tables") from error
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode == chdb_sql_runner.REFUSED:
        raise DataFault(f"{NAME} says: {said[-1]}", remedy="mend the statement")
    if done.returncode:
        raise EngineFault(
            f"{NAME} ended with code {done.returncode}: {said[-1] if said else 'it said nothing'}",
            remedy="remove weigh's cached environments and try again",
        )
