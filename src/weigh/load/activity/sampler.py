"""The process that looks at a server, as weigh asks it: over pipes, within a time and a size."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.activity.model import Activity
from weigh.load.waits.pipe import Pipe
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from weigh.model.units import Seconds

_SCRIPT = Path(__file__).parent / "sampling" / "process.py"
_PATIENCE = 15.0
"""Seconds for an answer: to connect, which a begin takes, and some."""
_PARTING = 2.0


class _Begun(msgspec.Struct):
    error: str = ""


class ActivityByPipe:
    """A sampler in another process, as of :class:`weigh.load.activity.model.ActivitySampler`.

    Args:
        pipe: to that process.
        prefix: of what it is asked, where it is asked other things as well.
    """

    def __init__(self, pipe: Pipe, prefix: str = "") -> None:
        self._pipe = pipe
        self._prefix = prefix

    def begin(self, origin: Seconds) -> None:
        """Look from now on.

        Raises:
            EngineFault: the server or the process refuses.
        """
        begun = msgspec.json.decode(self._request(f"begin {origin!r}"), type=_Begun)
        if begun.error:
            raise EngineFault(begun.error)

    def drain(self) -> Activity:
        """What was observed since it was asked before.

        Raises:
            EngineFault: the process has ended.
        """
        return msgspec.json.decode(self._request("drain"), type=Activity)

    def end(self) -> Activity:
        """Look no more, and what was observed last.

        Raises:
            EngineFault: the process has ended.
        """
        return msgspec.json.decode(self._request("end"), type=Activity)

    def _request(self, what: str) -> bytes:
        return self._pipe.ask(f"{self._prefix}{what}", _PATIENCE)


class ActivityProcess:
    """A process of its own that looks, started with the first run.

    Args:
        asked: what to look at: ``path`` of an SQLite database, or how to ``connect`` to a server that speaks RESP, and
            its process ``server``.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self._request = request
        self._process: subprocess.Popen[bytes] | None = None
        self._sampler: ActivityByPipe | None = None

    def begin(self, origin: Seconds) -> None:
        """As of :class:`ActivityByPipe`."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                # Ctrl-C is for weigh, whose end closes its standard input.
                start_new_session=True,
            )
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(msgspec.json.encode(self._request) + b"\n")
            self._process.stdin.flush()
            self._sampler = ActivityByPipe(Pipe(self._process.stdin, self._process.stdout))
        self._there.begin(origin)

    def drain(self) -> Activity:
        """As of :class:`ActivityByPipe`."""
        return self._there.drain()

    def end(self) -> Activity:
        """As of :class:`ActivityByPipe`."""
        return self._there.end()

    def close(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(timeout=_PARTING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    @property
    def _there(self) -> ActivityByPipe:
        if self._sampler is None:
            raise EngineFault("nobody has begun to look")
        return self._sampler
