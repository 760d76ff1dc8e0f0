"""Prints the guarantees of docs/reference/guarantees.md as one table, as ``make sim`` does.

Guarantee, setting, goal, reached (with three binomial standard errors), and what other tests reach in the same run: on
the same executions where they are the same experiment, on as many executions of the design that they are used with
where that is the point.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from weigh.model.spec import Rules

from . import joins, noise, otava, peers, precision, rates, robust, series, steadiness
from .noise import Size
from .row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 4
"""One in so many experiments is also given to the other tests, which are slower."""


def rows(experiments: int, sessions: int) -> Iterator[Row]:
    """All measured guarantees."""
    yield from verdicts(experiments, sessions)
    yield from _history(experiments)
    yield from _series(experiments)


def verdicts(experiments: int, sessions: int) -> Iterator[Row]:
    """Those of the verdicts on two contenders."""
    yield from _type_one(experiments)
    yield from _one_start(experiments)
    yield from _coverage(experiments)
    yield from _power(experiments)
    yield from _sessions(experiments, sessions)
    yield from _stopping(experiments)
    yield from _joined(experiments, sessions)


def _type_one(experiments: int) -> Iterator[Row]:
    """No difference, and how often one is found."""
    for arms, contenders in ((3, 2), (6, 5)):
        for blocks in (5, 10, 30):
            size = Size(experiments, blocks, arms)
            for name, make in (noise.SIX | noise.UNEQUAL).items():
                for label, missing in (("", 0.0), (", cells missing", 0.1)):
                    found = rates.type_one(make, size, 1, missing=missing)
                    setting = f"{name}, K={blocks}, {contenders} contenders{label}"
                    whole = blocks == 10 and not missing
                    others = peers.on_kind(name, Size(experiments // SHARE, blocks, arms), 0.0, 1) if whole else ""
                    kept = found.within(0.007, 0.015)
                    yield Row("type-I at 1 %", setting, "0.7-1.5 %", found.banded, kept, others)
            for name, make in ({"iid": noise.iid} | noise.UNEQUAL).items():
                found = rates.type_one(make, size, 1, rates.pooled)
                setting = f"{name}, K={blocks}, {contenders} contenders"
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
            found = rates.type_one(
                lambda size, draw, runs=runs: noise.start_effects(  # type: ignore[misc]
                    size, draw, sd=0.02 * (noise.RUNS / runs) ** 0.5, start=0.01
                ),
                Size(experiments, starts),
                12,
            )
            yield Row("type-I at 1 %", setting, "0.7-1.5 %", found.banded, found.within(0.007, 0.015), others)


def _coverage(experiments: int) -> Iterator[Row]:
    """The 99 % interval holds a true change of 8 %."""
    for blocks in (5, 10, 30):
        for name, make in (noise.SIX | noise.UNEQUAL).items():
            found = rates.coverage(make, Size(experiments, blocks), 21)
            kept = found.within(0.98, 0.997)
            yield Row("coverage of the 99 % interval", f"{name}, K={blocks}", "98-99.7 %", found.banded, kept)


def _power(experiments: int) -> Iterator[Row]:
    """Changes that are found, against the best test of independent noise and against the others."""
    few = experiments // SHARE
    for blocks, change in ((5, 0.05), (10, 0.03), (16, 0.022), (30, 0.015)):
        size = Size(experiments, blocks)
        own, joint, best = (
            rates.power(noise.iid, size, change, 2, estimate)
            for estimate in (rates.estimated, rates.pooled, rates.two_sample)
        )
        others = peers.on_kind("iid", Size(few, blocks), change, 2)
        kept = own.value >= best.value - 0.03
        setting = f"{100 * change:.1f} %, K={blocks}"
        others = f"two-sample t {best}, pooled variance {joint}, {others}"
        yield Row("power, iid", setting, "best - 3 points", own.banded, kept, others)
    for name in ("sticky bimodal", "5 % spikes"):
        found = rates.power(noise.SIX[name], Size(experiments, 10), 0.03, 2)
        others = peers.on_kind(name, Size(few, 10), 0.03, 2)
        yield Row("power at 3 %", f"{name}, K=10", "", found.banded, None, others)
    drifting = rates.power(lambda size, draw: noise.drift(size, draw, sd=0.02), Size(experiments, 16), 0.02, 3)
    kept = drifting.within(0.95, 1.0)
    draw = np.random.default_rng(3)
    others = peers.on(noise.in_runs(noise.drift(Size(few, 16), draw, sd=0.02), draw, 0.02), 0.02)
    yield Row("power at 2 %", "drift, run SD 2 %, K=16", ">= 95 %", drifting.banded, kept, others)
    shared = rates.power(noise.shared_ar, Size(experiments, 30), 0.02, 3)
    others = peers.on_kind("shared AR .9", Size(few, 30), 0.02, 3)
    kept = shared.within(0.70, 1.0)
    yield Row("power at 2 %", "shared AR .9 SD 5 %, K=30", ">= 70 %", shared.banded, kept, others)


def _sessions(experiments: int, sessions: int) -> Iterator[Row]:
    """Three thousand queries at once."""
    few = max(sessions // 10, 1)
    for rules, margin in ((Rules(), "3 %"), (Rules(margin=0.0), "0")):
        alarms = rates.false_alarms(sessions, 4, rules)
        starts, runs = (1, 30) if margin == "3 %" else (10, 3)
        others = peers.false_alarms(few, starts, runs, 4)
        said = ", ".join(f"{name} {count:.1f}" for name, count in others.items()) + f" ({starts} x {runs})"
        yield Row(
            "false alarms a commit", f"3,000 queries, margin {margin}", "<= 1", f"{alarms:.3f}", alarms <= 1, said
        )
    false_share, found = rates.discoveries(sessions, 5)
    yield Row("FDR", "90 % exactly at the margin", "<= 5 %", f"{100 * false_share:.2f} %", false_share <= 0.05)
    others = peers.told(peers.recall(experiments // SHARE, 0.10, 5))
    setting = "10 x 3, run SD 3 %, start SD 1 %"
    yield Row("recall of +10 %", setting, ">= 90 %", found.banded, found.value >= 0.9, others)
    others = peers.told(peers.recall(experiments // SHARE, 0.05, 5))
    yield Row("(others) recall of +5 %", setting, "", "", None, others)
    follows = peers.threshold_follows_effect(experiments // SHARE, 5)
    setting = "+10 %, CV 1 %, n=7: T >= 10 %, so not 'changed'"
    yield Row("(others) T reacts to the effect", setting, "", "", None, f"T {follows}")
    missed = rates.false_coverage(sessions, 6)
    yield Row("false coverage of FCR", "effects of SD 5 %", "<= 5 %", f"{100 * missed:.2f} %", missed <= 0.05)
    for name, make in (noise.SIX | noise.UNEQUAL).items():
        found = rates.wrongly_same(make, Size(experiments), 7)
        yield Row("SAME at the margin", f"{name}, K=10", "<= 5.5 %", found.banded, found.within(0.0, 0.055))
    estimates = {name: same for name, _, same in robust.forgiven(experiments // SHARE, 10, 7)}
    found = estimates.pop("least squares")
    setting = "only the candidate spikes, +3 % in the mean, K=10"
    others = f"(robust, not used) {peers.told(estimates)}"
    yield Row("SAME at the margin", setting, "<= 5.5 %", found.banded, found.within(0.0, 0.055), others)
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


def _history(experiments: int) -> Iterator[Row]:
    """Change points in a history without any; ours are not judged yet, so there is nothing to keep."""
    for memory in (0.0, 0.5):
        others = otava.false_change_points(max(experiments // 400, 5), memory, 15)
        setting = f"AR {memory:g}, unchanged"
        yield Row(
            "(others) history: false change points", setting, "", "", None, f"{others} per {otava.COMMITS} commits"
        )


def _series(experiments: int) -> Iterator[Row]:
    """Series, percentiles and warm-up: rows of other modules are yielded from here."""
    yield from series.rows(experiments)
    yield from steadiness.rows(experiments)


def _joined(experiments: int, sessions: int) -> Iterator[Row]:
    """Two sessions, joined through a reference (docs/guide/compare.md)."""
    for blocks in ((5, 5), (10, 10), (5, 30), (10, 30)):
        for name, make in (noise.SIX | noise.UNEQUAL).items():
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
    for name, make in (noise.SIX | noise.UNEQUAL).items():
        found = joins.wrongly_same((make, make), experiments, (10, 10), 9)
        yield Row("join: SAME at the margin", f"{name}, K=10 and 10", "<= 5.5 %", str(found), found.value <= 0.055)
    found = joins.called_uneven(experiments // 4, 8, (10, 10), 9)
    yield Row(
        "join: evenly moved reference accused", "8 operations", "<= 0.1 %", found.banded, found.within(0.0, 0.001)
    )


def main() -> None:
    """Prints the table; the first argument multiplies the replicates."""
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    for row in rows(int(20_000 * factor), int(50 * factor)):
        print(row, flush=True)


if __name__ == "__main__":
    main()
