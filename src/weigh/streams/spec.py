"""The spec of query streams: everything that was decided before they ran."""

from __future__ import annotations

import hashlib
from typing import Literal, NamedTuple

import msgspec

from weigh.model.spec import Spec

USUAL_REPETITIONS = 5
TestName = Literal["power", "throughput", "maintenance", "throughput 2", "maintenance 2", "queries"]
RF1, RF2 = "rf1", "rf2"
REFRESH = "refresh"
"""Name of the stream of refresh functions in the throughput test."""
WATCH = "watch"
"""Name of the stream that looks at all changed tables meanwhile, in the gate."""
CHANNELS = ("ss", "cs", "ws")
"""Stores, catalog and web, as the specification of TPC-DS abbreviates their sales."""
MAINTENANCE = ("df_ss", "df_cs", "df_ws", "df_i", "lf_ss", "lf_sr", "lf_cs", "lf_cr", "lf_ws", "lf_wr", "lf_i")
"""The refresh functions of TPC-DS in the order in which they are executed: what is deleted first."""


class Shape(NamedTuple):
    """What the tests of a benchmark are made of.

    Attributes:
        derived_from: its name.
        queries: of a stream.
        functions: refresh functions of a set.
    """

    derived_from: str
    queries: int
    functions: tuple[str, ...]


_TPCH = Shape("TPC-H", 22, (RF1, RF2))
_TPCDS = Shape("TPC-DS", 99, MAINTENANCE)
SHAPES = {"tpch": _TPCH, "tpch-dbgen": _TPCH, "tpcds": _TPCDS}
"""By workload."""


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
    def shape(self) -> Shape:
        """Of its benchmark."""
        return SHAPES[self.experiment.workload]

    @property
    def maintains(self) -> bool:
        """Whether refresh functions have tests of their own, after each of two throughput tests (TPC-DS)."""
        return self.shape is _TPCDS

    @property
    def sets(self) -> int:
        """Refresh sets of a maintenance test: half as many as streams, one at least."""
        return max(1, self.streams // 2)


def query_name(stream: int, number: int) -> str:
    """The name of a query of a stream; stream 0 is that of the power test."""
    return f"{stream}.q{number}"


def is_query(name: str) -> bool:
    """Whether a step of a stream is a query and not a refresh function."""
    return ".q" in name
