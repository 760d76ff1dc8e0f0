"""Small systems in ClickBench's form: folders with scripts, SQLite behind them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

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
_SQL = {
    "kinds": "SELECT kind, count(*) AS events, sum(amount) AS total FROM events GROUP BY kind ORDER BY kind",
    # It takes much longer than starting a script.
    "pairs": "SELECT count(*) AS events FROM events AS a JOIN events AS b ON b.id < 900 AND a.amount < b.amount",
}
_KINDS = {"kind": "string", "events": "integer", "total": "integer"}
_QUERIES = {
    "": _PYTHON + _QUERY,
    # It prints a made time.
    "made": _PYTHON + _QUERY.replace("{took:.3f}", "0.001"),
    # It answers nothing, soon.
    "silent": _SHELL + "echo 0.001 >&2\n",
    # It answers with no rows, soon.
    "empty": _PYTHON + _QUERY.replace("done.fetchall()", "[]"),
    "hangs": _SHELL + "sleep 600 & wait\n",
    "fails": _SHELL + "echo out of luck >&2\nexit 3\n",
}


def system(folder: Path, kind: str = "") -> str:
    """A system in a folder of its kind's name, as a contender."""
    made = folder / (kind or "honest")
    made.mkdir()
    quiet = dict.fromkeys(("start", "check", "stop"), _SHELL)
    texts = {**quiet, "load": _PYTHON + _LOAD, "query": _QUERIES[kind], "data-size": _SHELL + "wc -c < base.sqlite\n"}
    for name, text in texts.items():
        (made / name).write_text(text)
        (made / name).chmod(0o755)
    (made / "benchmark.sh").write_text("export BENCH_RESTARTABLE=no\n")
    return f"{made.name}=clickbench:./{made.name}?{SETTINGS}"


def make_experiment(folder: Path) -> None:
    """One table, and two queries: a quick one, and one that takes longer than starting a script."""
    rows = range(5000)
    table = {"id": list(rows), "kind": [f"k{n % 7}" for n in rows], "amount": [n * 7919 % 1000 for n in rows]}
    pq.write_table(pa.table(table), folder / "events.parquet")
    (folder / "queries").mkdir()
    for name, sql in _SQL.items():
        (folder / "queries" / f"{name}.sql").write_text(sql)
        columns = [column for column in _KINDS if column in sql.partition(" FROM ")[0]]
        schema = [f'[[column]]\nname = "{one}"\nkind = "{_KINDS[one]}"\nmatch = "exact"\n' for one in columns]
        (folder / "queries" / f"{name}.toml").write_text("\n".join(schema))
    (folder / "weigh.toml").write_text(
        '[experiment]\nworkload = "sql"\n\n[sql]\nfolder = "queries"\n\n[sql.tables]\nevents = "events.parquet"\n'
    )
