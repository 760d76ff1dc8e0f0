"""Lines of a log inside the lines of whoever collected it: of containers, of Kubernetes, of clouds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.capture.entry import Tally

_TEXTS = ("log", "textPayload", "MESSAGE", "message", "msg", "line", "body", "@message", "_raw")
"""Keys of the text of a line: Docker, Google Cloud, journald, and shippers of logs."""
_RECORDS = ("record", "jsonPayload", "fields", "parsed")
"""Keys of a line that was taken apart already: CloudNativePG, Google Cloud."""
_CRI = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) ([FP])(?: (.*))?$", re.DOTALL)
"""Of a container by the interface of Kubernetes: moment, stream, whether the line is full or a part, the line."""
_SYSLOG = re.compile(
    r"(?:<\d+>)?(?:\d )?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) \S+ [\w./-]+\[\d+\]: "
)
_NAMES = {
    "log_time": "timestamp",
    "session_id": "session_id",
    "database_name": "dbname",
    "error_severity": "error_severity",
    "sql_state_code": "state_code",
    "message": "message",
    "detail": "detail",
    "query": "statement",
    "backend_type": "backend_type",
}
"""Columns of ``csvlog`` -> keys of ``jsonlog``."""


class _Wrapped(msgspec.Struct):
    """What is in a line: a text, or a line that was taken apart."""

    text: str = ""
    record: dict[str, Any] | None = None


def are(lines: Iterable[str]) -> bool:
    """Whether most of these lines are lines inside others."""
    wrapped = [_opened(line) is not None for line in lines]
    return sum(wrapped) * 2 > len(wrapped)


def are_syslog(lines: Iterable[str]) -> bool:
    """Whether most of these lines are of syslog."""
    found = [_SYSLOG.match(line) is not None for line in lines]
    return sum(found) * 2 > len(found)


def inside(lines: Iterable[str], tally: Tally) -> Iterator[str]:
    """What is in the lines: those of a log, or of a ``jsonlog``.

    Args:
        lines: that have others in them.
        tally: counts those that have none.
    """
    part = ""
    for line in lines:
        found = _CRI.match(line)
        if found is not None:
            part += found[2] or ""
            if found[1] == "F":
                yield part
                part = ""
            continue
        document = _opened(line)
        if document is None:
            tally.add("broken")
        elif document.record is not None:
            yield msgspec.json.encode(_as_jsonlog(document.record)).decode()
        else:
            yield from document.text.replace("\0", " ").rstrip("\r\n").split("\n")


def _opened(line: str) -> _Wrapped | None:
    """None of a line that has none in it, such as one of a ``jsonlog`` itself."""
    if (found := _CRI.match(line)) is not None:
        return _Wrapped(text=found[2] or "")
    if not line.startswith("{"):
        return None
    try:
        document = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    if "error_severity" in document:
        return None
    for key in _RECORDS:
        record = document.get(key)
        if isinstance(record, dict) and "message" in record:
            return _Wrapped(record=record) if "error_severity" in record else _Wrapped(text=str(record["message"]))
    return next((_Wrapped(text=document[key]) for key in _TEXTS if isinstance(document.get(key), str)), None)


def _as_jsonlog(record: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {_NAMES.get(key, key): value for key, value in record.items() if isinstance(value, str)}
    pid = record.get("process_id", record.get("pid"))
    made["pid"] = int(pid) if isinstance(pid, int) or (isinstance(pid, str) and re.fullmatch(r"\d{1,9}", pid)) else 0
    return made
