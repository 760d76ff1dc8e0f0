"""Profiles written from documentation: what each sends and what it makes of the replies, against conversations that
were written from the same documentation (``conversations/*.json``, each with its source).

They prove that weigh sends what it means to, and not that a service replies so: nothing here ever reached one.
"""

from __future__ import annotations

import datetime
import decimal
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from weigh.engines import engine as registry
from weigh.engines.remote.adapter import Engine
from weigh.engines.remote.adapter.services import SCHEMES
from weigh.model.contender import parse_contender

FOLDER = Path(__file__).parent / "conversations"
SECRET = "hunter2-planted"


def _value(written: Any) -> Any:
    """A value of JSON, with the types that it lacks."""
    if isinstance(written, dict) and set(written) == {"decimal"}:
        return decimal.Decimal(written["decimal"])
    if isinstance(written, dict) and set(written) == {"datetime"}:
        return datetime.datetime.fromisoformat(written["datetime"])
    if isinstance(written, dict):
        return types.SimpleNamespace(**{name: _value(one) for name, one in written.items()})
    return [_value(one) for one in written] if isinstance(written, list) else written


class _Cursor:
    def __init__(self, conversation: _Conversation) -> None:
        self.conversation = conversation
        self.description: Any = None
        self.reply: dict[str, Any] = {}

    def execute(self, sql: str) -> None:
        self.conversation.sent.append(sql)
        found = [one for one in self.conversation.asks if one["sql"] == sql]
        assert found, f"not in the conversation: {sql}"
        self.reply = found[0]
        if "error" in self.reply:
            raise RuntimeError(self.reply["error"])
        self.description = _value(self.reply.get("description")) or ([["c", None]] if "rows" in self.reply else None)
        for name, value in self.reply.get("cursor", {}).items():
            setattr(self, name, _value(value))

    def fetchall(self) -> list[Any]:
        return [tuple(_value(row)) for row in self.reply["rows"]]

    def fetchall_arrow(self) -> pa.Table:
        columns = self.reply["arrow"]
        return pa.table({name: pa.array(one["values"], one["type"]) for name, one in columns.items()})

    to_arrow_table = fetchall_arrow

    def close(self) -> None:
        """Nothing to give back."""


class _Conversation:
    def __init__(self, written: dict[str, Any]) -> None:
        self.written, self.asks = written, written["asks"]
        self.sent: list[str] = []
        self.arguments: dict[str, Any] = {}
        self.autocommit = False
        for name, value in written.get("connection", {}).items():
            setattr(self, name, value)

    def connect(self, *positional: Any, **named: Any) -> _Conversation:
        self.arguments = {**({"": positional[0]} if positional else {}), **named}
        return self

    def cursor(self) -> _Cursor:
        return _Cursor(self)

    def execute(self, sql: str) -> None:
        self.cursor().execute(sql)

    def close(self) -> None:
        """A session ends."""


def _planted(monkeypatch: pytest.MonkeyPatch, name: str, conversation: _Conversation) -> None:
    """A client in the place of the service's own."""
    parts = name.split(".")
    modules = [types.ModuleType(".".join(parts[: number + 1])) for number in range(len(parts))]
    for number, module in enumerate(modules):
        module.__dict__.update({"__path__": [], "defaults": types.SimpleNamespace()})
        if number:
            setattr(modules[number - 1], parts[number], module)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    modules[-1].__dict__["connect"] = conversation.connect
    if "config" in conversation.written:

        def configured(**settings: Any) -> types.SimpleNamespace:
            return types.SimpleNamespace(**{"maximum_bytes_billed": None, "priority": None, **settings})

        modules[-2].__dict__.update({"QueryJobConfig": configured, "Client": lambda **named: named})


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_profile_says_what_the_documentation_asks_for(
    scheme: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written = json.loads((FOLDER / f"{scheme}.json").read_text())
    conversation = _Conversation(written)
    _planted(monkeypatch, written["module"], conversation)
    monkeypatch.setenv("PLANTED", SECRET)
    monkeypatch.setattr(os, "fork", lambda: 4_000_000)  # Who waits for this life's end is tested with real servers.
    contender = parse_contender(written["spec"])
    engine = registry.load(contender.engine)
    off = {cache.setting: cache.off[0] for cache in engine.caches}
    life = Engine({**off, **contender.settings}, str(tmp_path))

    given = {name: value for name, value in conversation.arguments.items() if value is not None}
    secret = [name for name, value in given.items() if SECRET in str(value)]
    assert bool(secret) == ("weigh.secret" in contender.settings)
    assert {name: value for name, value in given.items() if name not in (*secret, "client")} == written["connect"]
    if "config" in written:
        assert vars(given["client"]["default_query_job_config"]) == written["config"]
    expected = written["expect"]
    assert life.version() == expected["version"]
    read = life.settings()
    assert {name: read[name]["value"] for name in expected["settings"]} == expected["settings"]
    for cache in engine.caches:
        assert str(read[cache.setting]["value"]).lower() in [str(one).lower() for one in cache.off]

    life.prepare(written["question"])
    assert life.run() == 1
    table = pa.ipc.open_stream(life.answer()).read_all()
    assert [str(field.type) for field in table.schema] == expected["types"]
    assert [str(column[0].as_py()) for column in table.columns] == expected["values"]
    found = {name: value for name, value in life.statistics()._asdict().items() if value is not None}
    assert found == pytest.approx(expected["statistics"])
    if written.get("cancel"):
        life.system.cancel(life.ask, life.system.mark(conversation))
    assert {one["sql"] for one in written["asks"]} == set(conversation.sent)
    assert SECRET not in " ".join(conversation.sent)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_profile_that_never_ran_says_so(scheme: str) -> None:
    assert registry.load(scheme).never_run
