"""Resuming: what a killed attempt left to do, in the same journal.

Which life comes next follows from the seed and from who passed the gate. A life in flight is made anew. An attempt that
was sealed stays as it is, and a new one begins.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from weigh._version import __version__
from weigh.evidence import attempts, seal
from weigh.model import codes
from weigh.model.errors import EvidenceFault
from weigh.streams import record as records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.model.finding import Finding
    from weigh.model.units import Seconds
    from weigh.streams.record import Environment, Plan, StreamsRecord
    from weigh.streams.spec import StreamsSpec


class Left(NamedTuple):
    """What the latest attempt left.

    Attributes:
        folder: of it; None where a new one is to be made.
        record: what it recorded; None where it is complete, or nothing is gone on with.
    """

    folder: Path | None = None
    record: StreamsRecord | None = None


def left(root: Path, spec: StreamsSpec) -> Left:
    """What the latest attempt of the same streams left to do."""
    folders = attempts.attempts(root, spec.id)
    if not folders:
        return Left()
    record = records.read(folders[-1])
    if not (folders[-1] / seal.SEAL).exists():
        return Left(folders[-1], record)
    complete = record.end is not None and record.end.how == "complete"
    return Left(folders[-1], None) if complete else Left()


def moment(record: StreamsRecord) -> Seconds:
    """When the last of what was recorded ended, seconds since the attempt began."""
    tests = [test.at + test.request_s for life in record.lives for test in life.tests if test.at is not None]
    watched = [one.at + one.span for watch in record.watches for one in watch.moments]
    return max([*tests, *watched], default=0.0)


def check_same(record: StreamsRecord, environment: Environment, plan: Plan) -> None:
    """Nothing that is measured may have changed since the attempt was begun.

    Raises:
        EvidenceFault: weigh, a contender, the data or what is asked is another now; said which.
    """
    before = record.environment
    if before is None:
        return
    if before.weigh != __version__:
        raise _changed(f"it was begun by weigh {before.weigh}, this is {__version__}")
    was = {one.name: (one.version, one.lock) for one in before.contenders}
    for one in environment.contenders:
        if was.get(one.name) != (one.version, one.lock):
            raise _changed(f"contender {one.name} has another version or other packages now")
    if before.data != environment.data or before.witnesses != environment.witnesses:
        raise _changed("the data or its witnesses are not those it began with")
    if record.plan is not None and record.plan != plan:
        raise _changed("queries or refresh sets are not those it began with")


def finding(record: StreamsRecord) -> Finding:
    """That it was continued."""
    return codes.X_RESUMED.finding(
        text=f"the attempt was killed and continued after {len(record.lives)} of its lives",
        remedy="nothing is wrong; the life in flight was made anew",
    )


def turns(spec: StreamsSpec, fit: Sequence[str], record: StreamsRecord | None) -> Iterator[tuple[int, str]]:
    """Repetition and contender of each life that is timed and was not recorded, in order.

    Args:
        spec: what is done.
        fit: names of the contenders whose gate was right.
        record: what was recorded before.
    """
    there = {(life.repetition, life.contender) for life in record.lives} if record else set()
    order = random.Random(spec.experiment.seed)  # of turns, and no secret
    for repetition in range(1, spec.repetitions + 1):
        for name in order.sample(fit, len(fit)):
            if (repetition, name) not in there:
                yield repetition, name


def _changed(what: str) -> EvidenceFault:
    return EvidenceFault(
        f"the attempt cannot be continued: {what}",
        remedy="leave out --resume: a new attempt begins",
    )
