"""What is reported of a server's activity in a run: kinds of events, their places, rates."""

from __future__ import annotations

from typing import get_args

import msgspec

from weigh.load.activity.model import Kind
from weigh.model.units import Seconds

KINDS: tuple[Kind, ...] = get_args(Kind)


class KindActivity(msgspec.Struct, frozen=True, kw_only=True):
    """All events of one kind in a run, and the spikes in them.

    Attributes:
        kind: of them.
        events: how many.
        seconds: that they covered together, within the part of the run that counts.
        longest_s: the longest.
        amount: pages, keys, ...: of all of them; None where that is not told.
        what: what they were, the most frequent first, and how often.
        exact: whether the server tells when each was; else they lie between two looks.
        tested: whether it could be blamed.
        hits: of the events of the part that counts, in how many a spike began.
        counted: how many events of that part have a place.
        times: by how many times the p99 in those spikes was longer than the typical one, in the middle; None without.
        slow_elsewhere, elsewhere: intervals of the run outside of all its events: with a p99 that makes a spike, and
            all.
        p: probability of as many hits by chance, adjusted for the number of kinds; None where it was not tested.
        blamed: whether it is blamed.
    """

    kind: Kind
    events: int
    seconds: Seconds
    longest_s: Seconds
    amount: int | None
    what: dict[str, int]
    exact: bool
    tested: bool
    hits: int
    counted: int
    times: float | None
    slow_elsewhere: int
    elsewhere: int
    p: float | None
    blamed: bool


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """An event on the axis of the run.

    Attributes:
        kind: of it.
        from_s, to_s: seconds since the run began.
        exact: whether the server tells them; else it lies between them.
        what: more of it.
    """

    kind: Kind
    from_s: Seconds
    to_s: Seconds
    exact: bool
    what: str


class ServerActivity(msgspec.Struct, frozen=True, kw_only=True):
    """What a server did in a run.

    Attributes:
        counted: kinds of events that could be observed if there were any.
        kinds: those that were.
        places: every event on the axis of the run, at most 10,000.
        spikes: for each spike of ``machine.spikes`` the kinds that are blamed for it.
        log_rate, most_log_rate: bytes a second that the server wrote to its log of changes, on average and between two
            looks at most; null where it does not tell.
        deadlocks: how many there were; null where they cannot be observed.
        waiting: looks that saw a session wait for a lock; null where they do not tell.
        cores, most_cores: CPUs that the server's processes kept busy, on average and between two looks at most; null
            where they are not known.
        looks: how many there were.
        seconds: from the first look to the last.
        longest_look_s: the look that took longest to answer.
        cpu_s: CPU time of the sampler.
    """

    counted: tuple[Kind, ...]
    kinds: tuple[KindActivity, ...]
    places: tuple[Place, ...]
    spikes: tuple[tuple[Kind, ...], ...]
    log_rate: float | None
    most_log_rate: float | None
    deadlocks: int | None
    waiting: int | None
    cores: float | None
    most_cores: float | None
    looks: int
    seconds: Seconds
    longest_look_s: Seconds
    cpu_s: Seconds


class RunActive(ServerActivity, frozen=True, kw_only=True):
    """The same, with what its words need.

    Attributes:
        interval_s: length of the intervals of the run.
    """

    interval_s: Seconds

    def of(self, kind: Kind) -> KindActivity | None:
        """What is known of a kind."""
        return next((one for one in self.kinds if one.kind == kind), None)
