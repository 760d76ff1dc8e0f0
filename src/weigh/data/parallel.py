"""Work in parallel, results in order, memory bounded.

Written against ``concurrent.futures.Executor``, so that a cluster's executor serves as well as threads.
"""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import wait
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from concurrent.futures import Executor, Future

P = ParamSpec("P")
T = TypeVar("T")


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def ordered(
    executor: Executor, function: Callable[..., T], arguments: Iterable[tuple[object, ...]], ahead: int = 0
) -> Generator[T, None, None]:
    """``function(*a)`` for every ``a`` of the arguments, in order, with at most ``ahead`` results waiting.

    ``Executor.map`` would submit everything at once and keep every result until it is asked for.

    Args:
        executor: where the calls run.
        function: pure, and picklable if the executor is of processes.
        arguments: of the calls; drawn lazily.
        ahead: calls submitted beyond the one whose result is awaited; 0 for two more than there are
            processors.
    """
    waiting: deque[Future[T]] = deque()
    limit = ahead or processors() + 2
    try:
        for argument in arguments:
            waiting.append(executor.submit(function, *argument))
            if len(waiting) > limit:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Whoever stops drawing may be about to remove what the rest still works on: nothing goes on behind his back.
        wait([future for future in waiting if not future.cancel()])
