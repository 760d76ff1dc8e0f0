"""k6: the summary of ``handleSummary`` and of ``--summary-export``, and the text that it prints at the end.

Lines of ``--out json`` are for ``weigh judge``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.audit.published import Contradiction, Latency, Part, Published, Rate
from weigh.audit.text import number, percentile, step, table
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.audit.text import Text

NAME = "k6"
_RANK = re.compile(r"p\(([\d.]+)\)")
_LINE = re.compile(r"^[^\w{}\n]{0,40}(\w{1,60})\.{3,80}: *(.{1,400})$", re.MULTILINE)
"""A metric of the text: its name, dots, its values."""
_VALUE = re.compile(r"(avg|min|med|max|p\([\d.]{1,8}\))=(?:(\d{1,9})h)?(?:(\d{1,9})m)?([\d.]{1,30})(ms|µs|us|ns|s)\b")
"""A time. One without its unit, or of minutes without seconds, was cut at the edge of a terminal: it is not read."""
_COUNT = re.compile(r"^([\d.]{1,30}) +([\d.]{1,30})/s")
_SHARE = re.compile(r"^([\d.]{1,30})% +(?:✓ *(\d{1,20}) +✗ *(\d{1,20})|(\d{1,20}) out of (\d{1,20}))")
_SUMMARIES = 1_000
"""Of one text that are read."""
_MS = {"ns": 1e-6, "µs": 1e-3, "us": 1e-3, "ms": 1.0, "s": 1e3}
_MINUTE, _HOUR = 6e4, 3.6e6
_STEP = "step"
"""Of a time of the text: half of the last digit that is printed, in ms."""
_THRESHOLD = re.compile(r"(avg|min|med|max|p\([\d.]{1,8}\)) ?(<=?|>=?) ?([\d.]{1,20})")
_ROUNDED = 1e-3
"""Of a share: the text has four digits of it."""
_SLOW = 1e-3
"""Events a second below which the digits that are printed say little."""
_LENGTH = 0.02
"""Share by which the length of a test may be off, for rounding."""
_TIMES = ("http_req_duration", "grpc_req_duration", "iteration_duration")


def recognises(text: Text) -> bool:
    """Metrics with one of its times."""
    if any(name in table(text.object.get("metrics")) for name in (*_TIMES, "iterations")):
        return True
    return text.json is None and any(one[1] in _TIMES for one in _LINE.finditer(text.text))


def read(text: Text) -> list[Published]:
    """One result; of the text one each time that its metrics begin anew."""
    if text.json is None:
        return [
            msgspec.structs.replace(_result(text, metrics, None), contradicted=tuple(_rates(metrics)))
            for metrics in _printed(text)
        ]
    took = number(table(text.object.get("state")).get("testRunDurationMs"))
    metrics = {name: _values(one) for name, one in table(text.object["metrics"]).items()}
    result = _result(text, metrics, took * 1e-3 if took else None)
    contradicted = (*_rates(metrics), *_thresholds(table(text.object["metrics"])))
    return [msgspec.structs.replace(result, contradicted=contradicted)]


def _rates(metrics: dict[str, dict[str, Any]]) -> Iterator[Contradiction]:
    """All counters are divided by the length of the one test, and a share is that of what it counts."""
    lengths: dict[str, float] = {}
    for name, one in metrics.items():
        count, rate = number(one.get("count")), number(one.get("rate"))
        passes, fails = number(one.get("passes")), number(one.get("fails"))
        rate = rate if rate is not None else number(one.get("value"))
        if count and rate and rate > _SLOW:
            lengths[name] = count / rate
        elif rate is not None and passes is not None and fails is not None and passes + fails > 0:
            share = passes / (passes + fails)
            if abs(share - rate) > _ROUNDED:
                text = f"{name}: {passes:,.0f} of {passes + fails:,.0f} are {share:.2%}, and not {rate:.2%}"
                yield Contradiction(row="R2", text=one_line(text, 200))
    if lengths:
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        if lengths[long] > lengths[short] * (1 + _LENGTH):
            text = f"{short} was counted for {lengths[short]:,.6g} s and {long} for {lengths[long]:,.6g} s of one test"
            yield Contradiction(row="R2", text=one_line(text, 200))


def _thresholds(metrics: dict[str, Any]) -> Iterator[Contradiction]:
    """What a threshold bounds lies within it where it is ``ok``; what ``--summary-export`` calls true was crossed."""
    for name, one in metrics.items():
        values = _values(one)
        for threshold, outcome in table(table(one).get("thresholds")).items():
            found, ok = _THRESHOLD.fullmatch(threshold), table(outcome).get("ok")
            value = number(values.get(found[1])) if found else None
            if found is None or value is None or not isinstance(ok, bool):
                continue
            bound = number(found[3]) or 0.0
            within = value <= bound if found[2].startswith("<") else value >= bound
            beyond = value >= bound if found[2].startswith("<") else value <= bound
            if not (within if ok else beyond):
                state = "kept" if ok else "crossed"
                text = f"{name}: the threshold {threshold} was {state}, and {found[1]} is {value:.6g} ms"
                yield Contradiction(row="L3", text=one_line(text, 200))


def _printed(text: Text) -> list[dict[str, dict[str, Any]]]:
    """The metrics of each summary in a text, as JSON has them."""
    found: list[dict[str, dict[str, Any]]] = [{}]
    for line in _LINE.finditer(text.text):
        if line[1] in found[-1]:
            found.append({})
        found[-1][line[1]] = _metric(line[2])
    return [one for one in found[:_SUMMARIES] if any(name in one for name in _TIMES)]


def _metric(printed: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    steps = []
    for name, hours, minutes, value, unit in _VALUE.findall(printed):
        if (read_as := number(value)) is not None:
            # ``1m30s`` has no digits behind its seconds.
            longer = (number(hours) or 0.0) * _HOUR + (number(minutes) or 0.0) * _MINUTE
            values[name] = longer + read_as * _MS[unit]
            steps.append(1e3 * step(value, 1e-3 * _MS[unit]))
    if steps:
        return {**values, _STEP: max(steps)}
    if share := _SHARE.match(printed):
        _, passes, fails, few, all_of = share.groups()
        passes, fails = (passes, fails) if few is None else (few, str(max(int(all_of) - int(few), 0)))
        return {"rate": (number(share[1]) or 0.0) / 100.0, "passes": number(passes), "fails": number(fails)}
    if counted := _COUNT.match(printed):
        return {"count": number(counted[1]), "rate": number(counted[2])}
    return {"value": number(printed.strip().partition(" ")[0])}


def _result(text: Text, metrics: dict[str, dict[str, Any]], took: float | None) -> Published:
    name = next((name for name in _TIMES if name in metrics), "")
    requests = metrics.get("http_reqs") or metrics.get("iterations") or {}
    count, rate = number(requests.get("count")), number(requests.get("rate"))
    failed = metrics.get("http_req_failed", {})
    share, passes = number(failed.get("rate", failed.get("value"))), number(failed.get("passes"))
    return Published(
        form=NAME,
        file=text.name,
        benchmark="requests of a script",
        workload="http",
        clients=number(metrics.get("vus_max", {}).get("max", metrics.get("vus_max", {}).get("value"))),
        # An iteration may send several requests, and batches of them.
        pipelined=True,
        rate=rate,
        seconds=took,
        errors=passes if passes is not None else share * count if share is not None and count is not None else None,
        latencies=(_latency(name, metrics[name], count),) if name else (),
        rates=(Rate(name="requests", count=count, seconds=took, rate=rate),) if count and took and rate else (),
        parts=tuple(_parts(failed, count)),
        lacks={"L2": "k6 counts a request from its sending, and the summary does not say by which executor"},
    )


def _values(one: object) -> dict[str, Any]:
    found = table(one)
    return table(found.get("values")) or found


def _latency(name: str, values: dict[str, Any], count: float | None) -> Latency:
    def time(key: str) -> float | None:
        value = number(values.get(key))
        return value * 1e-3 if value is not None else None

    ranks = {
        rank: key
        for key in values
        if (found := _RANK.fullmatch(key)) and (rank := percentile(found[1])) is not None and rank < 100.0
    }
    percentiles = {rank: value for rank, key in ranks.items() if (value := time(key)) is not None}
    if (median := time("med")) is not None:
        percentiles[50.0] = median
    return Latency(
        name=name,
        count=count if name.startswith("http") else None,
        mean=time("avg"),
        least=time("min"),
        most=time("max"),
        percentiles=percentiles,
        step=(number(values.get(_STEP)) or 0.0) * 1e-3,
    )


def _parts(failed: dict[str, Any], count: float | None) -> list[Part]:
    passes, fails = number(failed.get("passes")), number(failed.get("fails"))
    if count is None or passes is None or fails is None:
        return []
    # Where a script sets a responseCallback of null, requests are neither.
    return [Part(name="requests", total=count, parts={"failed": passes, "not failed": fails}, incomplete=True)]
