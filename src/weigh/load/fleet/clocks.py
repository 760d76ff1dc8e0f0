"""Clocks of agents against the one of whoever asks, by round trips over a connection of weigh's own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.load.agents.model import ClockRead, FromAgent, Ping, Pong
from weigh.load.fleet.wire import Closed
from weigh.model.units import seconds

if TYPE_CHECKING:
    from weigh.load.fleet.wire import Channel
    from weigh.model.units import Seconds

_TRIPS = 25
_PATIENCE: Seconds = 10.0
"""As long as an agent may be silent in a run."""


def read(channel: Channel, began: Seconds) -> ClockRead:
    """The clocks of an agent that does nothing else, by the quickest of some round trips.

    The agent's clock was read at some moment between sending and receiving: wherever that was, the difference is known
    to half of the round trip (Cristian 1989).

    Args:
        channel: to it.
        began: what ``time.monotonic()`` said when the attempt began.

    Raises:
        Closed: it does not answer.
    """
    best: ClockRead | None = None
    for number in range(_TRIPS):
        sent, wall = time.monotonic_ns(), time.time_ns()
        channel.send(Ping(number))
        found = _pong(channel, number)
        came = time.monotonic_ns()
        half = (came - sent) / 2e9
        if best is None or half < best.bound_s:
            best = ClockRead(
                monotonic_s=(found.monotonic - sent) / 1e9 - half,
                wall_s=(found.wall - wall) / 1e9 - half,
                bound_s=half,
                at=sent / 1e9 - began,
            )
    assert best is not None
    return best


def _pong(channel: Channel, number: int) -> Pong:
    """The answer to a ping; a sign of life may come before it, from a thread that was held up."""
    until = time.monotonic() + _PATIENCE
    while (left := until - time.monotonic()) > 0:
        found = channel.receive(FromAgent, left)
        if isinstance(found, Pong) and found.number == number:
            return found
    raise Closed(f"it did not say within {seconds(_PATIENCE)} what its clocks say")


def moment(clock: ClockRead, at: Seconds) -> int:
    """A moment of the monotonic clock here as a nanosecond of the agent's."""
    return round((at + clock.monotonic_s) * 1e9)
