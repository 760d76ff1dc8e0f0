"""Names of the TPC in what users measure: a result under one needs an audit, which no run of weigh is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_BENCHMARK = re.compile(r"(?<![a-z])tpc[-_ ]?(ds|di|bb|ai|[abcehw])(?![a-z])", re.IGNORECASE)
_METRICS = {"ds": r"qphds", "h": r"qphh|qpphh?|qthh?", "c": r"tpmc", "e": r"tpse"}
_METRIC = re.compile(
    "|".join(rf"(?<![a-z])(?P<{one}>{names})(?![a-z])" for one, names in _METRICS.items()), re.IGNORECASE
)


def notice(names: Iterable[str]) -> str:
    """What every report must say of something that is called so; empty where no name is the TPC's.

    Args:
        names: of a folder of queries, of the queries, of contenders.
    """
    for name in names:
        if found := _BENCHMARK.search(name):
            return _notice(found[1])
        if metric := _METRIC.search(name):
            return _notice(next(one for one, part in metric.groupdict().items() if part))
    return ""


def _notice(benchmark: str) -> str:
    return f"derived from TPC-{benchmark.upper()}, not comparable to published results"
