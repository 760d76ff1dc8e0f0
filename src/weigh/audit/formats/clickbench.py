"""ClickBench: a file of ``results``, three executions of each of 43 queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.audit.published import Contradiction, Published
from weigh.audit.text import number, rows, word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "ClickBench"
_QUERIES, _RUNS = 43, 3
_MOST = 1_000
"""Queries of a file that is read; a longer one is something else."""


def recognises(text: Text) -> bool:
    """A system with a table of results."""
    found = text.object
    return {"system", "result"} <= found.keys() and isinstance(found["result"], list) and len(found["result"]) <= _MOST


def read(text: Text) -> list[Published]:
    """One result."""
    document = text.object
    times = {f"Q{at}": tuple(number(value) for value in rows(one)) for at, one in enumerate(rows(document["result"]))}
    size = number(document.get("data_size"))
    load = number(document.get("load_time"))
    shows = {}
    if size:
        shows["D9"] = f"the data takes {size / 1e9:.3g} GB, and loading took {load or 0:.3g} s"
    if "tuned" in document:
        shows["E7"] = f'it says tuned: "{word(document["tuned"])}"; no setting was read back'
    lacks = {"A8": "it keeps no answer: whether one was right cannot be known", "A1": "it keeps no answer"}
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark="ClickBench",
            system=word(document["system"]),
            workload="clickbench",
            machine=word(document.get("machine")),
            date=word(document.get("date")),
            data_bytes=size,
            times=times,
            expected=_QUERIES,
            shows=shows | _cold(times),
            lacks=lacks,
            contradicted=tuple(_contradictions(times)),
        )
    ]


def _contradictions(times: dict[str, tuple[float | None, ...]]) -> Iterator[Contradiction]:
    """A time of 0.00 is a short one that was rounded; all of a whole suite are not."""
    known = [(name, value) for name, one in times.items() for value in one if value is not None]
    below = [name for name, value in known if value < 0]
    if below:
        yield Contradiction(row="A10", text=f"{below[0]} took less than no time")
    elif len(times) >= _QUERIES and known and not any(value for _, value in known):
        yield Contradiction(row="A10", text="no query took any time")


def _cold(times: dict[str, tuple[float | None, ...]]) -> dict[str, str]:
    """By its rules the first of three executions is cold."""
    whole = [[one for one in values if one] for values in times.values() if len(values) == _RUNS]
    ratios = sorted(one[0] / min(one[1:]) for one in whole if len(one) == _RUNS)
    if not ratios:
        return {}
    typical = ratios[len(ratios) // 2]
    text = f"the first execution takes {typical:.2g} times the better of the others (median of {len(ratios)})"
    return {"E1": f"{text}; by its rules it is cold, and nothing shows that the page cache was empty"}
