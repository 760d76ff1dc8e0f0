"""A session at the service. Runs in the worker."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from weigh_worker import Adapter, Statistics, Unsupported


class Engine(Adapter):
    """Sends the query and fetches every row."""

    elsewhere = True

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        address = urlsplit(settings["weigh.url"])
        self.connection = http.client.HTTPConnection(str(address.hostname), int(address.port or 0))
        self.sql = ""
        self.reply: dict[str, Any] = {}

    def ask(self, **what: str) -> dict[str, Any]:
        """One request."""
        self.connection.request("POST", "/", json.dumps(what).encode())
        reply: dict[str, Any] = json.loads(self.connection.getresponse().read())
        return reply

    def version(self) -> str:
        """It has one."""
        return "service 1.0"

    def settings(self) -> dict[str, dict[str, Any]]:
        """Read back, in each session anew."""
        read = self.ask(do="settings")
        found = {name: {"value": value, "default": value} for name, value in read.items()}
        return {**found, "weigh.life": {"value": "session", "default": "process"}}

    def load(self, tables: dict[str, list[str]], copy: str) -> None:
        """They are there."""

    def attach(self, copy: str, names: list[str]) -> None:
        """They are there."""

    def files(self) -> list[str]:
        """They lie with the service."""
        return []

    def prepare(self, sql: str) -> None:
        """Keep the text."""
        self.sql = sql

    def run(self) -> int:
        """Send it."""
        self.reply = self.ask(do="query", sql=self.sql)
        if "error" in self.reply:
            raise Unsupported(self.reply["error"])
        return len(self.reply["rows"])

    def statistics(self) -> Statistics:
        """As the service reports them."""
        return Statistics(**self.reply["stats"])

    def answer(self) -> pa.Table:
        """As Arrow."""
        columns = list(zip(*self.reply["rows"], strict=True)) or [()] * len(self.reply["columns"])
        return pa.table(
            {name: pa.array(list(values)) for name, values in zip(self.reply["columns"], columns, strict=True)}
        )

    def release(self) -> None:
        """Drop the rows."""
        self.reply = {}

    def close(self) -> None:
        """End the session."""
        self.connection.close()
