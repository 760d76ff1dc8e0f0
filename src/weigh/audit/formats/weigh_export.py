"""weigh: what ``weigh export`` writes for other tools (docs/guide/export.md), but for ClickBench's form."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import msgspec

from weigh.audit import weigh_figures as figures
from weigh.audit.published import Contradiction, Published
from weigh.audit.text import number, table, word
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from weigh.audit.text import Text

NAME = "weigh export"
_MOST = 100_000
"""Rows of a file that are read."""
_HEAD = 1 << 12
_KEY = ("operation", "metric", "temperature", "layout")
_COLUMNS = {"operation", "contender", "metric", "temperature", "min", "median", "max", "verdict", "ratio"}
_LABELLED = re.compile(r"^(weigh_\w{1,60})\{([^\n]{0,2000})\} (\S{1,40})$", re.MULTILINE)
_LABEL = re.compile(r'(\w{1,40})="((?:[^"\\]|\\.){0,400})"')
_BENCHMARK = re.compile(r"^BenchmarkOperation/(\S{1,400}) +(\d{1,9}) +([0-9.eE+-]{1,30}) sec/op", re.MULTILINE)
_EVIDENCE = re.compile(r"^(?:evidence: |title: weigh evidence )(\S{1,120})", re.MULTILINE)
_CELL = re.compile(r"([0-9.]{1,12}) \(([0-9.]{1,12})-([0-9.]{1,12})\)")
_PARQUET = b"PAR1"
_EXECUTIONS = ("operation", "contender", "start", "wall_s", "round_trip_s")
_UNPACKED = 256 << 20
"""Bytes of a row group that is read."""
_CLOCKS = 1e-3
"""Seconds by which an execution may exceed what is around it: two clocks."""
_LINE = re.compile(r"\| ([0-9.]{1,12}) \| ([0-9.]{1,12}) - ([0-9.]{1,12}) \| (?:(SLOWER|FASTER) by ([0-9.]{1,12}) %)?")
_PRINTED = 0.011
"""By which printed ratios may be off."""
_RATIOS = {"weigh_time_ratio": "ratio", "weigh_time_ratio_low": "low", "weigh_time_ratio_high": "high"}
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def recognises(text: Text) -> bool:
    """By what only weigh writes."""
    return _form(text) is not None


def read(text: Text) -> list[Published]:
    """The one run that an export is of."""
    form = _form(text)
    return [form(text)] if form else []


def _form(text: Text) -> Callable[[Text], Published] | None:
    head = text.text[:_HEAD]
    first = head.partition("\n")[0]
    if text.content.startswith(_PARQUET) and all(one.encode() in text.content for one in _EXECUTIONS):
        return _parquet
    if set(first.strip().split(",")) >= _COLUMNS:
        return _csv
    if head.startswith("workload: ") and "\nevidence: " in head:
        return _benchfmt
    if head.startswith("<?xml") and '<testsuites name="weigh ' in head:
        return _junit
    if "\nweigh_execution_seconds{" in text.text or "\nweigh_verdict{" in text.text:
        return _openmetrics
    if head.startswith("cff-version:") and "title: weigh evidence " in head:
        return _citation
    if head.startswith("**") and "\nAgain: `weigh " in text.text:
        return _markdown
    return _bencher if _is_bencher(text.object) else None


def _is_bencher(document: dict[str, Any]) -> bool:
    """Of an operation of a contender all three of its measures, or a part of them, and nothing else."""
    measures = {"latency", "cpu-time", "peak-memory"}
    return bool(document) and all(
        ": " in name and isinstance(one, dict) and one and one.keys() <= measures for name, one in document.items()
    )


def _published(text: Text, contradicted: Iterable[Contradiction], evidence: str = "", **more: Any) -> Published:
    lacks = {"R4": figures.unproven(evidence), "R9": f"no signature is in it: {figures.unproven(evidence)}"}
    if "T10" not in more["shows"]:
        lacks["T10"] = "of how many starts it is does not stand in this form"
    return Published(form=NAME, file=text.name, lacks=lacks, contradicted=tuple(contradicted), **more)


def _claims(verdicts: Iterable[dict[str, Any]]) -> dict[str, str]:
    """What it claims, in a few words."""
    counted = Counter((word(one.get("contender")), word(one.get("verdict"))) for one in verdicts if one.get("verdict"))
    claims = "; ".join(f"{who}: {name} on {count}" for (who, name), count in sorted(counted.items()))
    return {"R2": one_line(claims, 400)} if claims else {}


def _csv(text: Text) -> Published:
    try:
        lines = [
            {key: value for key, value in one.items() if key and value}
            for one in islice(csv.DictReader(io.StringIO(text.text)), _MOST)
        ]
    except csv.Error:
        lines = []
    for one in lines:
        for key in ("operation", "contender", "baseline", "layout"):
            one[key] = one.get(key, "").removeprefix("'")
    verdicts = [one for one in lines if one.get("verdict")]

    def wrong() -> Iterator[Contradiction]:
        for one in lines:
            name = figures.called(one)
            yield from figures.of_spread(name, one)
            yield from figures.of_interval(name, {key: value for key, value in one.items() if key != "median"})
        for one in verdicts:
            # Of a verdict the starts are those of the blocks, and the column has those of the contender.
            yield from figures.of_verdict(figures.called(one), {**one, "starts": None})
        yield from figures.of_medians(verdicts, lines, _KEY)

    timed = [one for one in verdicts if one.get("metric") == "wall_s"]
    shows = _claims(timed) | figures.noise(timed)
    return _published(text, wrong(), benchmark="runs as CSV", system=_systems(lines), shows=shows)


def _systems(lines: Iterable[dict[str, Any]]) -> str:
    return one_line(", ".join(sorted({word(one.get("contender")) for one in lines} - {""})), 200)


def _benchfmt(text: Text) -> Published:
    times: dict[str, tuple[float | None, ...]] = {}
    for part in text.text.split("\ncontender: ")[1:]:
        contender, _, lines = part.partition("\n")
        found = defaultdict(list)
        for one in islice(_BENCHMARK.finditer(lines), _MOST):
            found[one[1]].append(number(one[3]))
        times |= {one_line(f"{name} of {contender}", 200): tuple(values) for name, values in found.items()}
    contradicted = [
        Contradiction(row="A10", text=f"{name} took {value:g} s, which is no time")
        for name, values in times.items()
        for value in values
        if value is not None and value <= 0
    ]
    workload = text.word(r"^workload: (.{1,120})$")
    shows = {"T10": "a line for each start"}
    return _published(text, contradicted, text.word(_EVIDENCE.pattern), benchmark=workload, times=times, shows=shows)


def _bencher(text: Text) -> Published:
    names = {"min": "lower_value", "median": "value", "max": "upper_value"}

    def wrong() -> Iterator[Contradiction]:
        for name, measures in islice(text.object.items(), _MOST):
            for measure, one in table(measures).items():
                values = {key: table(one).get(field) for key, field in names.items()}
                yield from figures.of_spread(one_line(f"{measure} of {name}", 200), values)

    systems = sorted({name.partition(": ")[0] for name in text.object})
    spread = {"T1": "the least and the most of the times"} if '"lower_value"' in text.text else {}
    shows = {"R2": units.count(len(text.object), "operation") + ", one by one; no verdict", **spread}
    return _published(text, wrong(), benchmark="runs", system=one_line(", ".join(systems), 200), shows=shows)


def _openmetrics(text: Text) -> Published:
    verdicts: dict[tuple[str, ...], dict[str, Any]] = defaultdict(dict)
    states: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, labels, value in islice(_LABELLED.findall(text.text), _MOST):
        found = {key: _unescaped(worth) for key, worth in _LABEL.findall(labels)}
        key = tuple(found.get(one, "") for one in ("operation", "contender", "baseline", "temperature", "layout"))
        if name in _RATIOS:
            verdicts[key] |= {"operation": key[0], "contender": key[1], _RATIOS[name]: number(value)}
        elif name == "weigh_verdict":
            verdicts[key] |= {"operation": key[0], "contender": key[1]}
            states[key] += [found.get("weigh_verdict", "")] if number(value) == 1 else []

    def wrong() -> Iterator[Contradiction]:
        for key, one in verdicts.items():
            name = figures.called(one)
            if key in states and len(states[key]) != 1:
                text = f"{name}: {units.count(len(states[key]), 'verdict')} at once, and it has one"
                yield Contradiction(row="R4", text=text)
            one["verdict"] = (states.get(key) or [""])[0]
            yield from figures.of_interval(name, one)
            # The margin is not in it: a difference that matters is one at least.
            yield from figures.of_verdict(
                name, {**one, "margin": 0.0 if one["verdict"] in ("slower", "faster") else None}
            )

    contradicted = tuple(wrong())
    shows = _claims(verdicts.values()) | figures.noise(verdicts.values())
    return _published(text, contradicted, benchmark="runs", system=_systems(verdicts.values()), shows=shows)


def _unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def _junit(text: Text) -> Published:
    root = _xml(text.text)
    verdicts: list[dict[str, Any]] = []
    contradicted: list[Contradiction] = []
    for suite in [] if root is None else root:
        cases = suite.findall("testcase")
        counted = {name: sum(case.find(tag) is not None for case in cases) for name, tag in _COUNTED.items()}
        stated = {name: int(found) for name in ("tests", *_COUNTED) if (found := number(suite.get(name))) is not None}
        called = one_line(suite.get("name") or "a suite", 200)
        contradicted += figures.of_counts(called, stated, {"tests": len(cases), **counted})
        for case in cases if " against " in called else ():
            verdicts.append(_case(case))
            contradicted += figures.of_words(figures.called(verdicts[-1]), verdicts[-1])
    name = "" if root is None else (root.get("name") or "").removeprefix("weigh ")
    shows = _claims(verdicts) | _printed(figures.BETWEEN.search(text.text))
    return _published(text, contradicted, one_line(name, 120), benchmark="runs", shows=shows)


def _printed(interval: re.Match[str] | None) -> dict[str, str]:
    """What a form without columns shows of the noise."""
    return {"T1": "intervals"} if interval else {}


def _xml(text: str) -> ElementTree.Element | None:
    """The document; None of one that is none, or that declares entities, which grow without bound."""
    if "<!" in text:
        return None
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, RecursionError, ValueError):
        return None


def _case(case: ElementTree.Element) -> dict[str, Any]:
    """A comparison: how it ended, and its sentence."""
    ends = [one for one in case if one.tag in (*_COUNTED.values(), "system-out")]
    tag = ends[0].tag if ends else ""
    kind = (ends[0].get("type") or "").removeprefix("verdict.") if ends else ""
    words = (ends[0].get("message") or ends[0].text or "") if ends else ""
    contender = (case.get("classname") or "").partition(".")[2]
    return {
        "operation": one_line(case.get("name") or "", 120),
        "contender": one_line(contender, 120),
        "verdict": one_line(kind or {"skipped": "open", "system-out": "passed"}.get(tag, "none"), 40),
        "sentence": one_line(words, 1000),
    }


def _markdown(text: Text) -> Published:
    contradicted: list[Contradiction] = []
    for ratio, low, high in islice(_CELL.findall(text.text), _MOST):
        ends = {"ratio": ratio, "low": low, "high": high}
        contradicted += figures.of_interval(f"{ratio} ({low}-{high})", ends, _PRINTED)
    for ratio, low, high, verdict, percent in islice(_LINE.findall(text.text), _MOST):
        ends = {"ratio": ratio, "low": low, "high": high}
        contradicted += figures.of_interval(f"{ratio}, {low} - {high}", ends, _PRINTED)
        change = (number(percent) or 0.0) / 100 * (1 if verdict == "SLOWER" else -1)
        if verdict and abs(1 + change - (number(ratio) or 0.0)) > _PRINTED:
            contradicted.append(Contradiction(row="R4", text=f"{ratio} is called {verdict} by {percent} %"))
    claims = [one_line(line, 200) for line in text.text.splitlines()[1:4] if line.strip()]
    shows = {"R2": " ".join(claims)} | _printed(_CELL.search(text.text) or _LINE.search(text.text))
    return _published(text, contradicted, benchmark="runs as Markdown", shows=shows)


def _citation(text: Text) -> Published:
    digest = text.word(r"^\s+value: blake3:([0-9a-f]{8,64})")
    shows = {"R9": f"the digest of a seal, {digest}: weigh verify compares it with the evidence"} if digest else {}
    made = _published(text, (), text.word(_EVIDENCE.pattern), benchmark="a citation", shows=shows)
    version = text.word(r"^version: ([0-9a-f]{8,64})")
    if digest and version and not digest.startswith(version):
        wrong = Contradiction(row="R4", text=f"it is version {version}, and its digest begins with {digest[:16]}")
        return msgspec.structs.replace(made, contradicted=(wrong,))
    return made


def _parquet(text: Text) -> Published:
    """Every execution, with no verdict on them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    executions: list[dict[str, Any]] = []
    try:
        file = pq.ParquetFile(io.BytesIO(text.content))
        # A small file may say that it unpacks to whatever its maker likes.
        if all(file.metadata.row_group(at).total_byte_size <= _UNPACKED for at in range(file.num_row_groups)):
            batch = next(file.iter_batches(_MOST, columns=list(_EXECUTIONS)), None)
            executions = batch.to_pylist() if batch is not None else []
    except (pa.ArrowException, OSError, ValueError, KeyError):
        executions = []
    times: dict[str, list[float | None]] = defaultdict(list)
    contradicted: dict[str, str] = {}
    for one in executions:
        name = one_line(figures.called(one), 200)
        wall, around = number(one.get("wall_s")), number(one.get("round_trip_s"))
        times[name].append(wall)
        if wall is not None and wall <= 0:
            contradicted[name] = f"an execution took {wall:g} s, which is no time"
        elif wall is not None and around is not None and wall > around + _CLOCKS:
            contradicted[name] = f"{units.seconds(wall)}, in {units.seconds(around)} from asking for it to its reply"
    wrong = [Contradiction(row="A10", text=f"{name}: {what}") for name, what in contradicted.items()]
    whole = {name: tuple(values) for name, values in times.items()}
    starts = len({one.get("start") for one in executions})
    shows = {"T10": f"{starts} starts"} if starts else {}
    return _published(text, wrong, benchmark="executions", system=_systems(executions), times=whole, shows=shows)
