"""A comparison of servers in words: figures, verdicts, sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.analysis.figures import ALL
from weigh.load.comparison.figures import Kind
from weigh.load.comparison.metrics import ERRORS, LOAD_METRICS, PERCENTILES, RATE
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.unranked import rate_missed
from weigh.load.replay import differences
from weigh.load.report import words as load_words
from weigh.load.requirements import report as requirements
from weigh.model import codes, units
from weigh.model.text import begun, one_line
from weigh.model.verdict import VerdictName
from weigh.render import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verdicts import LoadVerdict

_ALIKE = (VerdictName.SAME, VerdictName.SMALL)
_DIFFERENT = (VerdictName.SLOWER, VerdictName.FASTER)
_MORE = {VerdictName.SLOWER: "MORE", VerdictName.FASTER: "LESS"}
"""Of what is used: nothing is faster that needs less memory."""
_REFUSED = {
    codes.A4_SERVERS.code: "other rows",
    codes.E7_UNEQUAL.code: "durability differs",
    codes.L2_UNEQUAL.code: "rate not kept",
    codes.L9_UNRESOLVED.code: "not resolved",
    codes.T7_UNSTABLE.code: "varies too much",
    codes.T10_STARTS.code: "too few starts",
}
"""Why, in two words; other reasons have their code."""
_FACTOR = 2.0
"""From this ratio on a change is reported as a factor."""


def figure(metric: str) -> str:
    """The name of a figure."""
    return LOAD_METRICS[metric].title


def kind(one: Kind) -> str:
    """A kind of run."""
    return f"{one.loop} loop, {units.count(one.connections, 'connection')}"


def value(metric: str, number: float | None) -> str:
    """A figure with its unit."""
    return LOAD_METRICS[metric].unit.text(number)


def verdict(one: LoadVerdict) -> str:
    """A verdict in a few words: of errors and of what is used, MORE and LESS."""
    if one.verdict in _MORE and LOAD_METRICS[one.metric].spent:
        if one.metric == ERRORS:
            return f"{_MORE[one.verdict]}: {value(ERRORS, one.value)}, not {value(ERRORS, one.baseline_value)}"
        return words.verdict(one).replace(str(one.verdict).upper(), _MORE[one.verdict], 1)
    why = _REFUSED.get(one.reasons[0].code) if one.verdict is VerdictName.REFUSED and one.reasons else None
    return f"REFUSED: {why}{words.PLAIN if one.plain_ratio else ''}" if why else words.verdict(one)


def heading(results: LoadComparisonResults) -> str:
    """What was offered, in one line: ``ycsb-b, 2,000/s, evenly spaced, 10.0 s a run``."""
    load = results.record.spec.load
    how = load_words.arrivals(load.arrivals) + load_words.modes(load)
    duet = ", each measured while the other ran" if results.record.spec.duet is True else ""
    return f"{load.title}, {how}{load_words.length(load)}{duet}"


def blocks(results: LoadComparisonResults) -> str:
    """How many blocks there were; of a search, how many rounds."""
    return units.count(results.blocks, "round" if results.rates else "block")


def headline(results: LoadComparisonResults) -> Iterator[str]:
    """The sentences, the one that matters most first."""
    yield from _unfinished(results)
    for name, required in results.required:
        yield f"{name}: {requirements.headline(required, results.record.spec.load)}"
    if results.bounded and not results.refused:
        lives = "this life" if len(results.bounded) == 1 else "these lives"
        yield f"Of {lives} of {' and '.join(results.bounded)} alone, not of the next start:"
    search = results.record.spec.load.find_rate
    if results.rates and search:
        yield from (rates.sentence(one, search) for one in results.verdicts)
        yield from rates.of_each(results.rates)
    several = len(results.kinds) > 1
    for one in results.kinds if not results.rates else ():
        for name in results.others:
            where = f"{kind(one)}: " if several else ""
            yield where + sentence(results, name, one)
    for found in results.findings:
        if found.code in (codes.E7_UNEQUAL.code, codes.A4_SERVERS.code):
            yield f"{begun(found.remedy)}."
    for compared in results.replayed:
        yield next(differences.lines(compared, results.record.spec.baseline))
    yield from sustained(results)
    if not results.rates:
        yield from failed(results)


def sentence(results: LoadComparisonResults, name: str, kind: Kind) -> str:
    """What a contender is against the baseline: its response times, and the answers a second of a closed loop."""
    base = results.record.spec.baseline
    own = [
        one
        for one in results.verdicts
        if one.contender == name
        and one.operation == ALL
        and (one.loop, one.connections) == (kind.loop, kind.connections)
        and one.metric in (*PERCENTILES, RATE)
    ]
    if not own:
        return f"Nothing compares {name} with {base}."
    if all(one.verdict is VerdictName.REFUSED for one in own):
        return f"No verdict between {name} and {base}: {_why(own[0])}."
    parts: list[str] = []
    for wanted in _DIFFERENT:
        those = [one for one in own if one.verdict is wanted]
        if those:
            lead = "" if parts else f"{name} is "
            than = "" if parts else f" than {base}"
            parts.append(f"{lead}{str(wanted).upper()}{than} at {_listed(those)}, {_amounts(those)}")
    same = [one for one in own if one.verdict in _ALIKE]
    if same:
        margin = units.percent(max(one.margin for one in same), 0)
        parts.append(
            f"the same within {margin} at {_listed(same)}"
            if parts
            else f"{name} takes the same time as {base} at {_listed(same)}, within {margin}"
        )
    still = [one for one in own if one.verdict in (VerdictName.UNRESOLVED, VerdictName.REFUSED)]
    if not parts:
        return f"It is open how {name} compares with {base} at {_listed(still)}."
    rest = f" {_listed(still)} {'is' if len(still) == 1 else 'are'} open." if still else ""
    return f"{'; '.join(parts)}.{rest}"


def _why(one: LoadVerdict) -> str:
    """Why it is refused; what other sentences and the findings tell in full is reported in short."""
    reason = one.reasons[0]
    end = {codes.L2_UNEQUAL.code: ":", codes.E7_UNEQUAL.code: "."}.get(reason.code)
    text = one_line(reason.text, 400)
    return text.partition(end)[0] if end else text.rstrip(".")


def _listed(those: Sequence[LoadVerdict]) -> str:
    names = [figure(one.metric) for one in those]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _amounts(those: Sequence[LoadVerdict]) -> str:
    """``by 5.1 to 13.5 %``, ``1.50 to 3.61 times``."""
    factors = sorted(max(one.ratio, 1 / one.ratio) for one in those if one.ratio)
    if not factors:
        return "by how much is not known"
    if factors[-1] >= _FACTOR:
        ends = [f"{one:.2f}" for one in (factors[0], factors[-1])]
        return f"{' to '.join(dict.fromkeys(ends))} times"
    changes = sorted(abs(one.ratio - 1) for one in those if one.ratio)
    ends = [f"{100 * one:.1f}" for one in (changes[0], changes[-1])]
    return f"by {' to '.join(dict.fromkeys(ends))} %"


def sustained(results: LoadComparisonResults) -> Iterator[str]:
    """Who kept the rate of an open loop, and who did not."""
    for connections in dict.fromkeys(one.connections for one in results.sustained):
        own = [one for one in results.sustained if one.connections == connections]
        where = (
            f" over {units.count(connections, 'connection')}" if len(results.record.spec.load.connections) > 1 else ""
        )
        missed = [one for one in own if one.missed]
        if not missed:
            who = "Both" if len(own) == 2 else "All"
            yield f"{who} kept the {own[0].offered:,.6g} requests a second that were due{where}."
        for one in missed:
            runs = [
                run for run in results.runs if run.contender == one.contender and run.kind == Kind(connections, "open")
            ]
            late = [run for run in runs if any(why.code == codes.L2_RATE.code for why in run.run.reasons)]
            yield (
                f"{one.contender} did not keep the {one.offered:,.6g} requests a second{where} in {one.missed} of "
                f"{units.count(one.runs, 'run')}: {rate_missed(late, one.offered)}."
            )


def failed(results: LoadComparisonResults) -> Iterator[str]:
    """Requests without an answer, by contender; nothing where there is none."""
    counts: dict[str, list[int]] = {}
    for one in results.runs:
        if one.run.operations:
            own = counts.setdefault(one.contender, [0, 0])
            own[0] += one.run.whole.failed
            own[1] += one.run.whole.failed + one.run.whole.count
    for name, (lost, requests) in counts.items():
        if lost:
            yield f"{lost:,} of {requests:,} requests to {name} failed."


def _unfinished(results: LoadComparisonResults) -> Iterator[str]:
    end = results.record.end
    if end is None:
        yield "Not complete: it was killed, or is still running."
    elif end.how != "complete":
        yield f"Not complete: {one_line(end.reason)}."
    if len(results.records) > 1:
        yield f"{len(results.records)} attempts are read together."
