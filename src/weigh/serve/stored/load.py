"""``load.json`` of a load and ``load-comparison.json`` of servers under one load, as far as a list needs them."""

from __future__ import annotations

import msgspec

from weigh.load.comparison.metrics import LOAD_METRICS
from weigh.model import units
from weigh.model.text import one_line, whole_sentences
from weigh.render import words
from weigh.serve.stored.figured import Figured, rate, seconds, time
from weigh.serve.stored.summary import NAME, Figure, Judged, Named, Summary, against, interval, name

_PERCENTILES = ("p50", "p90", "p95", "p99", "p999", "p9999", "max")
_LABELS = {"p999": "p99.9", "p9999": "p99.99"}
_NAMED = 3
_SENTENCE = 400
"""Characters of what a search found."""


class Experiment(msgspec.Struct, frozen=True):
    """What was measured."""

    workload: str


class Reason(msgspec.Struct, frozen=True):
    """Why something is refused."""

    text: str


class Offered(msgspec.Struct, frozen=True):
    """What was offered to what."""

    target: str
    product: str | None
    loop: str | None
    connections: int | None
    rate_target: float | None
    rate_achieved: Figured | None


class Operation(msgspec.Struct, frozen=True):
    """An operation of the headline run."""

    name: str
    count: int
    errors: dict[str, int]
    timeouts: int
    response: dict[str, Figured | None]


class Tpcc(msgspec.Struct, frozen=True):
    """Of TPC-C."""

    tpmc: float | None
    per_second: float | None


class Searched(msgspec.Struct, frozen=True):
    """A search for the highest rate."""

    status: str
    highest: float | None = msgspec.field(name="kept")
    broken: float | None
    sentence: str = ""


class Required(msgspec.Struct, frozen=True):
    """One of the budgets."""

    text: str


class Requirements(msgspec.Struct, frozen=True):
    """What had to hold."""

    verdict: str
    why: str
    budgets: tuple[Required, ...]


class Run(msgspec.Struct, frozen=True):
    """A run."""

    verdict: str
    tpcc: Tpcc | None = None


class StoredLoad(msgspec.Struct, frozen=True):
    """The document of a load."""

    experiment: Experiment
    tier: Named | None
    load: Offered
    operations: tuple[Operation, ...]
    reasons: tuple[Reason, ...]
    runs: tuple[Run, ...]
    rate_search: Searched | None = None
    requirements: Requirements | None = None

    def summary(self) -> Summary:
        """One line of a list."""
        refused = any(one.verdict == "refused" for one in self.runs)
        return Summary(
            workload=name(self.experiment.workload),
            says=self._says(),
            tier=self.tier.name if self.tier else None,
            contenders=tuple(name(one) for one in (self.load.target, self.load.product) if one),
            operations=tuple(name(one.name) for one in self.operations),
            verdicts=(Judged("", name(self.load.target), "refused"),) if refused else (),
        )

    def figures(self) -> list[Figure]:
        """Rates and response times of the headline run."""
        rates = [Figure("answers a second", rate(self.load.rate_achieved)), Figure("offered", self._offered())]
        return [
            *rates,
            *(
                Figure(f"{name(one.name)}, {_LABELS.get(at, at)}", seconds(one.response.get(at)))
                for one in self.operations
                for at in _PERCENTILES
            ),
            *(
                Figure(f"{name(one.name)}, failed", f"{_failed(one):,} of {_requests(one):,}")
                for one in self.operations
            ),
        ]

    def _offered(self) -> str:
        if self.load.loop is None:
            return "nothing"
        due = f"{units.quantity(self.load.rate_target, 5)}/s" if self.load.rate_target else "as fast as answers come"
        return f"{due}, {units.count(self.load.connections or 0, 'connection')}"

    def _says(self) -> str:
        if self.rate_search:
            # Older evidence has no sentence.
            return one_line(self.rate_search.sentence, _SENTENCE) or _found(self.rate_search)
        if self.requirements:
            budgets = " and ".join(one.text for one in self.requirements.budgets)
            at = f" at {self._offered()}" if self.load.loop else ""
            return name(f"{self.requirements.verdict} {budgets}{at}: {_reason(self.requirements.why)}.")
        if self.reasons:
            return f"Refused: {_reason(self.reasons[0].text)}."
        if not self.operations or not _requests(self.operations[0]):
            return "Nothing was measured."
        whole = self.operations[0]
        times = ", ".join(f"{_LABELS.get(at, at)} {time(whole.response.get(at))}" for at in ("p50", "p99", "p999"))
        failed = sum(map(_failed, self.operations[:1]))
        lost = f"{failed:,} of {_requests(whole):,} failed" if failed else "none failed"
        tpcc = next((one.tpcc for one in self.runs if one.tpcc), None)
        counted = f"{units.quantity(tpcc.tpmc)} New-Orders a minute; " if tpcc and tpcc.tpmc is not None else ""
        return f"{counted}{times} at {self._offered()}; {lost}."


class Contender(msgspec.Struct, frozen=True):
    """A server of a comparison."""

    name: str
    contender: str
    target: str


class Decided(msgspec.Struct, frozen=True):
    """A verdict on a figure of a server."""

    metric: str
    operation: str
    connections: int
    loop: str
    contender: str
    baseline: str
    verdict: str
    ratio: float | None
    low: float | None
    high: float | None
    plain_ratio: float | None = None


class StoredLoadComparison(msgspec.Struct, frozen=True):
    """The document of a comparison of servers."""

    experiment: Experiment
    tier: Named | None
    contenders: tuple[Contender, ...]
    verdicts: tuple[Decided, ...]

    def summary(self) -> Summary:
        """One line of a list."""
        return Summary(
            workload=name(self.experiment.workload),
            says=self._says(),
            tier=self.tier.name if self.tier else None,
            contenders=tuple(
                dict.fromkeys(name(each) for one in self.contenders for each in (one.contender, one.target))
            ),
            operations=tuple(dict.fromkeys(name(one.operation) for one in self.verdicts)),
            verdicts=tuple(
                dict.fromkeys(
                    Judged(name(one.operation), name(one.contender), name(one.verdict))
                    for one in self.verdicts
                    if not _spent(one)
                )
            ),
        )

    def figures(self) -> list[Figure]:
        """Each verdict within its own session."""
        return [
            Figure(
                f"{name(one.operation)}, {_label(one)}, {one.loop} loop, {units.count(one.connections, 'connection')}: "
                f"{name(one.contender)} against {name(one.baseline)}",
                _judged(one)
                + (f", ratio {words.ratio(one)}{interval(one.low, one.high)}" if words.ratio(one) else "")
                + (words.PLAIN if one.plain_ratio else ""),
            )
            for one in self.verdicts
        ]

    def _says(self) -> str:
        by_contender: dict[str, dict[str, list[str]]] = {}
        for one in self.verdicts:
            if one.operation == "all" and not _spent(one):
                found = by_contender.setdefault(one.contender, {})
                found.setdefault(one.verdict, []).append(_label(one))
        if not by_contender:
            return "Nothing is compared."
        sentences = [
            f"{name(who)}: "
            + "; ".join(
                f"{verdict.upper() if verdict in ('slower', 'faster') else name(verdict)} in "
                f"{', '.join(dict.fromkeys(metrics))}"
                for verdict, metrics in found.items()
            )
            for who, found in by_contender.items()
        ]
        more = [f"{units.count(len(sentences) - _NAMED, 'contender')} more"] if len(sentences) > _NAMED else []
        return against(self.verdicts[0].baseline, [*sentences[:_NAMED], *more])


def _label(one: Decided) -> str:
    return LOAD_METRICS[one.metric].label if one.metric in LOAD_METRICS else name(one.metric)


def _spent(one: Decided) -> bool:
    """Whether there is more and less of it, and not faster and slower."""
    return one.metric not in LOAD_METRICS or LOAD_METRICS[one.metric].spent


def _judged(one: Decided) -> str:
    if not _spent(one):
        return name(one.verdict)
    return {"slower": "more", "faster": "less"}.get(one.verdict, name(one.verdict))


def _found(one: Searched) -> str:
    outcome = (
        f"kept up to {units.quantity(one.highest)}/s" if one.highest is not None else "kept at no rate that was tried"
    )
    broken = f", broken from {units.quantity(one.broken)}/s on" if one.broken is not None else ""
    return f"Search for the highest rate: the budgets are {outcome}{broken} ({name(one.status)})."


def _failed(one: Operation) -> int:
    return sum(one.errors.values()) + one.timeouts


def _requests(one: Operation) -> int:
    return one.count + sum(one.errors.values())


def _reason(text: str) -> str:
    """Why, in a line of a list: who used the CPUs is for the page."""
    return name(whole_sentences(text.partition(": ")[0] if text.startswith("others used") else text, NAME))
