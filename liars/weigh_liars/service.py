"""A service by URL that bills: it counts what each query costs, and lies about itself when it is told to.

It answers over HTTP on loopback, in threads of the process that starts it, from tables that it holds in SQLite.
``engine`` is how weigh asks it: ``service://127.0.0.1:PORT``.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from weigh.plugins import Engine, ResultCache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Lie = Literal["none", "cache", "silent-cache", "half-cache", "queue", "fast-clock", "grows"]
"""What it does: a cache of results that its switch does not switch off, which it reports, or keeps to itself with
0 bytes, or that answers every second repetition alone; a time that leaves out the queue; one that is less than
possible; another size after some queries."""

engine = Engine(
    name="service",
    lineage="service",
    adapter=Path(__file__).parent / "service_adapter.py",
    requires=("pyarrow==26.0.1",),
    numbering="own",
    copies=True,
    variants=("weigh.url",),
    caches=(ResultCache(setting="use_cached_result", off=("off",)),),
    sizes=("warehouse_size",),
    statistics=True,
    about="a service that bills each query, for tests",
)


class Bill(NamedTuple):
    """One query that was charged for."""

    sql: str
    billed_bytes: int


class Service:
    """The service while it answers; ``with`` ends it.

    Args:
        tables: rows by table: names of columns, and tuples.
        lie: what it does besides answering.
        work_s: seconds that a query takes by its text: those of the first key that is in it; of others 5 ms.
        queue_s: seconds that one waits before, likewise.
        scanned: bytes that a query reads, likewise; of others one gigabyte.
    """

    def __init__(
        self,
        tables: Mapping[str, tuple[Sequence[str], Sequence[tuple[Any, ...]]]],
        lie: Lie = "none",
        work_s: Mapping[str, float] | None = None,
        queue_s: Mapping[str, float] | None = None,
        scanned: Mapping[str, int] | None = None,
    ) -> None:
        self.lie, self._work_s, self._queue_s, self.scanned = lie, work_s or {}, queue_s or {}, scanned or {}
        self.bills: list[Bill] = []
        self._results: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        for name, (columns, rows) in tables.items():
            self._database.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            marks = ", ".join("?" * len(columns))
            self._database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps(
                    owner.settings() if request["do"] == "settings" else owner.query(request["sql"])
                ).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"service://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def settings(self) -> dict[str, str]:
        """What is in force; a cache is always said to be off."""
        grown = self.lie == "grows" and len(self.bills) > 25
        return {"use_cached_result": "off", "warehouse_size": "LARGE" if grown else "SMALL"}

    def query(self, sql: str) -> dict[str, Any]:
        """Execute it, or what its lie does in the place of that, and write the bill."""
        caches = self.lie in ("cache", "silent-cache") or (self.lie == "half-cache" and self._is_second(sql))
        if caches and (found := self._results.get(sql)) is not None:
            with self._lock:
                self.bills.append(Bill(sql, 0))
            flag = {"cached": True} if self.lie == "cache" else {}
            return {**found, "stats": {"server_s": 1e-4, "queue_s": 0.0, "scanned_bytes": 0, **flag}}
        queue, work = _of(self._queue_s, sql, 0.0), _of(self._work_s, sql, 0.005)
        began = time.monotonic()
        time.sleep(queue + work)
        try:
            with self._lock:
                cursor = self._database.execute(sql)
                rows = cursor.fetchall()
        except sqlite3.Error as error:
            return {"error": str(error)}
        took = time.monotonic() - began
        scanned = int(_of(self.scanned, sql, 1_000_000_000))
        reported = {"server_s": took, "queue_s": queue, "scanned_bytes": scanned, "cached": False}
        if self.lie == "queue":
            reported |= {"server_s": took - queue, "queue_s": 0.0}
        if self.lie == "fast-clock":
            reported |= {"server_s": 1e-4, "queue_s": 0.0}
        found = {"columns": [one[0] for one in cursor.description], "rows": rows, "stats": reported}
        with self._lock:
            self.bills.append(Bill(sql, scanned))
            self._results[sql] = found
        return found

    def _is_second(self, sql: str) -> bool:
        """Of the repetitions of a text."""
        with self._lock:
            return sum(one.sql == sql for one in self.bills) % 2 == 1


def _of(table: Mapping[str, float], sql: str, usual: float) -> float:
    return next((value for part, value in table.items() if part in sql), usual)
