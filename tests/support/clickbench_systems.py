"""Small systems in ClickBench's form: folders with scripts, SQLite behind them."""

from __future__ import annotations

import importlib.util
import re
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from weigh.engines.clickbench import engine

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("start", "check", "stop", "load", "query", "data-size")
SETTINGS = "weigh.data=csv&weigh.answer=csv-header"
_SHELL = "#!/bin/sh\n"
_PYTHON = f"#!{sys.executable} -IS\n"
_LOAD = """\
import csv, sqlite3

base = sqlite3.connect("base.sqlite")
base.execute("CREATE TABLE events (id INTEGER, kind TEXT, amount INTEGER)")
with open("events.csv", newline="") as file:
    base.executemany("INSERT INTO events VALUES (?, ?, ?)", csv.reader(file))
base.commit()
"""
_QUERY = """\
import csv, sqlite3, sys, time

began = time.perf_counter()
done = sqlite3.connect("base.sqlite").execute(sys.stdin.read())
rows = done.fetchall()
took = time.perf_counter() - began
out = csv.writer(sys.stdout, lineterminator="\\n")
out.writerow([column[0] for column in done.description])
out.writerows(rows)
print(f"{took:.3f}", file=sys.stderr)
"""
_TABLE = """\
import sqlite3, sys

done = sqlite3.connect("base.sqlite").execute(sys.stdin.read())
cells = [["" if cell is None else str(cell) for cell in row] for row in done]
names = [column[0] for column in done.description]
wide = [max(map(len, column)) for column in zip(names, *cells)]
print(" " + " | ".join(name.center(width) for name, width in zip(names, wide)))
print("-+-".join("-" * width for width in wide).join("--"))
for row in cells:
    print(" " + " | ".join(cell.ljust(width) for cell, width in zip(row, wide)).rstrip())
print(f"({len(cells)} rows)\\n")
"""
_SQL = {
    "kinds": "SELECT kind, count(*) AS events, sum(amount) AS total FROM events GROUP BY kind ORDER BY kind",
    # It takes much longer than starting a script.
    "pairs": "SELECT count(*) AS events FROM events AS a JOIN events AS b ON b.id < 900 AND a.amount < b.amount",
}
_KINDS = {"kind": "string", "other": "string", "events": "integer", "total": "integer"}
_QUERIES = {
    "": _PYTHON + _QUERY,
    # It prints a made time.
    "made": _PYTHON + _QUERY.replace("{took:.3f}", "0.001"),
    # It answers nothing, soon.
    "silent": _SHELL + "echo 0.001 >&2\n",
    # It answers with no rows, soon.
    "empty": _PYTHON + _QUERY.replace("done.fetchall()", "[]"),
    # They print tables for people: one that is right, and one with a wrong count in it.
    "table": _PYTHON + _TABLE,
    "wrong": _PYTHON + _TABLE.replace("for row in done]", "for row in ((row[0], row[1] + 1) for row in done)]"),
    "hangs": _SHELL + "sleep 600 & wait\n",
    "fails": _SHELL + "echo out of luck >&2\nexit 3\n",
}


def adapter() -> Any:
    """The adapter's modules, as a worker imports them."""
    name = "clickbench_adapter"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, engine.adapter)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


def system(folder: Path, kind: str = "", settings: str = SETTINGS) -> str:
    """A system in a folder of its kind's name, as a contender."""
    made = folder / (kind or "honest")
    made.mkdir()
    quiet = dict.fromkeys(("start", "check", "stop"), _SHELL)
    texts = {**quiet, "load": _PYTHON + _LOAD, "query": _QUERIES[kind], "data-size": _SHELL + "wc -c < base.sqlite\n"}
    for name, text in texts.items():
        (made / name).write_text(text)
        (made / name).chmod(0o755)
    (made / "benchmark.sh").write_text("export BENCH_RESTARTABLE=no\n")
    return f"{made.name}=clickbench:./{made.name}?{settings}"


def make_experiment(folder: Path, queries: dict[str, str] = _SQL) -> None:
    """One table, and two queries: a quick one, and one that takes longer than starting a script."""
    rows = range(5000)
    table = {"id": list(rows), "kind": [f"k{n % 7}" for n in rows], "amount": [n * 7919 % 1000 for n in rows]}
    pq.write_table(pa.table(table), folder / "events.parquet")
    (folder / "queries").mkdir()
    for name, sql in queries.items():
        (folder / "queries" / f"{name}.sql").write_text(sql)
        columns = [one for one in _KINDS if re.search(rf"(SELECT|AS|,) {one}\b", sql.partition(" FROM ")[0])]
        schema = [f'[[column]]\nname = "{one}"\nkind = "{_KINDS[one]}"\nmatch = "exact"\n' for one in columns]
        (folder / "queries" / f"{name}.toml").write_text("\n".join(schema))
    (folder / "weigh.toml").write_text(
        '[experiment]\nworkload = "sql"\n\n[sql]\nfolder = "queries"\n\n[sql.tables]\nevents = "events.parquet"\n'
    )
