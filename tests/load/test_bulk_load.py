"""Loading data can be interrupted while the server says nothing, and says how far it is."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from weigh.load.target.bulk_load import loaded
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Told(Silence):
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []

    def step(self, done: int, total: int, what: str) -> None:
        """A step."""
        self.steps.append((done, total))


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As in a terminal, whatever the process that runs the tests was started with."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_it_returns_and_how_far_it_is() -> None:
    seen = threading.Event()

    def load(tell: Callable[[int, int], None]) -> int:
        tell(3, 10)
        seen.wait(0.3)
        return 10

    told = Told()
    assert loaded(load, told) == 10
    assert (3, 10) in told.steps
    with pytest.raises(ZeroDivisionError):
        loaded(lambda _: 1 // 0, told)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_seen_while_nothing_comes() -> None:
    silent, ended = threading.Event(), threading.Event()

    def load(tell: Callable[[int, int], None]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        silent.wait(20)
        try:
            tell(1, 2)
        finally:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        loaded(load, Silence())
    # The interrupt came through before the silence ended; the next word ends the loading.
    assert not ended.is_set()
    silent.set()
    assert ended.wait(20)
