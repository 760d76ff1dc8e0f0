"""Words that all reports share: verdicts and tiers, without statistics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from weigh.model import units
from weigh.model.text import one_line
from weigh.model.verdict import TierName, Verdict, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.verdict import Reason

_MORE = re.compile(r" \(and ([\d,]+) more(?: of this kind)?\)$")
"""How a reason that stands for several ends."""


TERMS = {
    "CV": "coefficient of variation: the standard deviation, as a share of the mean",
    "FCR": "false-coverage-rate interval: it decides whether a difference matters",
}
"""What headings of tables mean."""
PLAIN = "; plain ratio, no verdict"
"""What is reported of the ratio of a refused comparison, which stands in brackets."""


class Compared(Protocol):
    """Two sides with a ratio."""

    @property
    def ratio(self) -> float | None:
        """Of a comparison that is not refused for want of figures."""
        ...

    @property
    def plain_ratio(self) -> float | None:
        """Of one that is."""
        ...


def ratio(one: Compared) -> str:
    """A ratio as it is printed: in brackets where it is that of two medians and no verdict; empty without one."""
    if one.ratio:
        return units.ratio(one.ratio)
    return f"({units.ratio(one.plain_ratio)})" if one.plain_ratio else ""


def interval(low: float | None, high: float | None, dash: str = "-") -> str:
    """An interval of a ratio as tables have it; nothing where there is none."""
    return f"{units.ratio(low, 2)}{dash}{units.ratio(high, 2)}" if low is not None and high is not None else ""


def plain_ratios(compared: Iterable[Compared]) -> str:
    """The ratios of the medians of refused comparisons, marked as no verdict, to be put behind a phrase."""
    found = sorted(one.plain_ratio for one in compared if one.plain_ratio)
    if not found:
        return ""
    if len(found) == 1:
        return f" (plain ratio {units.ratio(found[0])}, no verdict)"
    return f" (plain ratios {units.ratio(found[0])} to {units.ratio(found[-1])}, no verdict)"


def verdict(one: Verdict) -> str:
    """A verdict in a few words."""
    change = units.percent(abs(one.ratio - 1)) if one.ratio is not None else ""
    margin = units.percent(one.margin)
    match one.verdict:
        case VerdictName.SLOWER:
            return f"SLOWER by {_factor(one.ratio)}"
        case VerdictName.FASTER:
            return f"FASTER by {_factor(one.ratio)}"
        case VerdictName.SAME:
            return f"SAME within {margin}"
        case VerdictName.SMALL:
            return f"SMALL: {change}, under {margin}"
        case VerdictName.UNRESOLVED:
            needed = f", {one.starts_needed} starts needed" if one.starts_needed else ""
            return f"UNRESOLVED{needed}"
        case VerdictName.REFUSED:
            code = one.reasons[0].code if one.reasons else ""
            return (f"REFUSED ({code})" if code else "REFUSED") + (PLAIN if one.plain_ratio else "")
        case VerdictName.DIVERGED:
            return "DIVERGED: not timed"
        case VerdictName.ERROR:
            return "ERROR: not measured"


def _factor(ratio: float | None) -> str:
    """A change as per cent while that is readable, as a factor beyond."""
    if ratio is None:
        return "?"
    factor = max(ratio, 1 / ratio)
    return f"{units.ratio(factor, 2)}x" if factor >= 2 else units.percent(abs(ratio - 1))


CLAIM = (
    "The claim is the ratio between these builds, on this data, with these settings, on this machine. "
    "The times are this machine's own."
)
"""How far a result reaches, however many starts it has (T10): one build is one sample of code layout."""


_TIERS = {
    TierName.CONCLUSIVE: "CONCLUSIVE, if `weigh verify` passes",
    TierName.SUGGESTIVE: "SUGGESTIVE, not conclusive, because:",
    TierName.INADMISSIBLE: "INADMISSIBLE, because:",
}


def tier(name: TierName) -> str:
    """A tier as the heading of its reasons."""
    return _TIERS[name]


def first_reason(reasons: Sequence[Reason], limit: int = 240) -> tuple[str, str]:
    """Of the reasons for a tier the first, without the full stop; and how many more there are, in one phrase.

    Args:
        reasons: at least one; what stands for several of its kind says so at its end, and each of them counts.
        limit: characters of the reason to keep.
    """
    first = reasons[0].text
    same = _MORE.search(first)
    more = len(reasons) - 1 + (int(same[1].replace(",", "")) if same else 0)
    text = one_line(first[: same.start()] if same else first, limit).rstrip(".")
    return text, f" (and {units.count(more, 'more reason')})" if more else ""
