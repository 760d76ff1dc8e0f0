"""Agents of a load that lie, each a preload of a worker of Dask: ``dask worker ... --preload weigh_liars.agents``.

WEIGH_LIARS_AGENT says what is done. Nothing of the honest agent is changed but what the lie is about.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import Any

import weigh._native
from weigh.load.fleet import agent

AHEAD = 5.0
"""Seconds by which a wall clock is wrong, or is set meanwhile."""
FAST = 0.02
"""By which a clock runs fast."""
STUTTER = (0.045, 0.005)
"""Seconds that it stands still, and that it goes on."""


def dask_setup(_: Any) -> None:
    lie, _, value = os.environ.get("WEIGH_LIARS_AGENT", "none").partition(":")
    {"none": _none, "late": _late, "wall": _wall, "set": _set, "fast": _fast, "proxied": _proxied}[lie](value)


def _none(_: str) -> None:
    pass


def _late(_: str) -> None:
    """Its process is held back all the time, a little."""
    honest = agent.Agent._offer

    def offer(self: Any, at: int) -> None:
        stop, go = STUTTER
        loop = f"while kill -STOP {os.getpid()}; do sleep {stop}; kill -CONT {os.getpid()}; sleep {go}; done"
        child = subprocess.Popen(["sh", "-c", f"sleep 1.2; {loop}"], start_new_session=True)
        try:
            honest(self, at)
        finally:
            child.kill()
            child.wait()

    agent.Agent._offer = offer


class _Clock:
    """The clocks of an agent as it tells them; what it measures by is another."""

    def __init__(self) -> None:
        self.ahead = 0.0
        self.fast = 0.0
        self.began = time.monotonic_ns()

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def time_ns(self) -> int:
        return time.time_ns() + round(self.ahead * 1e9)

    def monotonic_ns(self) -> int:
        now = time.monotonic_ns()
        return now + round((now - self.began) * self.fast)


def _clock() -> _Clock:
    clock = _Clock()
    agent.time = clock
    return clock


def _wall(_: str) -> None:
    _clock().ahead = AHEAD


def _fast(_: str) -> None:
    _clock().fast = FAST


def _set(_: str) -> None:
    clock, honest = _clock(), agent.Agent._offer

    def offer(self: Any, at: int) -> None:
        honest(self, at)
        clock.ahead += AHEAD

    agent.Agent._offer = offer


def _proxied(port: str) -> None:
    """Somebody on its way to the server answers in the server's place."""
    honest = weigh._native.Load

    def load(config: str) -> Any:
        settings = json.loads(config)
        settings["target"] |= {"host": "127.0.0.1", "port": int(port)}
        settings["target"].pop("socket", None)
        return honest(json.dumps(settings))

    weigh._native.Load = load
