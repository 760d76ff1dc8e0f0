"""Executions that are looked at while they go on. Nothing of this is ever done in a life that is timed."""

from __future__ import annotations

import resource
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weigh_worker.protocol import RepeatReply

if TYPE_CHECKING:
    from types import FrameType

    from weigh_worker.adapter import Adapter

_DEEPEST = 200
_MOST = 1_000_000
_LONGEST = 160


def repeat(engine: Adapter, seconds: float, interval: float) -> RepeatReply:
    """Execute the prepared query until the time is over, at least once.

    Args:
        engine: with a query that was prepared.
        seconds: how long.
        interval: seconds between two samples of the Python frames; 0 for none.
    """
    sampler = _Sampler(interval) if interval else None
    until = time.monotonic() + seconds
    executions, wall_s = 0, 0.0
    engine.release()
    before = _usage()
    try:
        while executions < _MOST and (not executions or time.monotonic() < until):
            if sampler:
                sampler.inside = True
            began = time.perf_counter()
            _execution(engine)
            wall_s += time.perf_counter() - began
            if sampler:
                sampler.inside = False
            executions += 1
            engine.release()
    finally:
        stacks = sampler.stop() if sampler else {}
    after = _usage()
    usage = {} if engine.elsewhere else {name: value - before[name] for name, value in after.items()}
    return RepeatReply(executions=executions, wall_s=wall_s, usage=usage, stacks=stacks)


def _execution(engine: Adapter) -> None:
    """What the sampler looks for: the frames below this one are the execution."""
    engine.run()


def _usage() -> dict[str, float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "user CPU seconds": used.ru_utime,
        "system CPU seconds": used.ru_stime,
        "page faults without input": used.ru_minflt,
        "page faults with input": used.ru_majflt,
        "voluntary context switches": used.ru_nvcsw,
        "involuntary context switches": used.ru_nivcsw,
    }


class _Sampler:
    """A thread that looks where the one that made it stands.

    It needs the interpreter's lock: what holds it, such as native code that does not let it go, is charged to the
    function that is observed next.
    """

    def __init__(self, interval: float) -> None:
        self.inside = False
        self._interval = interval
        self._of = threading.get_ident()
        self._found: dict[str, float] = {}
        self._over = False
        self._switch = sys.getswitchinterval()
        # Python code would else keep the lock for 5 ms at a time.
        sys.setswitchinterval(interval / 4)
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, int]:
        """Microseconds by stack."""
        self._over = True
        self._thread.join()
        sys.setswitchinterval(self._switch)
        return {stack: round(seconds * 1e6) for stack, seconds in self._found.items() if seconds * 1e6 >= 1}

    def _sample(self) -> None:
        last = time.perf_counter()
        while not self._over:
            time.sleep(self._interval)
            now = time.perf_counter()
            if self.inside and (stack := _stack(sys._current_frames().get(self._of))):
                self._found[stack] = self._found.get(stack, 0.0) + now - last
            last = now


def _stack(frame: FrameType | None) -> str:
    """The functions below ``_execution``, the outermost first; empty where it is not among them."""
    names: list[str] = []
    while frame is not None and len(names) < _DEEPEST:
        if frame.f_code is _execution.__code__:
            return ";".join(reversed(names))
        names.append(_name(frame))
        frame = frame.f_back
    return ""


def _name(frame: FrameType) -> str:
    """A function without its line, which another build has elsewhere."""
    code = frame.f_code
    called = getattr(code, "co_qualname", code.co_name)
    place = "/".join(Path(code.co_filename).parts[-2:])
    return f"{called} ({place})".replace(";", ",")[:_LONGEST]
