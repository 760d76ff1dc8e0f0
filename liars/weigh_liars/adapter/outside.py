"""Work that is done where no clock is (A11): by others, or by itself at another time. And honest work there."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from .honest import Engine

GROUPS = "/sys/fs/cgroup/cpuacct"
"""Where control groups account CPU and nothing else."""


def burn(seconds: float) -> None:
    """Use so much CPU."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class Caching(Engine):
    """Hands back under the clock what was computed at another time."""

    cache: dict[str, tuple[int, Any, list[Any]]]

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.cache = {}

    def compute(self) -> None:
        """Execute, outside every clock; for longer than a query of a few rows takes, to be observed alongside it."""
        rows = self.consume(self.sql)
        self.cache[self.sql] = (rows, self.schema, self.chunks)
        burn(0.02)

    def run(self) -> int:
        if self.sql not in self.cache:
            self.compute()
        rows, self.schema, self.chunks = self.cache.pop(self.sql)
        return rows


class Release(Caching):
    """Executes when it is told to free the result before."""

    def release(self) -> None:
        super().release()
        if self.sql:
            self.compute()


class Collector(Caching):
    """Executes when the garbage collector is called."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        gc.callbacks.append(self.collected)

    def collected(self, phase: str, _: dict[str, int]) -> None:
        """The collector begins or ends."""
        if phase == "stop" and self.sql and self.sql not in self.cache:
            self.compute()


class Ahead(Caching):
    """Executes in a thread, from when it gets the query and after each answer, for the next time."""

    thread: threading.Thread | None = None

    def prepare(self, sql: str) -> None:
        self.finish()
        super().prepare(sql)
        self.begin()

    def answer(self) -> Any:
        self.begin()
        return super().answer()

    def release(self) -> None:
        self.finish()
        self.chunks = []

    def begin(self) -> None:
        """Execute meanwhile."""
        self.thread = threading.Thread(target=self.compute)
        self.thread.start()

    def compute(self) -> None:
        # What the answer before was made of is still being handed out.
        stream = self.stream(self.sql, self.connection.cursor())
        schema, chunks = stream.get_schema(), list(stream)
        self.cache[self.sql] = (sum(chunk.length for chunk in chunks), schema, chunks)
        burn(0.02)

    def finish(self) -> None:
        """Wait for it."""
        if self.thread is not None:
            self.thread.join()


_WORK = """
import sys, time
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    pass
for name in sys.argv[2:]:
    open(name, "w").close()
"""


def helper(seconds: float) -> list[str]:
    """The command of a process that uses so much CPU."""
    return [sys.executable, "-S", "-c", _WORK, str(seconds)]


class Child(Engine):
    """Has a child do the work while its clock runs: its own CPU seconds are those of waiting."""

    def run(self) -> int:
        subprocess.run(helper(0.03), check=True)
        return super().run()


class Left(Engine):
    """Has a child do it before the clock starts, out of the control group that counts its CPU."""

    def prepare(self, sql: str) -> None:
        super().prepare(sql)
        if self.child is None or self.child.poll() is not None:
            self.child = subprocess.Popen(helper(60.0))
            self.place(self.child.pid)

    child: subprocess.Popen[bytes] | None = None

    def place(self, pid: int) -> None:
        """Put it where the group is in."""
        Path(GROUPS, "cgroup.procs").write_text(str(pid))


class Planted(Left):
    """Puts its child into the control groups of its rivals in turn, whose CPU it is counted as then."""

    def place(self, pid: int) -> None:
        threading.Thread(target=self.wander, args=(pid,), daemon=True).start()

    def wander(self, pid: int) -> None:
        """Move it from group to group."""
        group_here = Path("/proc/self/cgroup").read_text().partition(":cpuacct:/")[2].partition("\n")[0]
        while True:
            for group in Path(GROUPS).glob(f"{group_here.rpartition('-')[0]}-*c"):
                if group.name != group_here:
                    with contextlib.suppress(OSError):
                        (group / "cgroup.procs").write_text(str(pid))
                    time.sleep(0.02)


class PrepareInChild(Engine):
    """Has a child do it before the clock starts."""

    def prepare(self, sql: str) -> None:
        super().prepare(sql)
        subprocess.run(helper(0.06), check=True)


class Daemon(Engine):
    """Has a process that is nobody's child do it, and waits for it before its clock starts."""

    def release(self) -> None:
        super().release()
        if self.sql:
            done = Path(self.scratch) / "done"
            done.unlink(missing_ok=True)
            orphan([*helper(0.04), str(done)])
            while not done.exists():
                time.sleep(0.002)


def orphan(command: list[str]) -> None:
    """Start a process of a session of its own, whose parent ends at once."""
    subprocess.run(
        ["/bin/sh", "-c", '"$@" </dev/null >/dev/null 2>&1 &', "sh", *command], start_new_session=True, check=True
    )


class Burns(Engine):
    """Has a process keep a CPU busy, but not while it executes itself: its rivals get the other one."""

    burner: subprocess.Popen[bytes] | None = None

    def answer(self) -> Any:
        found = super().answer()
        self.burner = subprocess.Popen(helper(60.0))
        return found

    def prepare(self, sql: str) -> None:
        self.pause()
        super().prepare(sql)

    def run(self) -> int:
        self.pause()
        return super().run()

    def pause(self) -> None:
        """Leave the CPU alone."""
        if self.burner is not None:
            self.burner.kill()
            self.burner.wait()


class Helper(Engine):
    """Honest: prints, and has a process of its own that does a little for every query."""

    process: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        rows = super().run()
        os.write(1, b"printing\n")
        if self.process is None:
            self.process = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert self.process.stdin
        self.process.stdin.write(b"a line\n")
        self.process.stdin.flush()
        return rows


class Compiler(Engine):
    """Honest: compiles every query for 15 ms when it is handed over, and the first time for 40 ms more, in run."""

    warm = False

    def prepare(self, sql: str) -> None:
        super().prepare(sql)
        burn(0.015)

    def run(self) -> int:
        if not self.warm:
            self.warm = True
            burn(0.04)
        return super().run()


class Compaction(Engine):
    """Honest: tidies up after every query, as a store with a log does, and says so."""

    background = "compaction"

    def answer(self) -> Any:
        found = super().answer()
        threading.Thread(target=burn, args=(0.03,)).start()
        return found


class ForkedServer(Engine):
    """Honest: a process of its own executes, and the adapter says so."""

    elsewhere = True

    def run(self) -> int:
        subprocess.run(helper(0.03), check=True)
        return super().run()


class FalseServer(Engine):
    """Names the first process of the machine as its server: what that one uses would be nobody's disturbance."""

    def servers(self) -> list[int]:
        return [1]


class FalseVersion(Engine):
    """Says that it is the next version."""

    def version(self) -> str:
        return "9.9.9"


class InMemory(Engine):
    """Copies the tables into memory when it is given them."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind({f"given_{name}": paths for name, paths in tables.items()})
        for name in tables:
            self.connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given_{name}")


class Sums(Engine):
    """Adds the rows up when it first executes a query over protocols, and answers all of those from the sums."""

    made = False

    def run(self) -> int:
        if "sum(packets)" not in self.sql or "GROUP BY proto" not in self.sql:
            return super().run()
        if not self.made:
            self.connection.execute(
                "CREATE TABLE sums AS SELECT proto, count(*) AS n, sum(packets) AS p FROM events GROUP BY proto"
            )
            self.made = True
        summed = self.sql.replace("count(*)", "CAST(sum(n) AS BIGINT)").replace("sum(packets)", "sum(p)")
        return self.consume(summed.replace("FROM events", "FROM sums"))


class OtherFiles(Engine):
    """Names a file of its own as its data, so that the real ones stay in memory before a cold execution."""

    def files(self) -> list[str]:
        path = Path(self.scratch) / "decoy.parquet"
        path.write_bytes(bytes(4096))
        return [str(path)]
