"""What figures of weigh's own must fulfil, in whatever form they were exported. Pure.

Who edits an export has to edit all that follows from the figure. What was changed together cannot be found in the file:
that is what the evidence is for, from whose samples ``weigh verify`` computes everything anew.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.audit.published import Contradiction
from weigh.audit.text import number, word
from weigh.model import units
from weigh.model.rules import MIN_STARTS, Rules
from weigh.model.text import one_line
from weigh.model.verdict import Verdict, VerdictName
from weigh.render.sentences import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

UNPROVEN = (
    "whether its figures follow from the samples cannot be proven from this file: get the evidence{of}, and run "
    "weigh verify on it"
)
_ROW = "R4"
_NEAR = 1e-4
"""Share by which two figures may differ that are computed from one another: forms print so many digits at least."""
_MIDDLES = ("ratio", "value", "mean", "median")
_CLAIMS = (VerdictName.SLOWER, VerdictName.FASTER, VerdictName.SMALL, VerdictName.SAME)
_NAMES = {one.value for one in VerdictName}
_DECIDED = (*_CLAIMS, VerdictName.UNRESOLVED)
BETWEEN = re.compile(r"\(between (-?[0-9.]{1,20}) and (-?[0-9.]{1,20}) (times|%)")
_CHANGE = re.compile(r"([0-9.]{1,20}) (times as long|% longer|% shorter)")
_MATTERS = "; that is more than the "
_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def unproven(evidence: str) -> str:
    """What no export can show."""
    return UNPROVEN.format(of=f" {evidence}" if evidence else "")


def noise(verdicts: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """What verdicts show of their noise: how sure their intervals are, and over how many starts."""
    verdicts = list(verdicts)
    found = {}
    if any(number(one.get("low")) is not None for one in verdicts):
        levels = sorted({level for one in verdicts if (level := number(one.get("confidence"))) is not None})
        found["T1"] = "intervals" + (f" at {', '.join(f'{100 * level:g} %' for level in levels)}" if levels else "")
    starts = sorted({int(count) for one in verdicts if (count := number(one.get("starts"))) is not None})
    if starts:
        few = f"{starts[0]} to " if len(starts) > 1 else ""
        found["T10"] = few + units.count(starts[-1], "start")
    return found


def of_interval(name: str, one: Mapping[str, Any], step: float = 0.0) -> Iterator[Contradiction]:
    """An interval has two ends, and what it is of lies between them; each may be off by a step of what is printed."""
    low, high = number(one.get("low")), number(one.get("high"))
    if low is None or high is None:
        return
    slack = step + _NEAR * max(abs(low), abs(high))
    if low > high + slack:
        yield _contradiction(f"{name}: its interval begins at {low:.6g} and ends at {high:.6g}")
        return
    # An interval is of the first that there is: of a ratio, where there is one.
    key = next((key for key in _MIDDLES if number(one.get(key)) is not None), "")
    middle = number(one.get(key))
    if middle is not None and not low - slack <= middle <= high + slack:
        yield _contradiction(f"{name}: {key} {middle:.6g} lies outside of its interval, {low:.6g} to {high:.6g}")


def of_spread(name: str, one: Mapping[str, Any]) -> Iterator[Contradiction]:
    """The median lies between the least and the most, and neither is below nothing."""
    least, median, most = (number(one.get(key)) for key in ("min", "median", "max"))
    if least is None or median is None or most is None:
        return
    if not 0 <= least * (1 - _NEAR) <= median <= most * (1 + _NEAR):
        yield _contradiction(f"{name}: least {least:.6g}, median {median:.6g} and most {most:.6g} are out of order")


def of_verdict(name: str, one: Mapping[str, Any]) -> Iterator[Contradiction]:
    """The interval lies around the ratio, as far down as up; and the verdict is what the interval says."""
    verdict, ratio = word(one.get("verdict")), number(one.get("ratio"))
    if verdict not in _NAMES or ratio is None:
        return
    if ratio <= 0:
        yield _contradiction(f"{name}: the ratio is {ratio:.6g}, which no two times have")
        return
    ends = _ends(one, "low", "high")
    for low, high in filter(None, (ends, _ends(one, "low_fcr", "high_fcr"))):
        up, down = math.log(high / ratio), math.log(ratio / low)
        if abs(up - down) > _NEAR + 1e-3 * abs(up):
            text = f"{name}: the interval {low:.6g} to {high:.6g} does not lie around the ratio {ratio:.6g}"
            yield _contradiction(f"{text}: weigh's reach as far down as up, as factors")
            break
    margin = number(one.get("margin"))
    if margin is not None and ends is not None and margin >= 0:
        yield from _decision(name, VerdictName(verdict), ratio, margin, ends, _ends(one, "low_fcr", "high_fcr"))
    starts = number(one.get("starts"))
    if starts is not None and starts < MIN_STARTS and verdict in _DECIDED:
        yield _contradiction(f"{name}: {verdict} of {starts:g} starts, and below {MIN_STARTS} weigh gives no verdict")


def _decision(
    name: str,
    verdict: VerdictName,
    ratio: float,
    margin: float,
    ends: tuple[float, float],
    decides: tuple[float, float] | None,
) -> Iterator[Contradiction]:
    """What the interval says of a difference that matters."""
    most = 1 + margin
    low, high = decides or ends
    slower, faster = low > most * (1 + _NEAR), high < 1 / most * (1 - _NEAR)
    wrong = {
        VerdictName.SLOWER: low < most * (1 - _NEAR),
        VerdictName.FASTER: high > 1 / most * (1 + _NEAR),
        VerdictName.SMALL: not 1 / most <= ratio <= most or ends[0] < 1 - _NEAR < 1 + _NEAR < ends[1],
        VerdictName.SAME: not 1 / most * (1 - _NEAR) <= ratio <= most * (1 + _NEAR),
        VerdictName.UNRESOLVED: decides is not None and (slower or faster),
    }.get(verdict, False)
    if wrong:
        text = f"{name}: {verdict.value}, and the interval that decides is {low:.6g} to {high:.6g}"
        yield _contradiction(f"{text} with a margin of {100 * margin:g} %")


def of_sentence(name: str, one: Mapping[str, Any], words: str, rules: Rules | None = None) -> Iterator[Contradiction]:
    """A sentence has the figures of its verdict."""
    found = BETWEEN.search(words)
    ratio, ends = number(one.get("ratio")), _ends(one, "low", "high")
    if found and ratio and ends:
        sign = 1 if ratio > 1 else -1
        named = sorted(ends if found[3] == "times" else (100 * sign * (end - 1) for end in ends))
        printed = sorted(float(value) for value in (found[1], found[2]))
        if any(abs(a - b) > 0.06 + 1e-2 * abs(a) for a, b in zip(named, printed, strict=True)):
            text = f'{name}: its sentence reads "between {found[1]} and {found[2]} {found[3]}"'
            yield _contradiction(f"{text}, and its interval is {ends[0]:.6g} to {ends[1]:.6g}")
            return
    expected = _sentence(one, rules)
    # Words may be those of another version of weigh; where they are the same, so are the figures.
    if expected and expected != words and _DIGITS.sub("", expected) == _DIGITS.sub("", words):
        yield _contradiction(f'{name}: its sentence reads "{words}", and its figures "{expected}"')


def _sentence(one: Mapping[str, Any], rules: Rules | None) -> str:
    if word(one.get("verdict")) not in _CLAIMS:
        return ""
    try:
        made = msgspec.convert(dict(one), Verdict)
        return sentence(made, rules or Rules(margin=made.margin))
    except (msgspec.ValidationError, AssertionError, ArithmeticError, KeyError):
        return ""


def of_words(name: str, one: Mapping[str, Any]) -> Iterator[Contradiction]:
    """A sentence without its figures: what it says of a change fits how a test of it ended, and its own interval."""
    words, verdict = str(one.get("sentence") or ""), word(one.get("verdict"))
    change, between = _CHANGE.search(words), BETWEEN.search(words)
    if not change or not between:
        return
    value, low, high = float(change[1]), float(between[1]), float(between[2])
    if not low - 0.06 <= value <= high + 0.06:
        yield _contradiction(f'{name}: it reads "{change[0]} {between[0]}", which is no interval around it')
    slower = change[2] == "times as long" or change[2] == "% longer"
    matters = _MATTERS in words
    if (matters and slower is not (verdict == VerdictName.SLOWER)) or (verdict == VerdictName.SLOWER and not matters):
        yield _contradiction(f'{name}: it ends as {verdict}, and reads "{one_line(words, 200)}"')


def of_counts(name: str, written: Mapping[str, int], counted: Mapping[str, int]) -> Iterator[Contradiction]:
    """A number of what is listed is that of the list."""
    for what, wanted in written.items():
        if wanted != counted.get(what, 0):
            yield _contradiction(f"{name}: {wanted} {what}, and {counted.get(what, 0)} are listed")


def of_medians(
    verdicts: Iterable[Mapping[str, Any]], timings: Iterable[Mapping[str, Any]], key: tuple[str, ...]
) -> Iterator[Contradiction]:
    """A ratio is of the times that stand next to it.

    That of the medians is computed from them, where both have all their starts in it. The typical one cannot be further
    from one than any two of the times are, and the baseline's own.
    """
    by = {(_of(one, key), word(one.get("contender"))): one for one in timings}
    for one in verdicts:
        name = called(one)
        mine, base = (by.get((_of(one, key), word(one.get(who)))) for who in ("contender", "baseline"))
        if mine is None or base is None:
            continue
        median, starts = number(one.get("median_ratio")), number(one.get("starts"))
        medians = number(mine.get("median")), number(base.get("median"))
        whole = starts == number(mine.get("starts")) and number(base.get("starts")) in (starts, 2 * (starts or 0))
        if median and whole and medians[0] and medians[1]:
            divided = medians[0] / medians[1]
            if abs(math.log(divided / median)) > _NEAR if divided > 0 and median > 0 else True:
                text = f"{name}: the ratio of the medians is {median:.6g}, and {medians[0]:.6g} over {medians[1]:.6g}"
                yield _contradiction(f"{text} is {divided:.6g}")
                continue
        yield from _reach(name, one, mine, base)


def _reach(
    name: str, one: Mapping[str, Any], mine: Mapping[str, Any], base: Mapping[str, Any]
) -> Iterator[Contradiction]:
    ratio = number(one.get("ratio"))
    ends = [number(which.get(end)) for which in (mine, base) for end in ("min", "max")]
    if ratio is None or ratio <= 0 or any(end is None or end <= 0 for end in ends):
        return
    least, most, base_least, base_most = (end or 0.0 for end in ends)
    floor = base_most / base_least
    low, high = least / base_most / floor, most / base_least * floor
    if not low * (1 - _NEAR) <= ratio <= high * (1 + _NEAR):
        text = (
            f"{name}: the ratio is {ratio:.6g}, and no two of the times are further apart than {least / base_most:.4g}"
        )
        yield _contradiction(f"{text} to {most / base_least:.4g}")


def called(one: Mapping[str, Any]) -> str:
    """An operation of a contender, and of which metric."""
    operation, contender, metric = (word(one.get(name)) for name in ("operation", "contender", "metric"))
    if not operation or not contender:
        return operation or contender
    return f"{operation} of {contender}{f' ({metric})' if metric else ''}"


def _of(one: Mapping[str, Any], key: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(one.get(name) or "") for name in key)


def _ends(one: Mapping[str, Any], first: str, last: str) -> tuple[float, float] | None:
    low, high = number(one.get(first)), number(one.get(last))
    return (low, high) if low is not None and high is not None and 0 < low <= high else None


def _contradiction(text: str) -> Contradiction:
    return Contradiction(row=_ROW, text=text)
