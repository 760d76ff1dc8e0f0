"""The scripts of a system, called in its folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple

from weigh_worker import Failed

if TYPE_CHECKING:
    from pathlib import Path

_START_S = 300.0
_STOP_S = 60.0
_CHECK_S = 30.0
"""Seconds that a script may take. Only ``load`` and ``query`` may take longer: weigh has limits for these itself."""
_BETWEEN_S = 0.1
_TAIL = 1500
_SECONDS = re.compile(rb"^[0-9]+(?:\.[0-9]+)?$")


class Answered(NamedTuple):
    """What ``query`` printed.

    Attributes:
        answer: on standard output.
        server_s: seconds that it says the query took: the last number alone on a line of standard error, as ClickBench
            takes it; None where it does not say.
    """

    answer: bytes
    server_s: float | None


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
        # To files and not to pipes: a server that a script leaves behind would hold a pipe open.
        self._log, self._out = scratch / "scripts.log", scratch / "answer"
        text = (home / "benchmark.sh").read_text(errors="replace") if (home / "benchmark.sh").is_file() else ""
        settings = dict(re.findall(r"^\s*(?:export\s+)?(BENCH_\w+)=[\"']?(\w+)", text, re.MULTILINE))
        self.restartable = settings.get("BENCH_RESTARTABLE", "yes") != "no"
        self.durable = settings.get("BENCH_DURABLE", "yes") != "no"
        self._environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            Failed: it answers before it was started, or not in time.
        """
        if self.restartable and self._answers():
            raise Failed(
                "it answers before it was started: stop its server; two of one system cannot live at the same time. "
                "One without a server says so in benchmark.sh: BENCH_RESTARTABLE=no"
            )
        # Some say that they failed where they were running already; check decides.
        with suppress(subprocess.TimeoutExpired):
            self._call("start", _START_S)
        if not self._until(answers=True, patience=_START_S):
            raise Failed(f"./check did not succeed within {_START_S:.0f} s of ./start; {self._printed()}")

    def load(self) -> None:
        """Load what lies in the folder.

        Raises:
            Failed: a script failed, or there is no data afterwards.
        """
        if code := self._call("load"):
            raise Failed(f"./load ended with exit code {code}; {self._printed()}")
        if not self._answers():
            raise Failed(f"./check fails after ./load; {self._printed()}")
        try:
            code = self._call("data-size", _CHECK_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"./data-size did not end within {_CHECK_S:.0f} s") from None
        size = self._out.read_bytes().strip()
        if code or not size.isdigit() or not int(size):
            size_text = size[:80].decode(errors="replace")
            raise Failed(f"./data-size says {size_text!r} after ./load, and not some bytes; {self._printed()}")

    def query(self, sql: str) -> Answered:
        """What ``query`` prints for a query.

        Raises:
            Failed: it failed.
        """
        if code := self._call("query", given=sql.encode()):
            raise Failed(f"./query ended with exit code {code}; {self._printed()}")
        lines = self._log.read_bytes().replace(b"\r", b"\n").split(b"\n")
        last = next((line.strip() for line in reversed(lines) if _SECONDS.match(line.strip())), None)
        return Answered(self._out.read_bytes(), None if last is None or len(last) > _TAIL else float(last))

    def stop(self) -> None:
        """Stop it, and wait until it is gone: whoever is told to stop may still be there.

        Raises:
            Failed: it still answers.
        """
        with suppress(subprocess.TimeoutExpired):
            self._call("stop", _STOP_S)
        if self.restartable and not self._until(answers=False, patience=_STOP_S):
            raise Failed(f"./check still succeeds {_STOP_S:.0f} s after ./stop; {self._printed()}")

    def _answers(self) -> bool:
        try:
            return self._call("check", _CHECK_S) == 0
        except subprocess.TimeoutExpired:
            return False

    def _until(self, *, answers: bool, patience: float) -> bool:
        end = time.monotonic() + patience
        while self._answers() is not answers:
            if time.monotonic() > end:
                return False
            time.sleep(_BETWEEN_S)
        return True

    def _call(self, name: str, limit: float | None = None, given: bytes = b"") -> int:
        """Exit code of a script; what it prints is in the two files."""
        with self._out.open("wb") as out, self._log.open("wb") as log, _given(given) as text:
            process = subprocess.Popen(
                [f"./{name}"],
                cwd=self.home,
                env=self._environment,
                stdin=text,
                stdout=out,
                stderr=log,
                process_group=0,
            )
            try:
                return process.wait(limit)
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise

    def _printed(self) -> str:
        parts = [path.read_bytes()[-_TAIL:].decode(errors="replace").strip() for path in (self._log, self._out)]
        output = "; ".join(part for part in parts if part)
        return f"it printed: {output}" if output else "it printed nothing"


def _given(text: bytes) -> IO[bytes]:
    """A file in memory that a script reads from its beginning: it may end without having read."""
    file = os.fdopen(os.memfd_create("query"), "w+b")
    file.write(text)
    file.seek(0)
    return file
