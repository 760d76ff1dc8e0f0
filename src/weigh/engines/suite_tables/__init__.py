"""Tables that a suite's own statements make, by DuckDB or chDB in an environment and a confinement of its own.

The statements are of others: they see the suite's folder and no other, write nothing but the tables, and reach no
network. What is not allowed is refused by statement, so that the reason can name it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Literal

import msgspec

from weigh.engines import chdb, duckdb, surroundings
from weigh.engines import environment as environments
from weigh.engines.suite_tables import chdb_runner, duckdb_runner
from weigh.model.contender import parse_contender
from weigh.model.errors import DataFault, EngineFault
from weigh.model.text import one_line
from weigh_worker import confinement

Dialect = Literal["duckdb", "clickhouse"]
_LIMIT = 3600.0
"""Seconds for the statements of one load: what takes longer has gone wrong."""
_WORDS, _STATEMENT = 200, 80
"""Characters of an engine's words, and of a statement, that stand in a reason."""
REPORT = "report.json"


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a runner says of the statements.

    Attributes:
        refused: the statement that was not executed, or failed; empty where all went well.
        why: a clause about it: what it does that is not allowed, or the engine's words.
        allowed: whether it was allowed, and failed.
        others: what was made besides tables, by its name: ``macro``, ``type``, ``setting`` ...
        bad: by table why it is none that can be used.
        ignored: settings that were passed over, because they decide how fast tables are made and nothing else.
    """

    refused: str = ""
    why: str = ""
    allowed: bool = True
    others: dict[str, str] = {}
    bad: dict[str, str] = {}
    ignored: list[str] = []


def by(dialect: Dialect) -> str:
    """Who executes the statements, with the version."""
    return f"chDB {chdb.engine.tested}" if dialect == "clickhouse" else f"DuckDB {duckdb.engine.tested}"


def make(script: str, dialect: Dialect, suite: Path, folder: Path, cache: Path) -> LoadReport:
    """Execute statements, and write each table that is there afterwards to ``TABLE.parquet``.

    Args:
        script: of DuckDB statements as they are, of ClickHouse each ended by a semicolon and a new line.
        dialect: of the statements.
        suite: the folder that they may read.
        folder: for the files.
        cache: weigh's cache directory.

    Raises:
        EnvironmentFault: the engine is not cached and cannot be had.
        DataFault: a statement is not allowed, or failed.
        EngineFault: the engine itself failed.
    """
    name = by(dialect)
    if dialect == "clickhouse":
        needed, runner = chdb.engine.requirements(parse_contender("chdb")), str(chdb_runner.__file__)
    else:
        needed, runner = duckdb.engine.requirements(parse_contender("duckdb")), str(duckdb_runner.__file__)
    python = environments.ensure(needed, cache).python
    job = {"script": script, "folder": str(folder.resolve()), "suite": str(suite.resolve())}
    command = [str(python), "-I", runner]
    try:
        done = subprocess.run(
            surroundings.confined(command, [Path(runner), suite.resolve()], folder.resolve()),
            input=msgspec.json.encode(job),
            capture_output=True,
            timeout=_LIMIT,
            check=False,
            cwd=suite,
            env=confinement.environment(str(folder)),
            # A signal that it sends to its process group does not reach weigh.
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise EngineFault(f"{name} did not end within {_LIMIT:.0f} s", remedy="make smaller tables") from error
    try:
        report = msgspec.json.decode((folder / REPORT).read_bytes(), type=LoadReport)
    except (OSError, msgspec.DecodeError):
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise DataFault(
            f"its tables cannot be made: {name} ended with code {done.returncode}: "
            f"{one_line(lines[-1], _WORDS) if lines else 'it said nothing'}",
            remedy="make smaller tables",
        ) from None
    if report.refused:
        statement = one_line(report.refused, _STATEMENT)
        why = one_line(report.why, _WORDS)
        if not report.allowed:
            raise DataFault(
                f"its load {why.removeprefix('it ')}: not allowed in suites ({statement})",
                remedy="leave that statement out",
            )
        raise DataFault(f"its tables cannot be made: {name} says: {why} ({statement})", remedy="mend the statement")
    return report
