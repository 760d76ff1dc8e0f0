"""Who else used the machine during the tests, from what the sampler saw. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.machine.contention_findings import allowed
from weigh.machine.moments import BY_OTHERS, BY_WEIGH, STOLEN, amounts, in_order, shared_out
from weigh.machine.turn_shares import WATCHED
from weigh.model import codes
from weigh.model.spec import CONTENTION
from weigh.model.units import percent
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from weigh.model.finding import Finding
    from weigh.model.verdict import Reason
    from weigh.streams.record import StreamsRecord

TESTS = {
    "power": ("power",),
    "throughput": ("throughput", "throughput 2"),
    "maintenance": ("maintenance", "maintenance 2"),
    "composite": ("power", "throughput", "throughput 2", "maintenance", "maintenance 2"),
    "queries alone": ("power", "queries"),
}
"""From which tests a figure is."""
_ALL = 1.0


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """What others used during the timed tests of a contender of one name.

    Attributes:
        contender, test: whose, and which.
        foreign, steal: shares of the CPU, by processes other than weigh's and the contender's, and by other guests of
            the host. That CPU is what weigh and the contender used, and one CPU at least.
        watched: share of their time that was watched.
    """

    contender: str
    test: str
    foreign: float
    steal: float
    watched: float


def bound(record: StreamsRecord) -> float:
    """The share that others may use."""
    return record.spec.experiment.contention or CONTENTION


def uses(record: StreamsRecord) -> tuple[Use, ...]:
    """Of every contender and test; none where nobody watched."""
    moments = in_order(record.watches)
    if not moments:
        return ()
    spans: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for life in record.lives:
        for test in life.tests if life.repetition else ():
            if test.at is not None:
                spans.setdefault((life.contender, test.name), []).append((test.at, test.request_s))
    found = []
    for (contender, name), each in spans.items():
        begin, length = (np.array(one) for one in zip(*each, strict=True))
        wall = float(length.sum())
        cpu = max(float(amounts(moments, BY_WEIGH, begin, length).sum()), wall) or 1.0
        foreign, steal = (float(amounts(moments, of, begin, length).sum()) / cpu for of in (BY_OTHERS, STOLEN))
        covered = float(shared_out(moments, moments.watched(BY_OTHERS), begin, length).sum())
        found.append(
            Use(contender=contender, test=name, foreign=foreign, steal=steal, watched=covered / wall if wall else 0.0)
        )
    return tuple(found)


def refusals(record: StreamsRecord, found: tuple[Use, ...], names: list[str]) -> Mapping[tuple[Question, str], Reason]:
    """Comparisons one side of which others disturbed more than the other, by more than the bound."""
    most, baseline = bound(record), record.spec.experiment.baseline
    if most >= _ALL:
        return {}
    by_test = {(one.contender, one.test): one for one in found}
    refused = {}
    for figure, tests in TESTS.items():
        for name in names:
            for test in tests:
                one, other = by_test.get((name, test)), by_test.get((baseline, test))
                if one is None or other is None or name == baseline:
                    continue
                if abs(one.foreign - other.foreign) > most:
                    refused[Question(figure), name] = codes.E4_CONTENDED.reason(
                        f"others used {percent(one.foreign)} of the CPU of its {test} tests and "
                        f"{percent(other.foreign)} of those of {baseline}, more than {percent(most)} apart"
                    )
                elif abs(one.steal - other.steal) > most:
                    refused[Question(figure), name] = codes.E4_STEAL.reason(
                        f"the hypervisor gave {percent(one.steal)} of the CPU of its {test} tests to other guests and "
                        f"{percent(other.steal)} of those of {baseline}, more than {percent(most)} apart"
                    )
    return refused


def gaps(found: tuple[Use, ...]) -> tuple[str, ...]:
    """What was not watched."""
    if not found:
        return ("the machine was not watched during the tests",)
    return tuple(
        f"{percent(1 - one.watched)} of the {one.test} tests of {one.contender} was not watched"
        for one in found
        if one.watched < WATCHED
    )


def findings(record: StreamsRecord, found: tuple[Use, ...]) -> Iterator[Finding]:
    """Where others used more than the bound."""
    most = bound(record)
    over = [one for one in found if max(one.foreign, one.steal) > min(most, CONTENTION)]
    if not over:
        return
    worst = max(over, key=lambda one: max(one.foreign, one.steal))
    share = max(worst.foreign, worst.steal)
    if most > CONTENTION:
        yield allowed(share, most, f"the {worst.test} tests of {worst.contender}")
        return
    yield codes.E4_CONTENDED.finding(
        "warning",
        text=f"others used up to {percent(share)} of the CPU ({worst.test} tests of {worst.contender}), more than "
        f"{percent(most)}",
        remedy="stop others and run again",
    )
