"""What a system itself reports of an execution: profiles against what their drivers give them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from weigh.engines.remote.adapter import Engine, Statistics, trino


def test_trino_reports_its_last_page() -> None:
    stats = {"state": "FINISHED", "elapsedTimeMillis": 812, "queuedTimeMillis": 12, "physicalInputBytes": 4096}
    found = trino.PROFILE.statistics(lambda _: [], SimpleNamespace(stats=stats))
    assert found == Statistics(server_s=0.812, queue_s=0.012, scanned_bytes=4096)
    assert trino.PROFILE.statistics(lambda _: [], SimpleNamespace(stats=None)) == Statistics()


@pytest.fixture
def session() -> Engine:
    return Engine({"weigh.driver": "dbapi:sqlite3", "database": ":memory:"}, "")


def test_statistics_that_cannot_be_read_are_not_known(session: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A role that may not read the history of queries loses the figures, and no execution."""
    session.prepare("SELECT 1")
    assert session.run() == 1

    def refused(*_: object) -> Statistics:
        raise PermissionError("no privilege on the history of queries")

    monkeypatch.setattr(type(session.system), "statistics", refused)
    assert session.statistics() == Statistics()


def test_how_large_a_system_is_is_read_back_in_every_session(session: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of each, without its defaults; of a profile that names no such setting nothing is asked."""
    assert session.settings_of(["warehouse_size"]) == {}
    profile = type(session.system)
    monkeypatch.setattr(profile, "sizes", ("warehouse_size",))
    monkeypatch.setattr(profile, "settings", lambda *_: {"warehouse_size": ("LARGE", "LARGE"), "other": (1, 1)})
    assert session.settings_of(["warehouse_size", "threads"]) == {"warehouse_size": {"value": "LARGE", "default": None}}
    assert session.settings()["warehouse_size"] == {"value": "LARGE", "default": "LARGE"}
    assert "other" not in session.settings()
