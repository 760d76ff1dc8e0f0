"""Prints the guarantees of docs/reference/guarantees.md as one table, as ``make sim`` does.

Guarantee, setting, goal, reached (with three binomial standard errors), and what other tests reach in the same run: on
the same executions where they are the same experiment, on as many executions of the design that they are used with
where that is the point.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.rules import Rules

from . import (
    blame,
    builds,
    carried,
    duet,
    histories,
    joins,
    limits,
    noise,
    one_sided,
    overall,
    peers,
    pooled,
    precision,
    rate_ratios,
    rates,
    requirements,
    searched,
    searches,
    series,
    servers,
    small_steps,
    stalled,
    steadiness,
    templates,
    unsound,
    weak,
)
from .noise import Size
from .rates import Truth
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 4
"""One in so many experiments is also given to the other tests, which are slower."""


def rows(experiments: int, sessions: int) -> Iterator[Row]:
    """All measured guarantees."""
    yield from verdicts(experiments, sessions)
    yield from histories.rows(experiments)
    yield from small_steps.rows(experiments)
    yield from weak.rows(experiments)
    yield from _series(experiments)


def verdicts(experiments: int, sessions: int) -> Iterator[Row]:
    """Those of the verdicts on two contenders."""
    yield from _type_one(experiments)
    yield from _one_start(experiments)
    yield from _coverage(experiments)
    yield from _power(experiments)
    yield from _same(experiments)
    yield from _skewed(experiments)
    yield from searched.rows(experiments)
    yield from carried.rows(experiments)
    yield from _sessions(experiments, sessions)
    yield from one_sided.rows(experiments)
    yield from unsound.rows(experiments)
    yield from duet.rows(experiments)
    yield from builds.rows(experiments)
    yield from templates.rows(experiments)
    yield from pooled.rows(experiments)
    yield from overall.rows(experiments)
    yield from _stopping(experiments)
    yield from _joined(experiments, sessions)
    yield from servers.rows(experiments)


def _type_one(experiments: int) -> Iterator[Row]:
    """No difference, and how often one is found: typical and total."""
    for name, make in noise.ALL.items():
        for blocks, arms in ((5, 3), (10, 3), (10, 6), (30, 3)):
            size = Size(experiments, blocks, arms)
            effects = rates.both(make, size, 1)
            setting = f"{name}, K={blocks}, {arms - 1 if arms == 3 else 5} contenders"
            usual = rates.rate(rates.excludes(effects.typical))
            few = Size(experiments // SHARE, blocks, arms)
            others = peers.on_kind(name, few, 0.0, 1) if (blocks, arms) == (10, 3) else ""
            yield Row("type-I at 1 %, typical", setting, "0.7-1.5 %", usual.banded, usual.within(0.007, 0.015), others)
            if name not in one_sided.TRUTHS:
                whole = rates.rate(rates.excludes(effects.total))
                kept = whole.within(0.007, 0.015)
                yield Row("type-I at 1 %, total", setting, "0.7-1.5 %", whole.banded, kept)
    for arms in (3, 6):
        found = rates.found(noise.noisy_candidate, Size(experiments, 10, arms), 0, 1, rates.pooled)
        setting = f"candidate scatters x5, K=10, {arms - 1 if arms == 3 else 5} contenders"
        yield Row("(pooled variance, not used) type-I", setting, "0.7-1.5 %", found.banded, None)


def _one_start(experiments: int) -> Iterator[Row]:
    """Thirty executions of one start, and of more; starts of SD 1 %, executions of SD 2 %."""
    count = experiments // SHARE
    for starts, runs in ((1, 30), (10, 3), (30, 1)):
        others = peers.told(peers.of_starts(count, starts, runs, 12))
        setting = f"start SD 1 %, run SD 2 %, {starts} x {runs}"
        if starts == 1:
            found = peers.refused(count, starts, runs, 12)
            yield Row("one start is REFUSED", setting, "100 %", found.banded, found.value == 1, others)
        else:
            size = Size(experiments, starts, rounds=runs)
            found = rates.found(lambda size, draw: noise.start_effects(size, draw, 0.02, 0.01), size, 0, 12)
            yield Row("type-I at 1 %, typical", setting, "0.7-1.5 %", found.banded, found.within(0.007, 0.015), others)


def _coverage(experiments: int) -> Iterator[Row]:
    """The 99 % intervals hold the true ratios; what scatters otherwise has another ratio of means."""
    for blocks in (5, 10, 30):
        for name, make in noise.ALL.items():
            truth = one_sided.TRUTHS[name][1] if name in one_sided.TRUTHS else Truth()
            found = rates.coverage(make, Size(experiments, blocks), 21, truth)
            for question, one in zip(("typical", "total"), found, strict=True):
                kept = one.within(0.98, 0.997)
                guarantee = f"coverage of the 99 % interval, {question}"
                yield Row(guarantee, f"{name}, K={blocks}", "98-99.7 %", one.banded, kept)


def _power(experiments: int) -> Iterator[Row]:
    """Changes that are found, against the best test of independent noise and against the others."""
    few = experiments // SHARE
    for blocks, change in ((5, 0.05), (10, 0.03), (16, 0.022), (30, 0.015)):
        size = Size(experiments, blocks)
        own, means, best = (
            rates.found(noise.iid, size, change, 2, estimate)
            for estimate in (rates.estimated, rates.by_means, rates.two_sample)
        )
        others = peers.on_kind("iid", Size(few, blocks), change, 2)
        kept = own.value >= best.value - 0.03
        setting = f"{100 * change:.1f} %, K={blocks}"
        others = f"two-sample t {best}, means of starts {means}, {others}"
        yield Row("power, iid", setting, "best - 3 points", own.banded, kept, others)
    for name, make in noise.ALL.items():
        effects = rates.both(make, Size(experiments), 2)
        usual, whole = (rates.rate(rates.excludes(one, -np.log(1.03))) for one in (effects.typical, effects.total))
        others = f"total {whole}, {peers.on_kind(name, Size(few), 0.03, 2)}"
        yield Row("power at 3 %, typical", f"{name}, K=10", "", usual.banded, None, others)
    drifting = rates.found(lambda size, draw: noise.drift(size, draw, sd=0.02), Size(experiments, 16), 0.02, 3)
    yield Row("power at 2 %", "drift, run SD 2 %, K=16", ">= 95 %", drifting.banded, drifting.within(0.95, 1.0))
    shared = rates.found(noise.shared_ar, Size(experiments, 30), 0.02, 3)
    others = peers.on_kind("shared AR .9", Size(few, 30), 0.02, 3)
    yield Row("power at 2 %", "shared AR .9 SD 5 %, K=30", ">= 70 %", shared.banded, shared.within(0.70, 1.0), others)


def _same(experiments: int) -> Iterator[Row]:
    """SAME and SMALL of candidates that are slower by exactly the margin, and false discoveries there."""
    few = max(experiments // 10, 200)
    many = one_sided.DESIGNS[1]
    for name, make in noise.ALL.items():
        truth = one_sided.TRUTHS[name][1] if name in one_sided.TRUTHS else Truth()
        usual, _ = rates.wrongly_same(make, Size(few), 7, truth)
        yield Row("SAME at the margin, typical", f"{name}, K=10", "<= 5.5 %", usual.banded, usual.within(0, 0.055))
        _, whole = rates.wrongly_same(make, one_sided.sized(many, few // 2), 7, truth)
        setting = f"{name}, {one_sided.told(many)}"
        yield Row("SAME at the margin, total", setting, "<= 5.5 %", whole.banded, whole.within(0, 0.055))
    for name, make in noise.ALL.items():
        truth = one_sided.TRUTHS[name][1] if name in one_sided.TRUTHS else Truth()
        both = rates.discoveries_under(make, max(few // 8, 20), 5, truth)
        for question, share in zip(("typical", "total"), both, strict=True):
            setting = f"{name}, 90 of 100 exactly at the margin"
            yield Row(f"FDR, {question}", setting, "<= 2.5 %", f"{100 * share:.2f} %", share <= 0.025)


def _skewed(experiments: int) -> Iterator[Row]:
    """Noise of one sign, alike for all arms: no effect, on neither side of the margin, and power alike on both."""
    for name, make in noise.SKEWED.items():
        for blocks in (10, 30, 100):
            size, setting = Size(max(experiments * 2 // blocks, 200), blocks), f"{name}, K={blocks}"
            found, by_pairs = (rates.found(make, size, 0.0, 31, of) for of in (rates.estimated, rates.by_pairs))
            others = f"median of pairs {by_pairs}"
            yield Row("type-I at 1 %, typical", setting, "<= 1.5 %", found.banded, found.within(0, 0.015), others)
            for side in ("slower", "faster"):
                usual, _ = rates.wrongly_same(make, size, 32, faster=side == "faster")
                others = f"median of pairs {rates.wrongly_same_by_pairs(make, size, 32, faster=side == 'faster')}"
                guarantee = f"SAME, {side} by the margin"
                yield Row(guarantee, setting, "<= 5.5 %", usual.banded, usual.within(0, 0.055), others)
        slower, faster = (rates.found(make, Size(experiments), change, 33) for change in (0.05, 1 / 1.05 - 1))
        apart = abs(slower.value - faster.value)
        reached = f"{slower} slower, {faster} faster"
        yield Row("power at 5 %, both sides", f"{name}, K=10", "5 points apart", reached, apart <= 0.05)
    for blocks in (10, 30):
        usual, _ = rates.wrongly_same(noise.skewed_candidate, Size(max(experiments * 2 // blocks, 200), blocks), 34)
        setting = f"the candidate's starts alone exponential, K={blocks}"
        yield Row("SAME, slower by the margin", setting, "<= 5.5 %", usual.banded, usual.within(0, 0.055))


def _sessions(experiments: int, sessions: int) -> Iterator[Row]:
    """Three thousand queries at once."""
    few = max(sessions // 10, 1)
    for rules, margin in ((Rules(), "3 %"), (Rules(margin=0.0), "0")):
        alarms = rates.false_alarms(sessions, 4, rules)
        starts, runs = (1, 30) if margin == "3 %" else (10, 3)
        others = peers.false_alarms(few, starts, runs, 4)
        said = ", ".join(f"{name} {count:.1f}" for name, count in others.items()) + f" ({starts} x {runs})"
        setting = f"3,000 queries, two questions, margin {margin}"
        yield Row("false alarms a commit", setting, "<= 1", f"{alarms:.3f}", alarms <= 1, said)
    false_share, found = rates.discoveries(sessions, 5)
    setting = "both questions, 90 % exactly at the margin"
    yield Row("FDR", setting, "<= 5 %", f"{100 * false_share:.2f} %", false_share <= 0.05)
    others = peers.told(peers.recall(experiments // SHARE, 0.10, 5))
    setting = "10 x 4, run SD 3 %, start SD 1 %"
    yield Row("recall of +10 %", setting, ">= 90 %", found.banded, found.value >= 0.9, others)
    others = peers.told(peers.recall(experiments // SHARE, 0.05, 5))
    yield Row("(others) recall of +5 %", setting, "", "", None, others)
    follows = peers.threshold_follows_effect(experiments // SHARE, 5)
    setting = "+10 %, CV 1 %, n=7: T >= 10 %, so not 'changed'"
    yield Row("(others) T reacts to the effect", setting, "", "", None, f"T {follows}")
    missed = rates.false_coverage(sessions, 6)
    yield Row("false coverage of FCR", "effects of SD 5 %", "<= 5 %", f"{100 * missed:.2f} %", missed <= 0.05)
    found = rates.certified(few, 8)
    kept = found.within(0.7, 1.0)
    yield Row("unchanged certified", "run SD 3 %, start SD 1 %, K=10", ">= 70 %", found.banded, kept)


def _stopping(experiments: int) -> Iterator[Row]:
    """Running again until the result pleases; with us every attempt is pooled (T8)."""
    for attempts in (3, 5, 10):
        claimed, excluded = peers.attempts(experiments // SHARE, 13, attempts)
        others = f"Welch on each batch alone {peers.rerun(experiments, attempts, 13)}"
        setting = f"10 starts, up to {attempts} attempts, unchanged"
        yield Row("rerun until SLOWER or FASTER", setting, "<= 1 %", claimed.banded, claimed.within(0, 0.01), others)
        yield Row("rerun until the interval excludes 1", setting, "", excluded.banded, None, others)
    others = f"paired t {peers.peeked(experiments, 14)}"
    yield Row("(others) peeking", "after each of the pairs 5 to 100", "1 %", "", None, others)
    yield from precision.rows(experiments)


def _series(experiments: int) -> Iterator[Row]:
    """Series, percentiles and warm-up: rows of other modules are yielded from here."""
    yield from series.rows(experiments)
    yield from stalled.rows(experiments)
    yield from limits.rows(experiments)
    yield from blame.rows(experiments)
    yield from searches.rows(experiments)
    yield from requirements.rows(experiments)
    yield from rate_ratios.rows(experiments)
    yield from steadiness.rows(experiments)


def _joined(experiments: int, sessions: int) -> Iterator[Row]:
    """Two sessions, joined through a reference (docs/guide/compare.md)."""
    for blocks in ((5, 5), (10, 10), (5, 30), (10, 30)):
        for name, make in noise.ALL.items():
            found = joins.type_one((make, make), experiments, blocks, 9)
            setting = f"{name}, K={blocks[0]} and {blocks[1]}"
            yield Row("join: type-I at 1 %", setting, "<= 1.5 %", found.banded, found.within(0.0, 0.015))
    loud, quiet = noise.noisy_candidate, noise.iid
    for makes, name in (((loud, quiet), "first scatters x5"), ((quiet, loud), "second scatters x5")):
        found = joins.type_one(makes, experiments, (10, 10), 9)
        yield Row("join: type-I at 1 %", f"{name}, K=10 and 10", "<= 1.5 %", found.banded, found.within(0.0, 0.015))
    found = joins.direct(experiments, 10, 9)
    yield Row("(no reference, refused) type-I", "speed of a session SD 5 %, K=10 and 10", "1 %", found.banded, None)
    found = joins.any_claimed(20 * sessions, 22, 9, Rules(margin=0.0))
    yield Row("join: any false claim", "22 operations, margin 0", "<= 5 %", found.banded, found.within(0.0, 0.05))
    false_share, found = joins.discoveries(max(sessions // 5, 1), 9)
    setting = "90 % exactly at the margin"
    yield Row("join: FDR", setting, "<= 5 %", f"{100 * false_share:.2f} %", false_share <= 0.05)
    yield Row("join: recall of +20 %", "10 x 3, SD 3 %", ">= 90 %", found.banded, found.value >= 0.9)
    for name, make in noise.ALL.items():
        found = joins.wrongly_same((make, make), experiments, (10, 10), 9)
        yield Row(
            "join: SAME at the margin", f"{name}, K=10 and 10", "<= 5.5 %", found.banded, found.within(0.0, 0.055)
        )
    found = joins.called_uneven(experiments // 4, 8, (10, 10), 9)
    yield Row(
        "join: evenly moved reference accused", "8 operations", "<= 0.1 %", found.banded, found.within(0.0, 0.001)
    )


def sizes(factor: float) -> tuple[int, int]:
    """Experiments and sessions of a figure; some of both, however small the factor is."""
    return max(int(20_000 * factor), 10 * SHARE), max(int(50 * factor), 1)


def main() -> None:
    """Prints the table; the first argument multiplies the replicates."""
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    for row in rows(*sizes(factor)):
        print(row, flush=True)


if __name__ == "__main__":
    main()
