"""Who is ranked: contenders within one session, over a whole suite, that pass verification and may be published.

A suite with a missing member has no mean (R1), what a licence speaks of is in no ranking (R8), and contenders of two
sessions are never ranked with each other (T5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.publish.entries import Published


class Ranked(NamedTuple):
    """A contender: its mean ratio to the baseline, and the spread of the operations (R2)."""

    name: str
    mean: float
    low: float
    high: float


class Ranking(NamedTuple):
    """A session: who is ranked in it, or why nobody is."""

    entry: Published
    ranked: tuple[Ranked, ...]
    why: str


def rankings(published: Sequence[Published]) -> list[Ranking]:
    """One for each session of several contenders, those with a ranking first."""
    found = [_ranking(one) for one in published if one.document and one.document.get("suites")]
    return sorted(found, key=lambda one: not one.ranked)


def _ranking(one: Published) -> Ranking:
    document = one.document or {}
    if not one.passes:
        return Ranking(one, (), "R4: it does not pass weigh verify")
    if one.terms:
        return Ranking(one, (), f"R8: {one.terms}")
    if one.tier == "inadmissible":
        return Ranking(one, (), "R5: it is inadmissible")
    suites = [suite for suite in document["suites"] if isinstance(suite, dict)]
    for suite in suites:
        if suite.get("missing") or not isinstance(suite.get("mean"), int | float):
            return Ranking(one, (), _missing(suite))
    baseline = str(suites[0].get("baseline")) if suites else ""
    members = [Ranked(baseline, 1.0, 1.0, 1.0)] if suites else []
    members += [
        Ranked(str(suite["contender"]), float(suite["mean"]), float(suite["low"]), float(suite["high"]))
        for suite in suites
        if suite.get("temperature", "hot") == "hot"
    ]
    return Ranking(one, tuple(sorted(members, key=lambda member: member.mean)), "")


def _missing(suite: dict[str, Any]) -> str:
    missing = [one for one in suite.get("missing", ()) if isinstance(one, dict)]
    if not missing:
        return "R1: it has no mean"
    first = missing[0]
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    lacking = f"{len(missing)} of {suite.get('operations')} have no ratio"
    return f"R1: {lacking}: {first.get('operation')} {first.get('why')}{more}"
