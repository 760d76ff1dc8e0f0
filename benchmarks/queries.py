"""A suite of any size over netflow: twelve templates of SQL, each with as many values as are asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

_SCALE = "100K"
_WEEK_MIN = 7 * 24 * 60
_QUESTIONS = {
    "point": ("id", "SELECT ts, user_name, bytes FROM events WHERE event_id = {id}"),
    "user": (
        "who",
        "SELECT action, count(*) AS n, sum(bytes) AS total FROM events WHERE user_name = {who} GROUP BY action",
    ),
    "source": ("ip", "SELECT proto, count(*) AS n, max(bytes) AS most FROM events WHERE src_ip = {ip} GROUP BY proto"),
    "target": (
        "ip",
        "SELECT date_trunc('hour', ts) AS hour, count(*) AS n FROM events WHERE dst_ip = {ip} GROUP BY 1 ORDER BY 1",
    ),
    "since": (
        "day",
        "SELECT action, count(*) AS n, sum(packets) AS total FROM events WHERE ts >= {day} GROUP BY action",
    ),
    "distinct": ("least", "SELECT count(DISTINCT src_ip) AS hosts FROM events WHERE bytes >= {least}"),
    "top": (
        "least",
        "SELECT dst_ip, sum(bytes) AS total FROM events WHERE bytes >= {least} GROUP BY dst_ip "
        "ORDER BY 2 DESC, 1 LIMIT 10",
    ),
    "largest": ("n", "SELECT event_id, bytes FROM events ORDER BY bytes DESC, event_id LIMIT {n}"),
    "groups": (
        "least",
        "SELECT action, proto, count(*) AS n, min(score) AS low FROM events WHERE score >= {least} "
        "GROUP BY action, proto",
    ),
    "port": (
        "port",
        "SELECT user_name, count(*) AS n FROM events WHERE src_port >= {port} GROUP BY user_name "
        "ORDER BY 2 DESC, 1 LIMIT 20",
    ),
    "window": (
        "most",
        "SELECT max(n) AS most FROM (SELECT count(*) OVER (PARTITION BY src_ip) AS n FROM events WHERE bytes < {most})",
    ),
    "join": (
        "who",
        "SELECT count(*) AS n FROM events AS e JOIN (SELECT DISTINCT dst_ip FROM events WHERE user_name = {who}) AS d "
        "ON e.dst_ip = d.dst_ip",
    ),
}
"""Parameter and text of each template."""
TEMPLATES = len(_QUESTIONS)


def write(folder: Path, each: int) -> Path:
    """Write the suite, and a weigh.toml that names it and its table.

    Args:
        folder: for both; made where it is not there.
        each: operations of a template; there are twelve times as many in all.

    Returns:
        The weigh.toml.

    Raises:
        CalledProcessError: the data could not be made, which weigh has explained on stderr.
    """
    table = _events()
    values = _values(pq.read_table(table), each)
    queries = folder / "queries"
    queries.mkdir(parents=True, exist_ok=True)
    for name, (parameter, text) in _QUESTIONS.items():
        written = ", ".join(values[name])
        (queries / f"{name}.sql").write_text(f"-- param: {parameter} = [{written}]\n{text};\n")
    file = folder / "weigh.toml"
    file.write_text(f'[experiment]\nworkload = "./queries/"\n\n[sql.tables]\nevents = {json.dumps(str(table))}\n')
    return file


def _events() -> Path:
    """The table, made into weigh's cache or found there."""
    weigh = Path(sys.executable).with_name("weigh")
    command = [str(weigh), "data", "make", "netflow", "--scale", _SCALE, "--json", "--quiet"]
    made = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return Path(made["folder"]) / str(made["manifest"]["files"][0]["path"])


def _values(events: pa.Table, each: int) -> Mapping[str, Sequence[str]]:
    """Values of each template as TOML writes them: all of them find rows."""
    steps = range(each)
    users = _common(events, "user_name", each)
    minutes = [one * (_WEEK_MIN - 60) // each for one in steps]
    sizes = [str(100 + 40 * one) for one in steps]
    return {
        "point": [str(one) for one in events["event_id"].slice(0, each).to_pylist()],
        "user": users,
        "source": _common(events, "src_ip", each),
        "target": _common(events, "dst_ip", each),
        "since": [f"2026-01-{5 + m // 1440:02d}T{m // 60 % 24:02d}:{m % 60:02d}:00" for m in minutes],
        "distinct": sizes,
        "top": sizes,
        "largest": [str(1 + one) for one in steps],
        "groups": [f"{one * 0.9 / each:.4f}" for one in steps],
        "port": [str(32_768 + one * 28_000 // each) for one in steps],
        "window": sizes,
        "join": users,
    }


def _common(events: pa.Table, column: str, each: int) -> list[str]:
    """The values that most rows have, as texts of TOML; those that need no escape."""
    counted = pc.value_counts(events[column]).to_pylist()
    ranked = sorted((-one["counts"], one["values"]) for one in counted if _plain(one["values"]))
    return [json.dumps(value) for _, value in ranked[:each]]


def _plain(value: str | None) -> bool:
    return bool(value) and all(one.isascii() and (one.isalnum() or one in ".:-_") for one in str(value))
