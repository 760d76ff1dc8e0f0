"""Samples: what single executions measured."""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from functools import cached_property
from itertools import count
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from weigh.model.computed import Computed
from weigh.model.units import Bytes, Rows, Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


_AT_ONCE = 1000
"""Samples that are put into columns together: so few stay in the processor's cache."""

Temperature = Literal["hot", "cold", "first"]
"""Of one execution; an experiment's may be both (:mod:`weigh.model.spec`)."""


REPORTED = ("reported_s", "queue_s", "scanned_bytes", "billed_bytes", "credits", "cached")
"""What a system itself reports of an execution (:class:`weigh_worker.Statistics`)."""
OF_SOME = ("said_s", *REPORTED[1:], "stored_bytes", "settled_bytes", "first_query_s", "build")
"""What only a system that reports, the loading of a table, or one of several builds has."""


class Outcome(StrEnum):
    """How an execution ended."""

    OK = "ok"
    ERROR = "error"
    UNSUPPORTED = "unsupported"
    TIMEOUT = "timeout"
    CRASH = "crash"
    LOST = "lost"
    OUT_OF_MEMORY = "out_of_memory"
    WRONG = "wrong"


class Sample(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one execution measured. One row of ``samples.parquet``.

    Nothing that it holds could refer back to it: the garbage collector need not look at hundreds of thousands of them.

    Attributes:
        attempt: number of the attempt it belongs to, from 1.
        block: number of the block, from 0.
        start: number of the process life within the attempt.
        turn: position of the turn in the block, from 0.
        round: number of the round of its operation in the block, from 0: what is compared was measured in one round.
        run: position of the execution in its turn; 0 is the untimed one.
        arm: name of the arm.
        contender: name of the contender.
        operation, case: what was executed.
        salt: number that was added to the query, so that nobody had asked it before; 0 where none was.
        outcome: how it ended; only ``ok`` samples are measurements.
        wall_s: seconds of the timed region: execution until the complete result is in client memory.
        cpu_s: user and system CPU seconds of the contender's process in the timed region.
        round_trip_s: seconds from asking for the execution to having the reply, by weigh's own clock: the timed region
            lies inside, and next to nothing else does.
        round_trip_cpu_s: CPU seconds that the contender's process was charged meanwhile, as weigh reads them.
        prepare_s: seconds of taking the query, before the timed region; the same for all executions of a turn. This and
            the next ones are weigh's own figures of its requests.
        prepare_cpu_s: CPU seconds of the same.
        release_s: seconds of freeing the result before it and of collecting garbage, before the timed region.
        release_cpu_s: CPU seconds of the same.
        answer_s: seconds that handing out the answer took, outside the timed region.
        answer_cpu_s: CPU seconds of the same.
        rows: rows consumed inside the timed region.
        digest: digest of the exact columns of the answer; empty where it was not taken.
        peak_memory: peak resident bytes since just before the execution.
        bytes_read: bytes the process read from storage devices in the timed region.
        bytes_written: bytes that the process caused to be written to them, such as what it spilled.
        major_faults: page faults that needed a device.
        reported_s: seconds that the system itself says it took, its queue included; None where it does not say.
        queue_s: seconds of these before anything worked on it.
        scanned_bytes: that it says it read of tables.
        billed_bytes: that it says it charges for, where that is another number.
        credits: units of the vendor's own that it says it charges.
        cached: whether it says that the answer came from a cache of results.
        at: seconds since the beginning of the attempt at which the execution began.
        stored_bytes: bytes that the files of a table take on the disk when it is loaded; None of a query.
        settled_bytes: the same when every row was read back; None of a query.
        first_query_s: seconds of loading a table and of the first query after it, together; None of a query.
        detail: error text of an execution that did not end well.
        solo: whether it was alone in a duet, to see what the other one costs it; then it is no measurement.
        temperature: ``hot``, ``cold`` or ``first`` (docs/concept/cold.md): what was tried, whether or not it is proven.
        build: number of the build that was alive, in the order of ``rebuilds`` in ``environment.json``; builds of the
            same bytes have the number of the first. None of a contender that was built once.
    """

    attempt: int = 1
    block: int
    start: int
    turn: int
    round: int = 0
    run: int
    arm: str
    contender: str
    operation: str
    case: str
    salt: int = 0
    outcome: Outcome
    wall_s: Seconds | None = None
    cpu_s: Seconds | None = None
    round_trip_s: Seconds | None = None
    round_trip_cpu_s: Seconds | None = None
    prepare_s: Seconds | None = None
    prepare_cpu_s: Seconds | None = None
    release_s: Seconds | None = None
    release_cpu_s: Seconds | None = None
    answer_s: Seconds | None = None
    answer_cpu_s: Seconds | None = None
    rows: Rows | None = None
    digest: str = ""
    peak_memory: Bytes | None = None
    bytes_read: Bytes | None = None
    bytes_written: Bytes | None = None
    major_faults: int | None = None
    reported_s: Seconds | None = msgspec.field(name="said_s", default=None)
    queue_s: Seconds | None = None
    scanned_bytes: Bytes | None = None
    billed_bytes: Bytes | None = None
    credits: float | None = None
    cached: bool | None = None
    stored_bytes: Bytes | None = None
    settled_bytes: Bytes | None = None
    first_query_s: Seconds | None = None
    at: Seconds = 0.0
    detail: str = ""
    solo: bool = False
    temperature: Temperature = "hot"
    build: int | None = None

    @property
    def timed(self) -> bool:
        """Whether it is a measurement: a timed execution that ended well."""
        return self.run > 0 and self.outcome is Outcome.OK and not self.solo


class Coded(NamedTuple):
    """Values of samples as numbers.

    Attributes:
        code: of each sample, the place of its value among ``values``.
        values: the distinct ones, in the order in which they come first; of several fields tuples.
    """

    code: Ints
    values: Sequence[Any]


class Samples(tuple[Sample, ...], Computed):
    """Samples in order, and their fields as columns: each is read once, however often it is needed."""

    @classmethod
    def of(cls, samples: Iterable[Sample]) -> Samples:
        """These samples."""
        return samples if isinstance(samples, cls) else cls(samples)

    def values(self, field: str) -> list[Any]:
        """A field of each sample."""
        return self._columns[field]

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        """All fields."""
        columns: dict[str, list[Any]] = {name: [] for name in Sample.__struct_fields__}
        for first in range(0, len(self), _AT_ONCE):
            few = zip(*map(msgspec.structs.astuple, self[first : first + _AT_ONCE]), strict=True)
            for column, values in zip(columns.values(), few, strict=True):
                column.extend(values)
        return columns

    def floats(self, field: str) -> Floats:
        """A field as numbers; NaN where it was not measured."""
        import numpy as np

        return self.once(("floats", field), lambda: np.array(self.values(field), dtype=np.float64))

    def integers(self, field: str) -> Ints:
        """A field that every sample has as whole numbers."""
        import numpy as np

        return self.once(("integers", field), lambda: np.array(self.values(field), dtype=np.int64))

    def coded(self, *fields: str) -> Coded:
        """The distinct values of a field, or of several together."""
        return self.once(("coded", fields), lambda: self._coded(fields))

    def _coded(self, fields: Sequence[str]) -> Coded:
        import numpy as np

        *others, last = fields
        if others:
            return _combined(self.coded(*others), self.coded(last), flat=len(others) > 1)
        keys = self.values(last)
        place: defaultdict[Any, int] = defaultdict(count().__next__)
        return Coded(np.fromiter(map(place.__getitem__, keys), dtype=np.int64, count=len(keys)), tuple(place))

    def groups(self, *fields: str, among: Bools | None = None) -> dict[Any, Ints]:
        """The places of some samples by the value of a field, or of several, in the order in which they come first.

        Args:
            fields: names.
            among: which samples; None for all.
        """
        import numpy as np

        code, values = self.coded(*fields)
        places = np.arange(len(self)) if among is None else np.flatnonzero(among)
        of = code[places]
        places = places[np.argsort(of, kind="stable")]
        ends = np.cumsum(np.bincount(of, minlength=len(values)))
        found = [
            (places[first:end], value)
            for first, end, value in zip((0, *ends), ends, values, strict=False)
            if first < end
        ]
        return {value: those for those, value in sorted(found, key=lambda group: int(group[0][0]))}

    def with_seconds(self, seconds: Floats) -> Samples:
        """The samples by another clock.

        Args:
            seconds: of each timed region; NaN where there is none.
        """
        return Samples(
            one if isnan(wall) or wall == one.wall_s else msgspec.structs.replace(one, wall_s=wall)
            for one, wall in zip(self, seconds.tolist(), strict=True)
        )

    @cached_property
    def timed(self) -> Bools:
        """Which are measurements (:attr:`Sample.timed`)."""
        import numpy as np

        code, outcomes = self.coded("outcome")
        well = np.array([one is Outcome.OK for one in outcomes], dtype=np.bool_)
        return np.asarray(well[code] & (self.integers("run") > 0) & (self.integers("solo") == 0), dtype=np.bool_)


def _combined(left: Coded, right: Coded, *, flat: bool) -> Coded:
    """The distinct pairs of two codes.

    Args:
        left: of the fields before.
        right: of one field more.
        flat: whether the values of ``left`` are tuples already.
    """
    import numpy as np

    _, first, inverse = np.unique(left.code * len(right.values) + right.code, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    pairs = zip(left.code[first[order]].tolist(), right.code[first[order]].tolist(), strict=True)
    values = ((*(left.values[one] if flat else (left.values[one],)), right.values[other]) for one, other in pairs)
    return Coded(place[inverse], tuple(values))
