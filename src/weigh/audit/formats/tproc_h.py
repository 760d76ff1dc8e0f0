"""HammerDB: the log of a run of TPROC-H."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Published
from weigh.audit.text import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "HammerDB TPROC-H"
_QUERIES = 22
_QUERY = r"Vuser (\d{1,6}):query (\d{1,2}) completed in ([\d.]{1,20}) seconds"
_SET = r"Vuser (\d{1,6}):Completed (\d{1,6}) query set\(s\) in ([\d.]{1,20}) seconds"
_LINES = re.compile(f"{_QUERY}|{_SET}")
_SHARE, _SECONDS = 0.02, 1.0
"""By which a sum may exceed the length of its set: times are rounded, that one to whole seconds."""


def recognises(text: Text) -> bool:
    """A query set that was completed, or a query of one."""
    return bool(_LINES.search(text.text))


def read(text: Text) -> list[Published]:
    """One result: all executions of each query, by all users."""
    times: dict[str, list[float | None]] = {}
    for found in re.finditer(_QUERY, text.text):
        times.setdefault(f"Q{found[2]}", []).append(number(found[3]))
    users = text.number(r"# Virtual Users Created") or text.number(r"# VU TEST")
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark="TPROC-H",
            system=text.word(r"Benchmark set to TPC-H for (\w+)"),
            version="",
            workload="tpch",
            scale=text.number(r"scale_fact\w* ?[=:]? ?#") or text.number(r"Value # for tpch:\w+_scale_fact"),
            loop="closed",
            clients=users,
            times={name: tuple(one) for name, one in times.items()},
            expected=_QUERIES,
            shows={"R7": "it calls itself TPROC-H, which is no TPC result"},
            contradicted=tuple(_contradictions(text.text)),
        )
    ]


def _contradictions(text: str) -> Iterator[Contradiction]:
    """A user asks one query after the other: together they take no longer than their set."""
    sums: dict[str, float] = {}
    for found in _LINES.finditer(text):
        user, _, took, ended, sets, length = found.groups()
        if user:
            sums[user] = sums.get(user, 0.0) + (number(took) or 0.0)
            continue
        total, whole = sums.pop(ended, 0.0), number(length) or 0.0
        if total > whole * (1 + _SHARE) + _SECONDS:
            text_of = f"the queries of user {ended} take {total:.4g} s one after the other, and its {sets} query sets "
            yield Contradiction(row="R2", text=f"{text_of}{whole:.4g} s")
