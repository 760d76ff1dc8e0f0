"""Executed as a file in the environment of a generator of the TPC's data; imports nothing of weigh.

The one argument is a JSON object::

    {"do": "tpchgen", "scale": 1.0, "parts": 4, "part": 1, "folder": ..., "codec": "SNAPPY", "threads": 1}
    {"do": "dbgen", "scale": 1.0, "parts": 10, "part": 1, "folder": ...}
    {"do": "texts", "scale": 1.0}
    {"do": "dsdgen", "scale": 1.0, "folder": ...}
    {"do": "tpcds_texts"}

The first two make one part, counted from 1, as ``<folder>/<table>/*.parquet``. ``texts`` prints the queries, and the
published answers at that scale factor. The last two are the same of TPC-DS, all in one part, without answers. Stdin is
held open by weigh: when it ends, weigh is gone, and so is this.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


def main() -> None:
    """Do what the argument says."""
    job = json.loads(sys.argv[1])
    do = {"tpchgen": tpchgen, "dbgen": dbgen, "texts": texts, "dsdgen": dsdgen, "tpcds_texts": tpcds_texts}
    do[job["do"]](job)


def tpchgen(job: dict[str, Any]) -> None:
    """One part by tpchgen-cli, which lies alongside this interpreter."""
    program = Path(sys.executable).with_name("tpchgen-cli")
    command = [str(program), "parquet", "-s", repr(job["scale"]), "-p", str(job["parts"]), "--part", str(job["part"])]
    command += ["-c", job["codec"], "-n", str(job["threads"]), "-o", job["folder"], "-q"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        _end_with_stdin(process)
    sys.exit(abs(process.returncode))


def dbgen(job: dict[str, Any]) -> None:
    """One part by DuckDB's dbgen, in memory, then copied out."""
    _end_with_stdin()
    connection = _duckdb()
    connection.execute(f"CALL dbgen(sf={job['scale']!r}, children={job['parts']}, step={job['part'] - 1})")
    _copy_out(connection, TABLES, Path(job["folder"]))


def dsdgen(job: dict[str, Any]) -> None:
    """Everything by DuckDB's dsdgen, which knows no parts: in a file, so that it need not fit into memory."""
    _end_with_stdin()
    place = Path(job["folder"])
    place.mkdir(parents=True)
    file = place / "made.duckdb"
    connection = _duckdb("tpcds", str(file))
    connection.execute(f"CALL dsdgen(sf={job['scale']!r})")
    _copy_out(connection, _tables(connection), place)
    connection.close()
    file.unlink()


def tpcds_texts(job: dict[str, Any]) -> None:
    """Queries as a list of pairs of number and text."""
    queries = _duckdb("tpcds").execute("SELECT query_nr, query FROM tpcds_queries() ORDER BY query_nr").fetchall()
    json.dump({"queries": queries}, sys.stdout)


def _tables(connection: Any) -> list[str]:
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]


def _copy_out(connection: Any, tables: Iterable[str], place: Path) -> None:
    for table in tables:
        folder = place / table
        folder.mkdir(parents=True)
        path = str(folder / f"{table}.parquet").replace("'", "''")
        connection.execute(f"COPY {table} TO '{path}' (FORMAT PARQUET)")
        connection.execute(f"DROP TABLE {table}")


def texts(job: dict[str, Any]) -> None:
    """Queries and answers as lists of pairs of number and text."""
    connection = _duckdb()
    queries = connection.execute("SELECT query_nr, query FROM tpch_queries() ORDER BY query_nr").fetchall()
    answers = connection.execute(
        "SELECT query_nr, answer FROM tpch_answers() WHERE scale_factor = ? ORDER BY query_nr", [job["scale"]]
    ).fetchall()
    json.dump({"queries": queries, "answers": answers}, sys.stdout)


def _duckdb(name: str = "tpch", place: str = ":memory:") -> Any:
    """A connection with the extension out of its package: nothing is downloaded, nothing is installed."""
    import duckdb

    (extension,) = Path(str(files(f"duckdb_extension_{name}"))).glob(f"extensions/*/{name}.duckdb_extension")
    off = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    connection = duckdb.connect(place, config={**off, "threads": 1})
    path = str(extension).replace("'", "''")
    connection.execute(f"LOAD '{path}'")
    return connection


def _end_with_stdin(process: subprocess.Popen[bytes] | None = None) -> None:
    """End with whoever holds the other end of stdin; a killed weigh leaves nobody working."""

    def wait() -> None:
        # Not through sys.stdin: its lock, held here for ever, would make the interpreter fail when it ends.
        os.read(0, 1)
        if process is not None:
            process.kill()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main()
