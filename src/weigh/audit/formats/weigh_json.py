"""weigh: the JSON document of a run, a load or what compares them (docs/reference/json.md)."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from weigh.audit import weigh_figures as figures
from weigh.audit.published import Contradiction, Latency, Loop, Part, Published, Rate
from weigh.audit.text import number, rows, table, word
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from weigh.audit.text import Text

NAME = "weigh"
_RUN, _LOAD = "weigh/1", "weigh/load/1"
_SCHEMAS = (
    _RUN, _LOAD, "weigh/load-comparison/1", "weigh/compare/1", "weigh/judge/1", "weigh/ladder/1", "weigh/load-ladder/1",
    "weigh/reproduction/1", "weigh/streams/1", "weigh/history/1",
)  # fmt: skip
_RANKS = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "p9999": 99.99}
_SHARE = 0.01
"""Of a percentile by which it may be off: histograms have buckets."""
_KEY = ("operation", "metric", "temperature", "scale", "layout")
_TIMED = ("slower", "faster", "same", "small", "unresolved")
_WRITTEN = 200
"""Characters of a text that a document is quoted with."""


def recognises(text: Text) -> bool:
    """By the name of its schema."""
    return text.object.get("schema") in _SCHEMAS


def read(text: Text) -> list[Published]:
    """The one result that a document is of."""
    document = text.object
    experiment, load = table(document.get("experiment")), table(document.get("load"))
    evidence = word(document.get("evidence"))
    rate = table(load.get("rate_achieved"))
    systems = [table(one) for one in rows(document.get("contenders"))]
    engines = [f"{word(one.get('engine'))} {word(one.get('version'))}".strip() for one in systems]
    named = [word(one.get("product")) for one in (load, *systems) if word(one.get("product"))]
    loop: Loop = "open" if load.get("loop") == "open" else "closed" if load.get("loop") == "closed" else ""
    operations = [table(one) for one in rows(document.get("operations"))]
    size = table(document.get("working_set"))
    return [
        Published(
            form=NAME,
            file=text.name,
            benchmark=word(experiment.get("workload")) or word(document.get("schema")),
            system=one_line(", ".join(filter(None, named or engines)), _WRITTEN),
            workload=word(experiment.get("workload")),
            scale=number(experiment.get("scale")),
            data_bytes=number(size.get("data_bytes")),
            memory_bytes=number(size.get("memory_bytes")),
            loop=loop,
            clients=number(load.get("connections")),
            # A connection may have several requests under way.
            pipelined=True,
            offered=number(load.get("rate_target")),
            rate=number(rate.get("value")),
            seconds=number(load.get("duration_s")),
            latencies=tuple(_latencies(operations)),
            rates=tuple(_rates(document, load, operations)),
            parts=tuple(_parts(operations)),
            shows=dict(_shows(document)),
            lacks={"R4": figures.unproven(evidence), "R9": f"no signature is in it: {figures.unproven(evidence)}"},
            contradicted=tuple(_contradictions(document)),
        )
    ]


def _latencies(operations: list[dict[str, Any]]) -> Iterator[Latency]:
    for one in operations:
        for what in ("response", "service"):
            spectrum = table(one.get(what))
            if not spectrum or not number(one.get("count")):
                continue
            known = {rank: _value(spectrum, name) for name, rank in _RANKS.items()}
            yield Latency(
                name=f"{word(one.get('name'))} ({what})",
                count=number(one.get("count")),
                mean=number(table(spectrum.get("mean")).get("value")),
                most=_value(spectrum, "max"),
                percentiles={rank: value for rank, value in known.items() if value is not None},
                share=_SHARE,
            )


def _value(spectrum: Mapping[str, Any], name: str) -> float | None:
    """A percentile as it was met in the run; where it is resolved that is the same."""
    one = table(spectrum.get(name))
    met = number(one.get("seen"))
    return met if met is not None else number(one.get("value"))


def _rates(document: Mapping[str, Any], load: Mapping[str, Any], operations: list[dict[str, Any]]) -> Iterator[Rate]:
    """Of the steady part of a run that came to its end, all operations together."""
    length, cut = number(load.get("duration_s")), number(table(document.get("steady")).get("cut_s"))
    value = number(table(load.get("rate_achieved")).get("value"))
    counts = [number(one.get("count")) for one in operations if word(one.get("name")) == "all"] or [
        number(one.get("count")) for one in operations
    ]
    runs = [table(one) for one in rows(document.get("runs"))]
    if length is None or cut is None or value is None or len(counts) != 1 or counts[0] is None:
        return
    if all(one.get("complete") is True for one in runs):
        yield Rate(name="all requests", count=counts[0], seconds=length - cut, rate=value)


def _parts(operations: list[dict[str, Any]]) -> Iterator[Part]:
    counts = {word(one.get("name")): number(one.get("count")) for one in operations}
    known = {name: value for name, value in counts.items() if value is not None}
    total = known.pop("all", None)
    if total is not None and known:
        yield Part(name="the number of all requests", total=total, parts=known)


def _contradictions(document: dict[str, Any]) -> Iterator[Contradiction]:
    for name, one in _objects(document):
        yield from figures.of_interval(name, one)
        yield from figures.of_spread(name, one)
        # Of a share of errors the margin is a budget, and the ratio another one.
        if one.get("metric") != "errors":
            yield from figures.of_verdict(name, one)
        if isinstance(one.get("sentence"), str):
            yield from figures.of_sentence(name, one, one["sentence"])
    verdicts = [table(one) for one in rows(document.get("verdicts"))]
    timings = [table(one) for one in rows(document.get("timings"))]
    if document.get("schema") == _RUN:
        yield from figures.of_medians(verdicts, timings, _KEY)
        yield from _means(document, verdicts)
        yield from _answers(document, verdicts)
    tier = table(document.get("tier"))
    if tier.get("name") == "conclusive" and rows(tier.get("reasons")):
        text = f"it is called conclusive, with {units.count(len(tier['reasons']), 'reason')} why it is not"
        yield Contradiction(row="R5", text=text)
    for one in rows(document.get("runs")):
        yield from _requests(table(one))


def _objects(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of a document, with what it is called."""
    left: list[tuple[str, Any]] = [("", document)]
    while left:
        name, one = left.pop()
        if isinstance(one, dict):
            title = figures.called(one) or word(one.get("name"))
            name = title if title and title in name else " ".join(filter(None, (name, title)))
            yield one_line(name or "the document", _WRITTEN), one
            left += [(" ".join(filter(None, (name, key))), value) for key, value in one.items()]
        elif isinstance(one, list):
            left += [(name, value) for value in one]


def _means(document: Mapping[str, Any], verdicts: list[dict[str, Any]]) -> Iterator[Contradiction]:
    """The mean of a suite is the geometric one of its operations."""
    for one in map(table, rows(document.get("suites"))):
        mean, temperature = number(one.get("mean")), word(one.get("temperature")) or "hot"
        ratios = [
            number(verdict.get("ratio"))
            for verdict in verdicts
            if verdict.get("metric") == "wall_s"
            and (verdict.get("contender"), verdict.get("baseline")) == (one.get("contender"), one.get("baseline"))
            and (word(verdict.get("temperature")) or "hot") == temperature
        ]
        known = [ratio for ratio in ratios if ratio is not None and ratio > 0]
        if mean is None or mean <= 0 or len(known) != number(one.get("operations")):
            continue
        whole = math.exp(math.fsum(map(math.log, known)) / len(known))
        if abs(math.log(whole / mean)) > 1e-4:
            text = f"the mean of {word(one.get('contender'))} is {mean:.6g}, and that of its ratios {whole:.6g}"
            yield Contradiction(row="R2", text=text)


def _answers(document: Mapping[str, Any], verdicts: list[dict[str, Any]]) -> Iterator[Contradiction]:
    """Whose answers diverge is not timed."""
    diverged = {one["operation"] for one in _gate(document) if one.get("status") == "diverged" and "operation" in one}
    for one in verdicts:
        if one.get("operation") in diverged and one.get("verdict") in _TIMED:
            text = f"the answers of {word(one.get('operation'))} diverge, and {figures.called(one)} is {one['verdict']}"
            yield Contradiction(row="A1", text=text)


def _gate(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [table(one) for one in rows(document.get("gate"))]


def _requests(run: Mapping[str, Any]) -> Iterator[Contradiction]:
    """Nothing is answered that was not sent, nor sent in an open loop that was not due."""
    requests = table(run.get("requests"))
    due, sent, answered = (number(requests.get(name)) for name in ("scheduled", "sent", "answered"))
    name = f"run {number(run.get('number')) or 0:g}"
    if sent is not None and answered is not None and answered > sent:
        yield Contradiction(row="L7", text=f"{name}: {answered:,.0f} requests were answered, and {sent:,.0f} sent")
    if run.get("loop") == "open" and due and sent is not None and sent > due:
        yield Contradiction(row="L3", text=f"{name}: {sent:,.0f} requests were sent, and {due:,.0f} were due")
    for one in map(table, rows(run.get("operations"))):
        yield from _waits(name, one)


def _waits(run: str, one: Mapping[str, Any]) -> Iterator[Contradiction]:
    """What a user waits has what the server takes in it."""
    response, service = table(one.get("response")), table(one.get("service"))
    for name in (*_RANKS, "max"):
        whole, part = _value(response, name), _value(service, name)
        if whole is not None and part is not None and whole < part * (1 - 2 * _SHARE):
            what = f"{run}, {word(one.get('name'))}: {name} of the response is {units.seconds(whole)}"
            yield Contradiction(row="L2", text=f"{what}, and of the service in it {units.seconds(part)}")
            return


def _shows(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    verdicts = [table(one) for one in rows(document.get("verdicts"))]
    claims = Counter(
        (word(one.get("contender")), word(one.get("baseline")), word(one.get("verdict")))
        for one in verdicts
        if one.get("metric") in ("wall_s", None) or document.get("schema") != _RUN
    )
    if claims:
        counted = (f"{who} against {base}: {name} on {count}" for (who, base, name), count in sorted(claims.items()))
        yield "R2", one_line("; ".join(counted), 2 * _WRITTEN)
        yield from figures.noise(verdicts).items()
    statuses = Counter(word(one.get("status")) for one in _gate(document))
    if statuses:
        answered = ", ".join(f"{name} on {count}" for name, count in sorted(statuses.items()))
        yield "A8", f"answers: {answered}"
        yield "A1", f"answers: {answered}"
    tier = table(document.get("tier"))
    if tier:
        why = [word(table(one).get("text")) for one in rows(tier.get("reasons"))]
        yield "R5", one_line(f"{word(tier.get('name'))}{': ' if why else ''}{'; '.join(why)}", 2 * _WRITTEN)
    for row, key, what in _SECTIONS:
        if document.get(key):
            yield row, what


_SECTIONS = (
    ("A11", "outside", "CPU time outside of the clock"),
    ("D9", "start_costs", "what starts and loading cost"),
    ("E1", "cold", "what was proven of cold executions"),
    ("E2", "storage", "on which storage everything lies"),
    ("E4", "machine", "who else used the machine"),
    ("E5", "knobs", "settings of the machine as they were read"),
    ("E6", "parity", "what each contender had"),
    ("R1", "suites", "the whole workload, with what is missing"),
    ("R3", "contenders", "versions and settings of all contenders"),
)
