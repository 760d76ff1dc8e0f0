"""Overall on the first screen: who is the fastest, and the overall ratios with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.report.first_screen.pair import ALIKE, OPEN
from weigh.experiment.results.answered import questions_missing
from weigh.model import units
from weigh.model.verdict import VerdictName
from weigh.render import shape, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.results.overall import OverallVerdict, Ranking
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Verdict

ROOM = shape.WIDTH - shape.INDENT
"""Characters of a ranking in a terminal: one line."""
_RANKED = 3
"""Contenders that a ranking names whatever their names; the others are counted where there is no room."""
_SHORTEST = 6
"""Characters to which a name is cut."""
_NAMED = 3
"""Operations outside the mean, and contenders of which it is open who is the fastest, that are named."""


def ranking(results: ExperimentResults, room: int | None = None) -> Iterator[str]:
    """Two sentences a temperature: ratios, the fastest first; then who is the fastest, and on how many.

    Args:
        results: what is to be reported.
        room: characters of the ratios, in which names may be cut; None where there is room for all of them whole.
    """
    spec = results.record.spec
    for one in results.overall.rankings:
        when = "" if spec.temperatures == ("hot",) else f"{one.temperature}: "
        yield when + _ratios(results, one, None if room is None else room - len(when))
        of = next(found for found in results.overall.verdicts if found.verdict.temperature == one.temperature)
        yield f"{_lead(results, one)}. Ratios of times to {spec.baseline}, geometric mean of {_over(of, results)}."


def sentences(results: ExperimentResults) -> Iterator[str]:
    """The overall ratios to the baseline, a sentence a temperature without a ranking."""
    spec, found = results.record.spec, [*against_baseline(results)]
    for temperature in spec.temperatures:
        members = [one for one in found if one.verdict.temperature == temperature]
        when = "" if temperature == "hot" else f", {temperature}"
        if len(spec.contenders) == 2:
            level = f"{100 * spec.rules.confidence:g} % interval "
            for one in members:
                figures = _figures(one.verdict, 3, level)
                over = _over(one, results)
                yield f"Overall ratio{when} {figures}, geometric mean of {over}: {_outcome(one.verdict)}."
        elif members and not any(one.temperature == temperature for one in results.overall.rankings):
            each = "; ".join(
                f"{one.verdict.contender} {_figures(one.verdict, 2)}, {_outcome(one.verdict)}" for one in members
            )
            yield f"Overall ratio to {spec.baseline}{when}, geometric mean of {_over(members[0], results)}: {each}."


def outcomes(results: ExperimentResults) -> dict[tuple[str, str], str]:
    """What is found overall of every contender and temperature that is ranked: ``FASTER by 21.3 %``."""
    ranked = {one.temperature for one in results.overall.rankings}
    return {
        (one.verdict.contender, one.verdict.temperature): _outcome(one.verdict)
        for one in against_baseline(results)
        if one.verdict.temperature in ranked
    }


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


def _over(one: OverallVerdict, results: ExperimentResults) -> str:
    """``all 12 operations``, ``11 of 12 operations (without q9, q10: polars: error (X.crash))``."""
    if not one.missing:
        total = units.count(len(one.operations), "operation")
        return total if questions_missing(results.record, results.findings) else f"all {total}"
    total = units.count(len(one.operations) + len(one.missing), "operation")
    named = "; ".join(
        f"{', '.join(missing.operation for missing in one.missing[:_NAMED] if missing.why == why)}: {_plain(why)}"
        for why in dict.fromkeys(missing.why for missing in one.missing[:_NAMED])
    )
    more = len(one.missing) - _NAMED
    return f"{len(one.operations)} of {total} (without {named}{f' and {more} more' if more > 0 else ''})"


def _plain(why: str) -> str:
    """Why it is missing; who is wrong where answers differ, and which cells, is reported above."""
    parts = ("answers differ" if part.endswith(": diverged (A1)") else part for part in why.split("; "))
    return "; ".join(dict.fromkeys(parts))


def _ratios(results: ExperimentResults, ranked: Ranking, room: int | None) -> str:
    """``polars 0.68 (0.64-0.72), duckdb 1, chdb 1.41 (1.37-1.45)``; names are cut before fewer than three are there."""
    verdicts = {
        one.verdict.contender: one.verdict
        for one in against_baseline(results)
        if one.verdict.temperature == ranked.temperature
    }
    figures = [_short(verdicts.get(who)) for who in ranked.order]

    def line(count: int, longest: int) -> str:
        names = _cut(ranked.order, longest)[:count]
        more = len(figures) - count
        parts = [f"{name} {figure}" for name, figure in zip(names, figures, strict=False)]
        return ", ".join([*parts, *([f"{more} more"] if more else [])]) if names else ""

    widest = max(map(len, ranked.order))
    if room is None:
        return line(len(figures), widest)
    whole = [line(count, widest) for count in range(len(figures), 0, -1)]
    cut = [line(_RANKED, longest) for longest in range(widest - 1, _SHORTEST - 1, -1)]
    every = [*whole[: -_RANKED + 1], *cut, *whole[-_RANKED + 1 :]]
    return next((one for one in every if one and len(one) <= room), shape.cut(whole[-1], room))


def _cut(names: Sequence[str], room: int) -> list[str]:
    """Names without their middle, as much of their ends as tells all from each other; none where nothing does."""
    for tail in (room - 2 - (room - 2) // 3, (room - 2) // 3, 0):
        cut = [one if len(one) <= room else f"{one[: room - 2 - tail]}..{one[len(one) - tail :]}" for one in names]
        if len({*cut}) == len(names):
            return cut
    return []


def _short(one: Verdict | None) -> str:
    """A ratio with its interval; of the baseline, to which they are, 1."""
    return f"{one.ratio:.2f} ({one.low:.2f}-{one.high:.2f})" if one else "1"


def _lead(results: ExperimentResults, ranked: Ranking) -> str:
    """Who is the fastest, as far as that is decided."""
    first, *others = ranked.order
    found = {who: results.overall.between(who, first, ranked.temperature)[0] for who in others}
    level = [who for who in others if found[who] in ALIKE]
    undecided = [who for who in others if found[who] is not VerdictName.SLOWER and who not in level]
    if undecided:
        return f"It is open whether {_listed((first, *level, *undecided), 'or')} is fastest overall"
    if level:
        margin = units.percent(results.record.spec.rules.margin, 0)
        ahead = " and ahead of the others" if len(level) < len(others) else ""
        return f"{_listed((first, *level), 'and')} are the same within {margin} overall{ahead}"
    if not ranked.fastest_on:
        return f"{first} is fastest overall, though on no single operation of {ranked.operations}"
    of = "all" if ranked.fastest_on == ranked.operations else f"{ranked.fastest_on} of"
    return f"{first} is fastest overall, and on {of} {units.count(ranked.operations, 'operation')}"


def _listed(names: Sequence[str], last: str) -> str:
    more = len(names) - _NAMED
    if more > 1:
        # "a, b or 1 more" would be no shorter than the name.
        names = (*names[:_NAMED], f"{'one of ' if last == 'or' else ''}{more} more")
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
