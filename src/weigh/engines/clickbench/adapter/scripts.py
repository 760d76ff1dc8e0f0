"""The scripts of a system, called in its folder."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path

NAMES = ("start", "check", "stop", "load", "query", "data-size")
"""Those that weigh calls. ``install`` may change the machine: it is the user's to call, once."""
_CHECK_S = 300.0
_STOP_S = 60.0
_BETWEEN_S = 0.1
_TAIL = 1500


def complete(folder: Path) -> None:
    """Whether a folder has all scripts.

    Raises:
        FileNotFoundError: it lacks one, or one cannot be executed.
    """
    missing = [name for name in NAMES if not os.access(folder / name, os.X_OK) or not (folder / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{folder} is no system of ClickBench: it has no executable {', '.join(missing)}")


class System:
    """A system in a folder of its own.

    Attributes:
        home: the folder.
        restartable: whether there is something to start and to stop; an embedded one is a process for every query.
        durable: whether what was loaded is still there after ``stop`` and ``start``.

    Args:
        home: as above.
        scratch: where what the scripts print goes.
    """

    def __init__(self, home: Path, scratch: Path) -> None:
        self.home = home
        self._log = scratch / "scripts.log"
        text = (home / "benchmark.sh").read_text(errors="replace") if (home / "benchmark.sh").is_file() else ""
        said = dict(re.findall(r"^\s*(?:export\s+)?(BENCH_\w+)=[\"']?(\w+)", text, re.MULTILINE))
        self.restartable = said.get("BENCH_RESTARTABLE", "yes") != "no"
        self.durable = said.get("BENCH_DURABLE", "yes") != "no"
        self._environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            RuntimeError: it answers before it was started, or not in time.
        """
        if self.restartable and self._call("check") == 0:
            raise RuntimeError(
                "it answers before it was started: stop its server; two of one system cannot live at the same time. One "
                "without a server says so in benchmark.sh: BENCH_RESTARTABLE=no"
            )
        # Some say that they failed where they were running already; check decides.
        self._call("start")
        if not self._until(answers=True, patience=_CHECK_S):
            raise RuntimeError(f"./check did not succeed within {_CHECK_S:.0f} s of ./start; {self._printed()}")

    def load(self) -> None:
        """Load what lies in the folder.

        Raises:
            RuntimeError: a script failed, or there is no data afterwards.
        """
        if code := self._call("load"):
            raise RuntimeError(f"./load ended with exit code {code}; {self._printed()}")
        if self._call("check") != 0:
            raise RuntimeError(f"./check fails after ./load; {self._printed()}")
        done = subprocess.run(["./data-size"], cwd=self.home, env=self._environment, capture_output=True, check=False)
        size = done.stdout.strip()
        if done.returncode or not size.isdigit() or not int(size):
            raise RuntimeError(
                f"./data-size says {size[:80].decode(errors='replace')!r} after ./load, and not some bytes"
            )

    def query(self, sql: str) -> bytes:
        """What ``query`` prints for a query.

        Raises:
            RuntimeError: it failed.
        """
        with self._log.open("wb") as log:
            done = subprocess.run(
                ["./query"],
                cwd=self.home,
                env=self._environment,
                input=sql.encode(),
                stdout=subprocess.PIPE,
                stderr=log,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"./query ended with exit code {done.returncode}; {self._printed()}")
        return done.stdout

    def stop(self) -> None:
        """Stop it, and wait until it is gone: whoever is told to stop may still be there."""
        self._call("stop")
        if self.restartable and not self._until(answers=False, patience=_STOP_S):
            raise RuntimeError(f"./check still succeeds {_STOP_S:.0f} s after ./stop")

    def _until(self, *, answers: bool, patience: float) -> bool:
        end = time.monotonic() + patience
        while (self._call("check") == 0) is not answers:
            if time.monotonic() > end:
                return False
            time.sleep(_BETWEEN_S)
        return True

    def _call(self, name: str) -> int:
        # To a file and not to a pipe: a server that it leaves behind would hold the pipe open.
        with self._log.open("wb") as log:
            return subprocess.run(
                [f"./{name}"],
                cwd=self.home,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode

    def _printed(self) -> str:
        said = self._log.read_bytes()[-_TAIL:].decode(errors="replace").strip() if self._log.exists() else ""
        return f"it printed: {said}" if said else "it printed nothing"
