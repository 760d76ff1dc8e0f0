"""The spec of query streams: everything that was decided before they ran."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from weigh.model.spec import Spec

USUAL_REPETITIONS = 5
TestName = Literal["power", "throughput", "queries"]
RF1, RF2 = "rf1", "rf2"
REFRESH = "refresh"
"""Name of the stream of refresh functions in the throughput test."""
WATCH = "watch"
"""Name of the stream that looks at both tables meanwhile, in the gate."""


class StreamsSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is done.

    Attributes:
        experiment: workload, scale, seed, contenders, baseline, rules and time-out.
        streams: query streams of the throughput test.
        repetitions: lives of every contender in which both tests are timed, after one in which nothing is.
    """

    experiment: Spec
    streams: int
    repetitions: int = USUAL_REPETITIONS

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines it."""
        text = f"streams {self.experiment.id} {self.streams} {self.repetitions}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def states(self) -> int:
        """States of the tables that come one after the other: the loaded one, and one after each refresh function."""
        return 1 + 2 * (1 + self.streams)


def query_name(stream: int, number: int) -> str:
    """The name of a query of a stream; stream 0 is that of the power test."""
    return f"{stream}.q{number}"
