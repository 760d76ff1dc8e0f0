"""What a Valkey or Redis server does: snapshots, rewrites of its log, evictions, delayed writes, slow commands."""

from __future__ import annotations

import time
from typing import Any

from . import family

KINDS = ("snapshot", "log_rewrite", "eviction", "delayed_sync", "slow_command")
_WORKS = {
    "snapshot": ("rdb_bgsave_in_progress", "rdb_saves"),
    "log_rewrite": ("aof_rewrite_in_progress", "aof_rewrites"),
}
"""What goes on in a child of the server: the field that says that it does, and the one that counts."""
_COUNTS = {"eviction": "evicted_keys", "delayed_sync": "aof_delayed_fsync"}
_OWN = ("INFO", "SLOWLOG")
"""What only this asks."""
_SLOW = 32
"""Slow commands that are asked for at a time."""


class ValkeyServer:
    """A server, over a connection of its own.

    Args:
        client: as :class:`weigh.load.resp.Client`.
        refused: what it raises where the server does not want to answer.
        server: its process, where it is one of this machine.
    """

    period = 0.25
    kinds = KINDS

    def __init__(self, client: Any, refused: type[Exception], server: int | None) -> None:
        self._client = client
        self._refused = refused
        self._server = server
        self._before: dict[str, str] | None = None
        self._since: dict[str, float] = {}
        self._slowest: int | None = None
        self._asks_slow = True
        self._last = time.monotonic()

    def look(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """As of :class:`looking.Source`."""
        began = time.monotonic()
        now = {**self._info("persistence"), **self._info("stats")}
        before, self._before = self._before, now
        events = self._slow() if self._asks_slow else []
        if before is None:
            events = []
        else:
            for kind, field in _COUNTS.items():
                more = _number(now, field) - _number(before, field)
                if more > 0:
                    events.append({"kind": kind, "amount": more})
        for kind, (goes_on, counted) in _WORKS.items():
            events += self._work(kind, before, now, goes_on, counted)
        self._last = began
        seen: dict[str, Any] = {"server_cpu_s": family.cpu_seconds(self._server) if self._server else None}
        if now.get("aof_enabled") == "1":
            seen["backlog"] = _number(now, "aof_current_size")
        return seen, events

    def close(self) -> None:
        """As of :class:`looking.Source`."""
        self._client.__exit__(None, None, None)

    def _info(self, section: str) -> dict[str, str]:
        lines = self._client.text("INFO", section).splitlines()
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def _work(
        self, kind: str, before: dict[str, str] | None, now: dict[str, str], goes_on: str, counted: str
    ) -> list[dict[str, Any]]:
        """A snapshot or a rewrite that has ended since the last look."""
        active, was = now.get(goes_on) == "1", kind in self._since
        if active and not was:
            self._since[kind] = self._last
        fork = f"fork {_number(now, 'latest_fork_usec') / 1e3:g} ms"
        if was and not active:
            return [
                {"kind": kind, "at": self._since.pop(kind), "until": time.monotonic(), "told": "looks", "what": fork}
            ]
        if before is not None and not active and _number(now, counted) > _number(before, counted):
            return [{"kind": kind, "what": fork}]
        return []

    def _slow(self) -> list[dict[str, Any]]:
        """Commands that the server found slow since the last look, without their keys and values."""
        try:
            newest = self._client.ask("SLOWLOG", "GET", "1")
            last = newest[0][0] if newest else -1
            if self._slowest is None or last <= self._slowest:
                self._slowest = last
                return []
            found = self._client.ask("SLOWLOG", "GET", str(_SLOW))
        except self._refused:
            self._asks_slow = False
            return []
        known, self._slowest = self._slowest, last
        return [
            {"kind": "slow_command", "what": str(words[0]).upper()[:40], "took_s": took / 1e6}
            for number, _, took, words, *_ in reversed(found)
            if number > known and words and str(words[0]).upper() not in _OWN
        ]


def _number(info: dict[str, str], field: str) -> int:
    text = info.get(field, "0")
    return int(text) if text.isdecimal() else 0
