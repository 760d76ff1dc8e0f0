"""The smallest experiment that would settle what a published result leaves open, as a weigh.toml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.text import one_line

if TYPE_CHECKING:
    from weigh.audit.published import Published

_ENGINES = {
    "duckdb": "duckdb", "clickhouse": "chdb", "chdb": "chdb", "datafusion": "datafusion", "polars": "polars",
    "sqlite": "sqlite", "postgresql": "postgres", "postgres": "postgres", "mariadb": "mariadb", "mysql": "mariadb",
}  # fmt: skip
"""The engine of weigh for what results call a system."""
_TARGETS = {
    "tpcc": "postgres:embedded", "tpcb-like": "postgres:embedded", "http": "http://127.0.0.1:8080/",
    "ycsb": "valkey:embedded",
}  # fmt: skip
_OTHER = "datafusion"
"""A second engine, where a result has one alone: a verdict is one of two."""
_LARGEST = 1.0
"""Scale factor of the smallest experiment, at most."""
_FASTEST = 1e9
"""Requests a second that an experiment asks for, at most: a file may have any number."""
_RATE = 500
"""Requests a second, where a result names no rate: far below what any server takes."""


def toml(one: Published) -> str:
    """weigh.toml with what answers the rows that the result does not show."""
    head = [f"# Settles what {_comment(one.file)} leaves open. weigh run or weigh load reads it; edit what is yours."]
    if one.loop or one.latencies:
        return "\n".join([*head, *_load(one)]) + "\n"
    return "\n".join([*head, *_run(one)]) + "\n"


def _run(one: Published) -> list[str]:
    engine = next((engine for name, engine in _ENGINES.items() if name in one.system.lower()), "duckdb")
    other = _OTHER if engine != _OTHER else "duckdb"
    lines = ["# answers first, 10 fresh starts in turn, the noise alongside the ratio", "[experiment]"]
    if one.workload == "tpch":
        lines += ['workload = "tpch"', f"scale = {min(one.scale or _LARGEST, _LARGEST):g}"]
    else:
        lines += ['workload = "netflow"    # or your own: --data FILES --sql PATH', 'scale = "1M"']
    lines += ["starts = 10", "margin = 0.03", "", "[[contender]]", f'name = "{engine}"', f'engine = "{engine}"']
    version = _version(one.version)
    if version and engine in one.system.lower():
        lines.append(f'version = "{version}"')
    return [*lines, "", "[[contender]]", f'name = "{other}"', f'engine = "{other}"']


def _load(one: Published) -> list[str]:
    kind = "ycsb" if one.workload.startswith("ycsb") else one.workload
    target = _TARGETS.get(kind, "postgres:embedded")
    rate = max(int(min((one.offered or one.rate or _RATE) * 0.5, _FASTEST)), 1)
    lines = ["# an open loop at half of that rate: the waiting is in the times; answers are checked", "[load]"]
    if kind == "tpcc":
        return [*lines, 'workload = "tpcc"', f'target = "{target}"', 'duration = "10m"', 'warmup = "5m"']
    workload = {"http": "get", "tpcb-like": "tpcb-like"}.get(kind, one.workload if kind == "ycsb" else "ycsb-b")
    return [
        *lines,
        f'workload = "{workload}"',
        f'target = "{target}"    # your server',
        f"rate = {rate}",
        'duration = "10m"',
        'warmup = "5m"',
    ]


def _comment(text: str) -> str:
    return one_line(text, 80)


def _version(text: str) -> str:
    found = re.fullmatch(r"v?(\d+(?:\.\d+){1,3})", text)
    return found[1] if found else ""
