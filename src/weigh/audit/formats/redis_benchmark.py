"""redis-benchmark and valkey-benchmark: the report of each test, the table of ``--csv`` and the lines of ``-q``."""

from __future__ import annotations

import csv
import re
from itertools import islice
from typing import TYPE_CHECKING

from weigh.audit.published import Latency, Published, Rate
from weigh.audit.text import number, percentile

if TYPE_CHECKING:
    from weigh.audit.text import Text

NAME = "redis-benchmark"
_RATE = re.compile(r"^[ \t]*(throughput summary: )?(\d{1,15}(?:\.\d{1,9})?) requests per second[ \t\r]*$", re.MULTILINE)
_TEST = re.compile(r"(?:^|\r)[ \t]*={3,20} (\S[^\n]{0,80}?) ={3,20}[ \t\r]*$", re.MULTILINE)
"""Before it a terminal was shown how far the test is, each time from the begin of the line."""
_ENDED = re.compile(r"\b(\d{1,15}) requests completed in (\d{1,12}(?:\.\d{1,9})?) seconds")
_TIMES = re.compile(
    r"^[ \t]*(avg(?:[ \t]+(?:min|max|p[\d.]{1,8})){1,20})[ \t\r]*\n([\d.\-na \t]{1,400})$", re.MULTILINE
)
_QUIET = re.compile(
    r"(?:^|\r)[ \t]*([A-Z][\w \t(),:-]{0,80}): (\d{1,15}\.\d{1,9}) requests per second"
    r"(?:, p50=(\d{1,12}\.\d{1,9}) msec)?",
    re.MULTILINE,
)
_TABLE = '"test","rps","avg_latency_ms"'
_TESTS = 200
"""Rows of a table that are read."""
_MILLISECOND = 1e-3
_STEP = 0.5e-6
_SHARE = 1e-3
"""Of a percentile: its histogram keeps three digits."""


def recognises(text: Text) -> bool:
    """The rate of a test, the head of its table, or a line of ``-q``."""
    return bool(_reports(text) or _TABLE in text.text or _QUIET.search(text.text))


def read(text: Text) -> list[Published]:
    """One result for each test that was reported, one for all tests of a table, one for those of ``-q``."""
    found: list[Published] = []
    command = ""
    for before, report in _reports(text):
        # One command makes the reports of all its tests.
        command = before.command("(?:redis|valkey)-benchmark") or command
        found.append(_report(before, report, command))
    short = [*_rows(text.text), *_lines(text.text)]
    if short:
        found.append(
            Published(
                form=NAME,
                file=text.name,
                benchmark=f"tests of {NAME}",
                workload="ycsb-a",
                loop="closed",
                pipelined=True,
                latencies=tuple(short),
            )
        )
    return found


def _reports(text: Text) -> list[tuple[Text, Text]]:
    # Before Redis 6.2 the rate stands alone in its line: it is of this tool only below the first lines of a test.
    return [
        (before, report)
        for before, report in text.reports(_RATE, _TIMES)
        if "throughput summary" in report.text or _ENDED.search(before.text)
    ]


def _report(before: Text, report: Text, command: str) -> Published:
    tests, ended = _TEST.findall(before.text), _ENDED.findall(before.text)
    named = tests[-1] if tests else "requests"
    rate = number(_RATE.findall(report.text)[0][1])
    count, took = map(float, ended[-1]) if ended else (None, None)
    return Published(
        form=NAME,
        file=before.name,
        benchmark=named,
        workload="ycsb-a",
        loop="closed",
        clients=before.number(r"^[ \t]*# parallel clients"),
        # How many requests a client sends at once is in the command alone.
        pipelined=not command or bool(re.search(r"\s-P\s", command)),
        rate=rate,
        seconds=took,
        latencies=tuple(_latency(named, head.split(), values.split()) for head, values in _TIMES.findall(report.text)),
        rates=(Rate(name=named, count=count, seconds=took, rate=rate),) if count and took and rate else (),
    )


def _latency(name: str, head: list[str], values: list[str]) -> Latency:
    times = {
        what: value * _MILLISECOND
        for what, given in zip(head, values, strict=False)
        if (value := number(given)) is not None
    }
    return Latency(
        name=name,
        mean=times.get("avg"),
        least=times.get("min"),
        most=times.get("max"),
        percentiles={
            rank: value
            for what, value in times.items()
            if what[0] == "p" and (rank := percentile(what[1:])) is not None
        },
        step=_STEP,
        share=_SHARE,
    )


def _rows(text: str) -> list[Latency]:
    """Those of a table."""
    at = text.find(_TABLE)
    if at < 0:
        return []
    rows = list(islice(csv.reader(islice(text[at:].splitlines(), _TESTS)), _TESTS))
    head = [name.removesuffix("_latency_ms") for name in rows[0]]
    return [_latency(row[0], head[2:], row[2:]) for row in rows[1:] if len(row) == len(head) and number(row[1])]


def _lines(text: str) -> list[Latency]:
    """Those of ``-q``: a rate, and since Redis 6.2 a median."""
    found = islice(_QUIET.finditer(text), _TESTS)
    return [_latency(line[1], ["p50"], [line[3] or ""]) for line in found]
