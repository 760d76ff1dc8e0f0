"""Habits with other processes."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from typing import Any

import pyarrow as pa

from .base import Engine, stream


class Child(Engine):
    """Computes in a process that it forked before it opened anything, and says that it does."""

    elsewhere = True

    def connect(self) -> Any:
        self.ours, theirs = multiprocessing.Pipe()
        self.child = multiprocessing.get_context("fork").Process(target=serve, args=(theirs, self.scratch), daemon=True)
        self.child.start()
        return self

    def ask(self, *message: Any) -> Any:
        self.ours.send(message)
        done, value = self.ours.recv()
        if not done:
            raise RuntimeError(value)
        return value

    def version(self) -> str:
        return str(self.ask("fetch", "SELECT version()")).removeprefix("v")

    def settings(self) -> dict[str, dict[str, Any]]:
        return {"threads": {"value": self.ask("fetch", "SELECT current_setting('threads')")}}

    def bind(self, tables: dict[str, list[str]]) -> None:
        self.ask("bind", tables)

    def run(self) -> int:
        with pa.ipc.open_stream(self.ask("run", self.sql)) as found:
            self.table = found.read_all()
        return int(self.table.num_rows)

    def close(self) -> None:
        self.ours.send(("close",))
        self.child.join(2)


def serve(pipe: Any, scratch: str) -> None:
    """What the child does until it is told to end."""
    engine = Engine({}, scratch)
    while True:
        what, *rest = pipe.recv()
        if what == "close":
            return
        try:
            if what == "bind":
                pipe.send((True, engine.bind(*rest)))
            elif what == "fetch":
                pipe.send((True, engine.connection.execute(*rest).fetchall()[0][0]))
            else:
                engine.prepare(*rest)
                engine.run()
                pipe.send((True, bytes(stream(engine.table))))
        except Exception as error:
            pipe.send((False, f"{type(error).__name__}: {error}"))


class AsksVersion(Engine):
    """Asks another program which version it is."""

    def version(self) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "import duckdb; print(duckdb.__version__)"],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()
