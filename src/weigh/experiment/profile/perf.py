"""Samples of all code by Linux' ``perf``, where the machine has it and permits it."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.experiment.profile.stacks import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FREQUENCY = 997
"""Samples a second of each CPU: a prime, so that it does not beat with what happens a thousand times a second."""
_STACK = 16384
"""Bytes of each stack: unwinding by DWARF needs them; frame pointers alone give a depth of five."""
_FRAME = re.compile(r"^\s*[0-9a-f]+ (.*) \((.*)\)$")
_PATIENCE = 60.0
_START = 10.0
_DEEPEST = 120


class Perf:
    """Samples of processes.

    Attributes:
        lacks: why there are none; empty where there are.
        stacks: microseconds by stack.
    """

    def __init__(self) -> None:
        self.lacks = "" if shutil.which("perf") else "perf is not installed (Debian: linux-perf)"
        self.stacks: dict[str, int] = {}

    @contextmanager
    def sampling(self, pids: Sequence[int], folder: Path) -> Iterator[None]:
        """Sample processes while this lasts.

        Args:
            pids: which.
            folder: for the raw samples, which are removed.
        """
        if self.lacks:
            yield
            return
        raw = folder / "perf.data"
        # cpu-clock: virtual machines count no cycles. -D -1: samples are taken when it is told to.
        how = ["-e", "cpu-clock", "-F", str(FREQUENCY), "--call-graph", f"dwarf,{_STACK}", "-D", "-1"]
        with _pipes() as (orders, replies):
            record = subprocess.Popen(
                ["perf", "record", "-q", *how, "--control", f"fd:{orders[0]},{replies[1]}", "-p",
                 ",".join(map(str, pids)), "-o", str(raw)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                pass_fds=(orders[0], replies[1]), start_new_session=True,
            )  # fmt: skip
            try:
                os.write(orders[1], b"enable\n")
                self._begun(record, replies[0])
                yield
            finally:
                # Its group: some distributions put a script before it.
                _signal(record, signal.SIGINT)
                try:
                    _, errors = record.communicate(timeout=_PATIENCE)
                except subprocess.TimeoutExpired:
                    _signal(record, signal.SIGKILL)
                    _, errors = record.communicate()
        self._read(raw, errors.decode(errors="replace"))

    @staticmethod
    def _begun(record: subprocess.Popen[bytes], replies: int) -> None:
        """Wait until it says that it samples, or it has ended."""
        until = time.monotonic() + _START
        while record.poll() is None and time.monotonic() < until:
            if select.select([replies], [], [], 0.05)[0]:
                return

    def _read(self, raw: Path, errors: str) -> None:
        try:
            # Without inlined functions: naming them takes minutes for a large library.
            show = ["perf", "script", "-i", str(raw), "--no-inline", "-F", "comm,tid,ip,sym,dso"]
            done = subprocess.run(show, capture_output=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL)
            text = done.stdout.decode(errors="replace")
        except (OSError, subprocess.TimeoutExpired) as error:
            self.lacks = f"perf's samples cannot be read: {error}"
            return
        finally:
            raw.unlink(missing_ok=True)
        for stack in stacks(text):
            self.stacks[stack] = self.stacks.get(stack, 0) + round(1e6 / FREQUENCY)
        if not self.stacks:
            lines = [line.strip() for line in errors.splitlines() if line.strip() not in ("", "Error:")]
            self.lacks = (
                f"perf cannot sample here: {lines[0].rstrip('.')} (see /proc/sys/kernel/perf_event_paranoid)"
                if lines
                else "perf took no sample: the executions use next to no CPU time"
            )


def _signal(record: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if record.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(record.pid, number)


@contextmanager
def _pipes() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Two: for orders, and for replies; their ends for reading and for writing."""
    orders, replies = os.pipe(), os.pipe()
    try:
        yield orders, replies
    finally:
        for end in (*orders, *replies):
            os.close(end)


def stacks(text: str) -> list[str]:
    """The stacks that ``perf script`` prints, a paragraph each, the innermost frame first."""
    found = []
    for paragraph in text.split("\n\n"):
        frames = [frame for line in paragraph.splitlines() if (frame := _FRAME.match(line))]
        if frames:
            found.append(";".join(_name(frame[1], frame[2]) for frame in reversed(frames[:_DEEPEST])))
    return found


def _name(symbol: str, library: str) -> str:
    """A function with its library, as far as it is known; without its offset, which another build has elsewhere."""
    place = Path(library).name
    called = UNKNOWN if symbol == "[unknown]" else symbol
    return f"{called} ({place})".replace(";", ",")
