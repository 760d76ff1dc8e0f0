"""Prints the guarantees of docs/statistics.md as a table: guarantee, goal, reached."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model.spec import Rules

from . import joins, noise, rates
from .noise import Size

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    guarantee: str
    setting: str
    goal: str
    reached: str
    kept: bool | None


def rows(experiments: int, sessions: int) -> Iterator[Row]:
    """All measured guarantees."""
    for arms, contenders in ((3, 2), (6, 5)):
        for blocks in (5, 10, 30):
            size = Size(experiments, blocks, arms)
            for name, make in (noise.SIX | noise.UNEQUAL).items():
                for label, missing in (("", 0.0), (", cells missing", 0.1)):
                    found = rates.type_one(make, size, 1, missing=missing)
                    setting = f"{name}, K={blocks}, {contenders} contenders{label}"
                    yield Row("type-I at 1 %", setting, "0.7-1.5 %", str(found), found.within(0.007, 0.015))
            for name, make in ({"iid": noise.iid} | noise.UNEQUAL).items():
                found = rates.type_one(make, size, 1, rates.pooled)
                setting = f"{name}, K={blocks}, {contenders} contenders"
                yield Row("(pooled variance, not used) type-I", setting, "0.7-1.5 %", str(found), None)
    for blocks, change in ((5, 0.05), (10, 0.03), (16, 0.022), (30, 0.015)):
        size = Size(experiments, blocks)
        own, joint, best = (
            rates.power(noise.iid, size, change, 2, estimate)
            for estimate in (rates.estimated, rates.pooled, rates.two_sample)
        )
        reached = f"{own} (pooled {joint}, two-sample t {best})"
        kept = own.value >= best.value - 0.03
        yield Row("power, iid", f"{100 * change:.1f} %, K={blocks}", "best - 3 points", reached, kept)
    drifting = rates.power(lambda size, draw: noise.drift(size, draw, sd=0.02), Size(experiments, 16), 0.02, 3)
    yield Row("power at 2 %", "drift, run SD 2 %, K=16", ">= 95 %", str(drifting), drifting.value >= 0.95)
    shared = rates.power(noise.shared_ar, Size(experiments, 30), 0.02, 3)
    yield Row("power at 2 %", "shared AR .9 SD 5 %, K=30", ">= 70 %", str(shared), shared.value >= 0.7)
    alarms = rates.false_alarms(sessions, 4)
    yield Row("false alarms a commit", "3,000 queries, margin 3 %", "<= 1", f"{alarms:.3f}", alarms <= 1)
    alarms = rates.false_alarms(sessions, 4, Rules(margin=0.0))
    yield Row("false alarms a commit", "3,000 queries, margin 0", "<= 1", f"{alarms:.3f}", alarms <= 1)
    false_share, found = rates.discoveries(sessions, 5)
    yield Row("FDR", "90 % exactly at the margin", "<= 5 %", f"{100 * false_share:.2f} %", false_share <= 0.05)
    yield Row("recall of +10 %", "10 x 3, run SD 3 %, start SD 1 %", ">= .90", str(found), found.value >= 0.9)
    missed = rates.false_coverage(sessions, 6)
    yield Row("false coverage of FCR", "effects of SD 5 %", "<= 5 %", f"{100 * missed:.2f} %", missed <= 0.05)
    for name, make in (noise.SIX | noise.UNEQUAL).items():
        found = rates.wrongly_same(make, Size(experiments), 7)
        yield Row("SAME at the margin", f"{name}, K=10", "<= 5.5 %", str(found), found.value <= 0.055)
    found = rates.certified(max(sessions // 10, 1), 8)
    yield Row("unchanged certified", "run SD 3 %, start SD 1 %, K=10", ">= 70 %", str(found), found.value >= 0.7)
    yield from _joined(experiments, sessions)


def _joined(experiments: int, sessions: int) -> Iterator[Row]:
    """Two sessions, joined through a reference (docs/compare.md)."""
    for blocks in ((5, 5), (10, 10), (5, 30), (10, 30)):
        for name, make in (noise.SIX | noise.UNEQUAL).items():
            found = joins.type_one((make, make), experiments, blocks, 9)
            setting = f"{name}, K={blocks[0]} and {blocks[1]}"
            yield Row("join: type-I at 1 %", setting, "<= 1.5 %", str(found), found.within(0.0, 0.015))
    loud, quiet = noise.noisy_candidate, noise.iid
    for makes, name in (((loud, quiet), "first scatters x5"), ((quiet, loud), "second scatters x5")):
        found = joins.type_one(makes, experiments, (10, 10), 9)
        yield Row("join: type-I at 1 %", f"{name}, K=10 and 10", "<= 1.5 %", str(found), found.within(0.0, 0.015))
    found = joins.direct(experiments, 10, 9)
    yield Row("(no reference, refused) type-I", "speed of a session SD 5 %, K=10 and 10", "1 %", str(found), None)
    found = joins.any_claimed(20 * sessions, 22, 9, Rules(margin=0.0))
    yield Row("join: any false claim", "22 operations, margin 0", "<= 5 %", str(found), found.within(0.0, 0.05))
    false_share, found = joins.discoveries(max(sessions // 5, 1), 9)
    setting = "90 % exactly at the margin"
    yield Row("join: FDR", setting, "<= 5 %", f"{100 * false_share:.2f} %", false_share <= 0.05)
    yield Row("join: recall of +20 %", "10 x 3, SD 3 %", ">= .90", str(found), found.value >= 0.9)
    for name, make in (noise.SIX | noise.UNEQUAL).items():
        found = joins.wrongly_same((make, make), experiments, (10, 10), 9)
        yield Row("join: SAME at the margin", f"{name}, K=10 and 10", "<= 5.5 %", str(found), found.value <= 0.055)
    found = joins.called_uneven(experiments // 4, 8, (10, 10), 9)
    yield Row("join: evenly moved reference accused", "8 operations", "<= 0.1 %", str(found), found.within(0.0, 0.001))


def main() -> None:
    """Prints the table; the first argument multiplies the replicates."""
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    for row in rows(int(20_000 * factor), int(50 * factor)):
        kept = {True: "reached", False: "NOT REACHED", None: ""}[row.kept]
        print(f"{row.guarantee:36} {row.setting:58} {row.goal:16} {row.reached:48} {kept}", flush=True)


if __name__ == "__main__":
    main()
