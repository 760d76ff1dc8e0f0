"""k6: the lines of ``--out json``; the summaries of ``--summary-export`` and ``handleSummary`` hold no request.

A file is one run. k6 counts a request from its sending, without what it waited for a free virtual user, and the file
does not say by which executor requests were sent.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.judge.formats.reading import Reading
from weigh.judge.measurements import Measurements
from weigh.model import codes

if TYPE_CHECKING:
    from weigh.judge.formats.source import Source
    from weigh.model.codes.code import Fixed

HOW = """\
# the script asks the server that TARGET names, at a constant arrival rate
for i in $(seq 10); do
  if [ $((i % 2)) = 1 ]; then order="old new"; else order="new old"; fi
  for v in $order; do k6 run -e TARGET=$v --out json=$v$i.json script.js; done
done
weigh judge --baseline old old*.json new*.json"""

_DURATIONS = ("http_req_duration", "grpc_req_duration")
_MILLISECOND = 1e-3
_LINE = re.compile(r'^\s*\{(?=.*"metric"\s*:)(?=.*"type"\s*:\s*"(?:Metric|Point)")')
_SUMMARY = re.compile(r'"(?:http_req_duration|grpc_req_duration|iteration_duration|iterations|vus_max)[^"]*"\s*:')
_USER = re.compile(r"(?<=://)[^/@\s]*@")
_SECRET = re.compile(r"([?&][\w.-]*(?:password|passwd|pwd|token|secret|api_?key|signature)=)[^&#\s]*", re.IGNORECASE)


class _Data(msgspec.Struct):
    time: str = ""
    value: float = 0.0
    tags: dict[str, Any] | None = None


class _Line(msgspec.Struct):
    metric: str
    type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")


def recognises(source: Source) -> bool:
    """Lines of metrics and points, or a summary of metrics that k6 has."""
    if not source.is_json:
        return False
    first = source.head.lstrip().split("\n", 1)[0]
    return bool(_LINE.match(first)) or ('"metrics"' in source.head and bool(_SUMMARY.search(source.head)))


def read(source: Source) -> Reading:
    """One series for each kind of request, in the order in which the requests ended.

    Raises:
        DataFault: a line is not k6's, or there is no request with a duration.
    """
    if not _LINE.match(source.head.lstrip().split("\n", 1)[0]):
        return _summary(source)
    points, dropped = _points(source)
    if not points:
        raise source.fault(
            "no point of it is the duration of a request", remedy="weigh judge reads http_req_duration of k6"
        )
    failed = sum(_failed(tags) for _, _, tags in points)
    scenarios = {tags.get("scenario") for _, _, tags in points}
    groups: dict[str, list[tuple[float, float]]] = {}
    for at, value, tags in points:
        times = groups.setdefault(_operation(tags, scenario=len(scenarios) > 1), [])
        if not _failed(tags):
            times.append((at, value))
    began = min(at for at, _, _ in points)
    measurements = tuple(
        Measurements(
            contender="",
            operation=name,
            values=source.times((value for _, value in sorted(own, key=lambda one: one[0])), name, scale=_MILLISECOND),
            starts=1,
            turn=0,
            at=began,
            series=True,
        )
        for name, own in groups.items()
    )
    return Reading(measurements, {}, notes=tuple(_notes(len(points), failed, dropped)), events="requests")


def _summary(source: Source) -> Reading:
    metrics = source.mapping(source.document.get("metrics"), "metrics")
    return Reading((), {}, tuple(name for name in metrics if name in _DURATIONS) or ("iteration",))


def _points(source: Source) -> tuple[list[tuple[float, float, dict[str, Any]]], float]:
    """End in seconds, milliseconds and tags of every request; how many iterations were dropped."""
    lines, datum = msgspec.json.Decoder(_Line), msgspec.json.Decoder(_Data)
    found, dropped = [], 0.0
    for number, text in enumerate(source.text.splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = lines.decode(text)
            if line.type != "Point" or (line.metric not in _DURATIONS and line.metric != "dropped_iterations"):
                continue
            data = datum.decode(line.data)
            at = datetime.fromisoformat(data.time).timestamp()
        except (msgspec.DecodeError, ValueError, OverflowError, OSError, RecursionError):
            raise source.fault(f"line {number} is not a line of k6's JSON output") from None
        if line.metric == "dropped_iterations":
            dropped += data.value
        else:
            found.append((at, data.value, data.tags or {}))
    return found, dropped


def _failed(tags: dict[str, Any]) -> bool:
    return tags.get("expected_response") == "false"


def _operation(tags: dict[str, Any], *, scenario: bool) -> str:
    """Method and name of a request (k6 names it by its URL), without a password."""
    words = [tags.get("scenario") if scenario else None, tags.get("method"), tags.get("name") or tags.get("url")]
    name = _USER.sub("", " ".join(str(word) for word in words if word))
    return _SECRET.sub(r"\1***", name) or "request"


def _notes(requests: int, failed: int, dropped: float) -> list[tuple[Fixed, str, str]]:
    notes = [
        (
            codes.L2,
            "k6 counts a request from its sending, and its file does not tell whether requests waited for a free "
            "virtual user before that: where they did, a stall of the server counts once",
            "send at a constant arrival rate, with more virtual users than are ever busy",
        )
    ]
    if failed:
        notes.append(
            (
                codes.L7,
                f"{failed:,} of {requests:,} requests had an answer that was not expected, and are left out: the mean "
                "and the percentiles are those of the others",
                "mend them, or say their number next to the result",
            )
        )
    if dropped >= 1:
        notes.append(
            (
                codes.L7,
                f"{int(min(dropped, 1e15)):,} iterations were due and never began, because no virtual user was free",
                "lower the rate, or give k6 more virtual users (maxVUs)",
            )
        )
    return notes
