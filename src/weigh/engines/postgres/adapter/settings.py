"""Settings: asked for by the contender, read back from the server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

THREADS = "weigh.threads"
"""How many processes take part in a query: its own and ``max_parallel_workers_per_gather`` helpers."""
URL = "weigh.url"
PROGRAMS = "weigh.programs"
"""The folder of an installation's programs; without it they are those of the package."""

_HELPERS = "max_parallel_workers_per_gather"
_OURS = {
    "config_file", "data_directory", "external_pid_file", "hba_file", "ident_file", "listen_addresses", "port",
    "unix_socket_directories",
}  # fmt: skip
"""Where things lie is decided by weigh."""
_HOUSEHOLD = {
    "application_name", "client_encoding", "default_text_search_config", "lc_messages", "listen_addresses",
    "log_timezone", "search_path", "unix_socket_directories",
}  # fmt: skip
"""Different from the defaults by weigh's own doing, and without effect on a measurement."""
_ALWAYS = {
    "effective_cache_size", "fsync", "hash_mem_multiplier", "io_method", "jit", "max_parallel_workers",
    "max_parallel_workers_per_gather", "random_page_cost", "shared_buffers", "work_mem",
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_SIZES = {"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_TIMES = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}
_UNIT = re.compile(r"(\d*)(\w+)")


def options_of(wanted: Mapping[str, Any]) -> dict[str, str]:
    """The server settings that a contender asks for, as PostgreSQL writes values.

    Raises:
        ValueError: a name is none, or weigh decides it.
    """
    found = {}
    for name, value in wanted.items():
        if name.startswith("weigh."):
            continue
        if not _NAME.fullmatch(name):
            raise ValueError(f'unrecognized configuration parameter "{name}"')
        if name.lower() in _OURS:
            raise ValueError(f"{name} is decided by weigh: leave it out")
        found[name] = ("on" if value else "off") if isinstance(value, bool) else str(value)
    threads = wanted.get(THREADS)
    if threads is not None:
        if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
            raise ValueError(f"{THREADS} = {threads} is not a number of processes")
        # Also over what the contender itself asks for: the check of one thread against n puts it on top.
        found[_HELPERS] = str(threads - 1)
    return found


def check(connection: psycopg.Connection[Any], names: Mapping[str, str]) -> None:
    """A dotted name is accepted by any server as a setting of an extension that is not there: refuse it.

    Raises:
        ValueError: the server has no such setting.
    """
    known = {row[0].lower() for row in connection.execute("SELECT name FROM pg_settings").fetchall()}
    for name in names:
        if name.lower() not in known:
            raise ValueError(f'unrecognized configuration parameter "{name}"')


def read(connection: psycopg.Connection[Any], names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """What ``pg_settings`` says: what somebody set, what was asked for, and what decides what is measured.

    Values that the server chose by itself (source ``default``) are left out: they follow from the others.
    """
    wanted = {name.lower(): name for name in names}
    rows = connection.execute("SELECT name, setting, unit, boot_val, source FROM pg_settings ORDER BY name").fetchall()
    found: dict[str, dict[str, Any]] = {}
    for name, value, unit, default, source in rows:
        if name == _HELPERS:
            found[THREADS] = {"value": 1 + int(value), "default": 1 + int(default)}
        changed = value != default and source not in ("default", "override") and name not in _HOUSEHOLD
        if changed or name in _ALWAYS or name.lower() in wanted:
            found[wanted.get(name.lower(), name)] = {"value": printed(value, unit), "default": printed(default, unit)}
    (jit,) = connection.execute("SELECT pg_jit_available()").fetchone() or (None,)
    if jit is False and found["jit"]["value"] == "on":
        # The setting says that it may, not that this build can.
        found["jit_available"] = {"value": "off", "default": None}
    return found


def printed(value: str | None, unit: str | None) -> str | None:
    """A value with its unit as ``SHOW`` prints it: 16384 of 8kB are 128MB."""
    if not value or not unit or value in ("0", "-1"):
        # Without a unit: off, or "decide yourself".
        return value
    many, name = _UNIT.fullmatch(unit).groups()  # type: ignore[union-attr]
    ladder = next((one for one in (_SIZES, _TIMES) if name in one), None)
    if ladder is None or not value.isdecimal():
        return value + unit
    amount = int(value) * int(many or 1) * ladder[name]
    largest = max((factor, name) for name, factor in ladder.items() if amount % factor == 0)
    return f"{amount // largest[0]}{largest[1]}"
