"""Overall on the first screen: who is the fastest, and the overall ratios with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.pair import ALIKE, OPEN
from weigh.model import units
from weigh.model.verdict import VerdictName
from weigh.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.results.overall import OverallVerdict, Ranking
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Verdict

_ROOM = 64
"""Characters of a ranking: a line of 80, with the tier at its right edge."""
_NAMED = 3
"""Operations outside the mean that are named; the others are counted."""
_FINE = 1.1
"""Below this ratio a ranking gives another digit."""


def ranking(results: ExperimentResults) -> Iterator[str]:
    """A line a temperature: ``polars is fastest on 9 of 12, then duckdb (1.3 x), chdb (2.1 x).``."""
    for one in results.overall.rankings:
        yield _with_others(*_lead(results, one))


def sentences(results: ExperimentResults) -> Iterator[str]:
    """The overall ratios to the baseline, a sentence a temperature."""
    spec, found = results.record.spec, [*against_baseline(results)]
    for temperature in spec.temperatures:
        members = [one for one in found if one.verdict.temperature == temperature]
        when = "" if temperature == "hot" else f", {temperature}"
        if len(spec.contenders) == 2:
            level = f"{100 * spec.rules.confidence:g} % interval "
            for one in members:
                figures = _figures(one.verdict, 3, level)
                yield f"Overall ratio{when} {figures}, geometric mean of {_over(one)}: {_outcome(one.verdict)}."
        elif members:
            each = "; ".join(
                f"{one.verdict.contender} {_figures(one.verdict, 2)}, {_outcome(one.verdict)}" for one in members
            )
            yield f"Overall ratio to {spec.baseline}{when}, geometric mean of {_over(members[0])}: {each}."


def against_baseline(results: ExperimentResults) -> Iterator[OverallVerdict]:
    """The overall verdicts that have a ratio to the baseline."""
    spec = results.record.spec
    for temperature in spec.temperatures:
        yield from (one for one in results.overall.against(spec.baseline, temperature) if one.verdict.ratio)


def _figures(one: Verdict, digits: int, level: str = "") -> str:
    assert one.ratio and one.low and one.high
    return f"{one.ratio:.{digits}f} ({level}{one.low:.{digits}f} to {one.high:.{digits}f})"


def _outcome(one: Verdict) -> str:
    if one.verdict in OPEN:
        return f"open, about {one.starts_needed} starts needed" if one.starts_needed else "open"
    return words.verdict(one)


def _over(one: OverallVerdict) -> str:
    """``12 operations``, ``11 of 12 operations (without q9: polars: error (X.crash))``."""
    if not one.missing:
        return f"all {units.count(len(one.operations), 'operation')}"
    total = units.count(len(one.operations) + len(one.missing), "operation")
    named = "; ".join(f"{missing.operation}: {missing.why}" for missing in one.missing[:_NAMED])
    more = len(one.missing) - _NAMED
    return f"{len(one.operations)} of {total} (without {named}{f' and {more} more' if more > 0 else ''})"


def _lead(results: ExperimentResults, ranked: Ranking) -> tuple[str, list[tuple[str, float]]]:
    """Who is the fastest, as far as that is decided; and who is slower, with the ratio to the first."""
    first, *others = ranked.order
    found = {who: results.overall.between(who, first, ranked.temperature) for who in others}
    behind = [who for who in others if found[who][0] is VerdictName.SLOWER]
    level = [who for who in others if found[who][0] in ALIKE]
    undecided = [who for who in others if who not in behind and who not in level]
    missing = next(one.missing for one in results.overall.verdicts if one.verdict.temperature == ranked.temperature)
    without = f" (without {missing[0].operation if len(missing) == 1 else len(missing)})" if missing else ""
    mean = f"{ranked.operations}{without}"
    when = "" if ranked.temperature == "hot" else f", {ranked.temperature}"
    if undecided:
        lead = f"{_listed((first, *level, *undecided), 'or')} is fastest on {mean} (open)"
    elif level:
        margin = units.percent(results.record.spec.rules.margin, 0)
        verb = "lead," if behind else "are"
        lead = f"{_listed((first, *level), 'and')} {verb} the same within {margin} on {mean}"
    elif ranked.fastest_on == ranked.operations:
        lead = f"{first} is fastest on all {mean}"
    elif ranked.fastest_on:
        lead = f"{first} is fastest on {ranked.fastest_on} of {mean}"
    else:
        lead = f"{first} is fastest over all {mean} together"
    return f"{lead}{when}", [(who, found[who][1] or 1.0) for who in behind]


def _with_others(lead: str, behind: Sequence[tuple[str, float]]) -> str:
    """The lead, then as many of the others as a line has room for, and one at least."""
    ranked = [f"{who} ({_times(ratio)})" for who, ratio in behind]
    lines = [f"{lead}."] if not ranked else []
    for count in range(1, len(ranked) + 1):
        more = f" and {len(ranked) - count} more" if count < len(ranked) else ""
        lines.append(f"{lead}, then {', '.join(ranked[:count])}{more}.")
    return next((line for line in reversed(lines) if len(line) <= _ROOM), lines[0])


def _times(ratio: float) -> str:
    return f"{ratio:.2f} x" if ratio < _FINE else f"{ratio:.1f} x"


def _listed(names: Sequence[str], last: str) -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
