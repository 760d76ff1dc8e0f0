"""A workload of 20 statements with known weights, values and arrivals, as a server's log would have it."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGUN = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)
WEIGHTS = [300, 250, 120, 80, 60, 40, 30, 20, 20, 15, 12, 10, 9, 8, 7, 6, 5, 4, 3, 1]
"""Of the 20 statements."""
RATE = 200.0
KINDS = ("poisson", "constant", "bursts")


def statement(number: int, draw: random.Random) -> str:
    """A call of one of the 20."""
    table = f"t{number:02}"
    match number % 4:
        case 0:
            return f"SELECT v FROM {table} WHERE id = {draw.randint(1, 10_000)}"
        case 1:
            state = draw.choices(["open", "paid", "sent"], [70, 20, 10])[0]
            return f"SELECT count(*) FROM {table} WHERE state = '{state}' AND id < {draw.randint(1, 10_000)}"
        case 2:
            return f"UPDATE {table} SET v = v + {draw.choice([1, 5])} WHERE id = {draw.randint(1, 10_000)}"
        case _:
            return f"SELECT id FROM {table} WHERE name = 'user{draw.randint(1, 500)}' ORDER BY id LIMIT 10"


def moments(kind: str, number: int, draw: random.Random) -> Iterator[float]:
    """Seconds at which calls begin."""
    at, end = 0.0, 1.0
    for place in range(number):
        if kind == "constant":
            yield place / RATE
        elif kind == "poisson":
            at += draw.expovariate(RATE)
            yield at
        else:
            # A second at four times the mean, then nobody for three seconds on average.
            at += draw.expovariate(4 * RATE)
            while at > end:
                pause = draw.expovariate(1 / 3)
                at, end = at + pause, end + pause + 1.0
            yield at


def calls(kind: str = "poisson", number: int = 5_000, seed: int = 7) -> list[tuple[float, str, int, float]]:
    """Calls: when each begins, its text, which of the 20 it is, and its seconds in the server.

    Weights are exact: each statement comes as often as its weight says.
    """
    draw = random.Random(seed)
    numbers = [one for one, weight in enumerate(WEIGHTS) for _ in range(number * weight // sum(WEIGHTS))]
    draw.shuffle(numbers)
    starts = moments(kind, len(numbers), draw)
    return [
        (at, statement(one, draw), one, (1 + one % 5) * draw.uniform(0.000_1, 0.000_3))
        for at, one in zip(starts, numbers, strict=True)
    ]


def stderr_log(made: list[tuple[float, str, int, float]]) -> Iterator[str]:
    """As ``log_min_duration_statement = 0`` writes it to stderr."""
    for at, text, number, took in made:
        ended = BEGUN + timedelta(seconds=at + took)
        stamp = f"{ended:%Y-%m-%d %H:%M:%S}.{ended.microsecond // 1000:03}"
        yield f"{stamp} UTC [{4000 + number % 8}] LOG:  duration: {took * 1e3:.3f} ms  statement: {text}\n"


def json_log(made: list[tuple[float, str, int, float]]) -> Iterator[str]:
    """The same as ``jsonlog``."""
    for at, text, number, took in made:
        ended = BEGUN + timedelta(seconds=at + took)
        stamp = f"{ended:%Y-%m-%d %H:%M:%S}.{ended.microsecond // 1000:03} UTC"
        line = {
            "timestamp": stamp,
            "user": "app",
            "dbname": "shop",
            "pid": 4000 + number % 8,
            "session_id": f"6727.{number % 8}",
            "error_severity": "LOG",
            "message": f"duration: {took * 1e3:.3f} ms  statement: {text}",
            "backend_type": "client backend",
        }
        yield json.dumps(line) + "\n"


def totals_csv(made: list[tuple[float, str, int, float]]) -> str:
    """The same as a dump of ``pg_stat_statements``, with what the capture of a server by URL leaves in it."""
    totals: dict[str, list[float]] = {}
    for _, text, _, took in made:
        pieces = re.split(r"'[^']*'|(?<![a-z])\b\d+\b", text)
        plain = pieces[0] + "".join(f"${place}{piece}" for place, piece in enumerate(pieces[1:], 1))
        calls_of, time_of = totals.get(plain, (0.0, 0.0))
        totals[plain] = [calls_of + 1, time_of + took * 1e3]
    totals["SELECT /* weigh capture */ to_regclass($1)"] = [1, 900.0]
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["query", "calls", "total_exec_time", "rows"])
    rows.writerows([text, int(number), time, int(number)] for text, (number, time) in totals.items())
    return out.getvalue()
