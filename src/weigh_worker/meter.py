"""The clock, and what is done before it starts.

Whatever runs just before the clock also decides how warm the processor's caches are when it starts. So what is alive
when the engine is ready is set aside from garbage collection: a full collection walks every object of the imported
engine and was observed to add 250 us to a query of 300 us.

What an adapter puts in the place of ``time.perf_counter_ns`` or ``resource.getrusage`` is not asked: both are bound
here, before any adapter is imported. A process that rewrites this module's memory cannot be kept from it; weigh's own
time of the same request bounds what it says then.
"""

from __future__ import annotations

import gc
import resource
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Measured(NamedTuple):
    """What the clock says of one execution.

    Attributes:
        wall_ns: nanoseconds inside it.
        cpu_s: user and system CPU seconds of all threads.
        rows: what was executed gave back.
    """

    wall_ns: int
    cpu_s: float
    rows: int


class Meter(NamedTuple):
    """What measures, as functions that nobody can replace by name.

    Attributes:
        keep: set aside everything that was made until now. What imports leave as garbage is kept with it: looking for
            that takes a tenth of the start of a life.
        settle: set aside everything that is alive now, so that later collections are short.
        collect: collect garbage, and keep the collector off from now on.
        resume: let the collector work again.
        measure: execute once under the clock.
    """

    keep: Callable[[], None]
    settle: Callable[[], None]
    collect: Callable[[], None]
    resume: Callable[[], None]
    measure: Callable[[Callable[[], int]], Measured]


def meter() -> Meter:
    """A meter over the clocks of this moment."""
    now, usage, usage_self = time.perf_counter_ns, resource.getrusage, resource.RUSAGE_SELF
    collected, freeze, enable, disable = gc.collect, gc.freeze, gc.enable, gc.disable
    made = Measured

    def settle() -> None:
        collected()
        freeze()

    def collect() -> None:
        collected()
        disable()

    def measure(execute: Callable[[], int]) -> Measured:
        disable()
        before = usage(usage_self)
        started = now()
        rows = execute()
        ended = now()
        after = usage(usage_self)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return made(ended - started, cpu, rows)

    return Meter(freeze, settle, collect, enable, measure)
