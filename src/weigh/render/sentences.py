"""Sentences: what a verdict says to somebody who knows no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes, units
from weigh.model.metrics.run_metrics import RUN_METRICS
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from weigh.model.rules import Rules
    from weigh.model.verdict import Reason, Verdict

_FACTOR = 2.0
"""From this ratio on a change is reported as a factor."""
_UNSTABLE = codes.T7_UNSTABLE.code


def sentence(one: Verdict, rules: Rules) -> str:
    """A verdict in one sentence.

    Args:
        one: the verdict.
        rules: of the experiment; they give the error rate of SAME, which a verdict does not carry.
    """
    if one.temperature in ("cold", "first"):
        one = msgspec.structs.replace(one, operation=f"{one.operation} ({one.temperature})")
    match one.verdict:
        case VerdictName.SLOWER | VerdictName.FASTER:
            return f"{_differs(one)}; that is more than the {_plain(one.margin)} you said matters.{_noisy(one)}"
        case VerdictName.SMALL:
            return f"{_differs(one)}: real, and less than the {_plain(one.margin)} you said matters."
        case VerdictName.SAME:
            return f"No difference that matters between {_both(one)}{_in(one)}: {_at_most(one, rules)}."
        case VerdictName.UNRESOLVED:
            return _open(one)
        case VerdictName.REFUSED:
            return _refused(one)
        case VerdictName.DIVERGED | VerdictName.ERROR:
            return f"{one.operation} on {one.contender} has no time: {_why(one)}."


def reasons_in(one: Verdict) -> tuple[Reason, ...]:
    """The reasons that the sentence already tells; a page needs no more of them than their codes."""
    if one.verdict in (VerdictName.SLOWER, VerdictName.FASTER):
        return tuple(reason for reason in one.reasons if reason.code == _UNSTABLE)
    return () if one.verdict in (VerdictName.SMALL, VerdictName.SAME) else one.reasons[:1]


def _in(one: Verdict) -> str:
    return RUN_METRICS[one.metric].within


def _both(one: Verdict) -> str:
    return f"{one.contender} and {one.baseline} on {one.operation}"


def _differs(one: Verdict) -> str:
    """``q1 takes 12.0 % longer on new than on old (between 9.0 and 15.0 %, 99 % sure)``."""
    assert one.ratio is not None
    metric, place = RUN_METRICS[one.metric], f"on {one.contender}"
    if one.ratio >= _FACTOR:
        change = f"{one.ratio:.2f} times {metric.times} {place} as on {one.baseline}"
    else:
        change = f"{_percent(abs(one.ratio - 1))} {metric.longer if one.ratio > 1 else metric.shorter} {place}"
        change += f" than on {one.baseline}"
    return f"{one.operation} {metric.does} {change} (between {_between(one)}, {_plain(one.confidence)} sure)"


def _noisy(one: Verdict) -> str:
    """Of a difference that is shown although the noise would hide a smaller one."""
    if _UNSTABLE not in {reason.code for reason in one.reasons}:
        return ""
    return f" The noise hides anything below {_percent(one.detectable)}; this is larger."


def _between(one: Verdict) -> str:
    assert one.ratio is not None
    assert one.low is not None
    assert one.high is not None
    if one.ratio >= _FACTOR:
        return f"{one.low:.2f} and {one.high:.2f} times"
    sign = 1 if one.ratio > 1 else -1
    low, high = sorted(100 * sign * (end - 1) for end in (one.low, one.high))
    digits = next((digits for digits in (1, 2, 3) if f"{low:.{digits}f}" != f"{high:.{digits}f}"), 1)
    return f"{low:.{digits}f} and {high:.{digits}f} %"


def _at_most(one: Verdict, rules: Rules) -> str:
    """How large a difference is excluded: by the interval where it lies inside the margin, else by the two tests."""
    assert one.low is not None
    assert one.high is not None
    reach = max(one.high, 1 / one.low) - 1
    if reach < one.margin:
        return f"at most {_percent(reach)} either way, {_plain(one.confidence)} sure"
    return f"less than {_plain(one.margin)} either way, {_plain(1 - rules.equivalence)} sure"


def _open(one: Verdict) -> str:
    if one.ratio is None or one.low is None or one.high is None:
        return f"It is open how {_both(one)} compare{_in(one)}: {_why(one)}."
    settle = _settle(one)
    if one.low > 1 or one.high < 1:
        return f"{_differs(one)}; whether that is more than the {_plain(one.margin)} that matter is open: {settle}."
    hidden = f"the noise hides anything below {_percent(one.detectable)}" if one.detectable else "the noise hides it"
    return f"It is open whether {_both(one)} differ{_in(one)}: {hidden}; {settle}."


def _settle(one: Verdict) -> str:
    if one.starts_needed:
        return f"about {one.starts_needed} starts would settle it"
    if one.rebuilt is not msgspec.UNSET:
        return "more builds would settle it"
    return "no reasonable number of starts would settle it"


def _refused(one: Verdict) -> str:
    if one.reasons and one.reasons[0].code == _UNSTABLE and one.detectable:
        return (
            f"No verdict between {_both(one)}{_in(one)}: it varies so much from start to start that a change "
            f"below {_percent(one.detectable)} could be missed; {_settle(one)}."
        )
    return f"No verdict between {_both(one)}{_in(one)}: {_why(one)}."


def _why(one: Verdict) -> str:
    return one.reasons[0].text.rstrip(".") if one.reasons else "no reason is known"


def _percent(value: float | None) -> str:
    return units.percent(value, 1 if value is None or value >= 0.001 else 2)


def _plain(value: float) -> str:
    """A declared fraction as it was declared: ``3 %``."""
    return f"{100 * value:g} %"
