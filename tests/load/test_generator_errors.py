"""What the generator refuses, as an error with a place and a remedy."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from weigh._native import Load, LoadError
from weigh.load.generator_errors import read

SETTINGS: dict[str, Any] = {
    "arrivals": {"kind": "closed"}, "duration_s": 1, "connections": 1, "threads": 1, "max_in_flight": 1, "timeout_s": 1,
    "interval_s": 1,
}  # fmt: skip


def refused(path: Any, text: str) -> LoadError:
    """Of a script on an empty database of SQLite."""
    script = {"name": "pay", "text": text, "weight": 1}
    workload = {"kind": "script", "scripts": [script], "seed": 0, "prepared": True}
    target = {"kind": "sqlite", "path": str(path)}
    with pytest.raises(LoadError) as raised:
        Load(json.dumps({"target": target, "workload": workload, **SETTINGS})).start()
    return raised.value


@pytest.mark.parametrize(
    ("text", "kind", "code", "where", "remedy"),
    [
        ("SELECT 1;\n\\set x foo(1)", "script", "", "script pay, line 2, column 8", "mend the script there"),
        ("SELECT 1;\n\nSELEC 2;", "refused", "SQLITE_ERROR", "script pay, line 3", "one for SQLite"),
        ("SELECT *\n FROM nowhere;", "refused", "SQLITE_ERROR", "script pay, line 1", "create the table"),
        ("SELECT @id;", "refused", "", "script pay, line 1", "CAST(:NAME AS TYPE)"),
    ],
)
def test_a_mistake_in_a_script_has_its_place_and_a_remedy(
    tmp_path: Any, text: str, kind: str, code: str, where: str, remedy: str
) -> None:
    error = refused(tmp_path / "new.sqlite", text)
    assert (error.kind, error.code) == (kind, code)
    said = read(error)
    assert said.where == where
    assert str(said) == str(error)
    assert remedy in said.remedy


def test_too_many_connections_are_told_from_a_server_that_is_not_there(tmp_path: Any) -> None:
    path = str(tmp_path / "socket")
    target = {"kind": "redis", "socket": path}
    settings = {**SETTINGS, "connections": 20, "threads": 1, "max_in_flight": 20, "timeout_s": 1}
    workload = {"kind": "ycsb", "core": "C", "records": 1, "seed": 0}
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(path)
        full.listen(0)
        with pytest.raises(LoadError, match="os error 11") as raised:
            Load(json.dumps({"target": target, "workload": workload, **settings})).start()
    assert "lower --connections" in read(raised.value).remedy


def test_what_is_no_database_has_the_code_of_sqlite(tmp_path: Any) -> None:
    path = tmp_path / "text"
    path.write_text("no database, and long enough to be observed for none" * 100)
    error = refused(path, "SELECT 1;")
    assert error.code == "SQLITE_NOTADB"
    assert read(error).remedy == "see https://sqlite.org/rescode.html"


def test_a_setting_that_is_missing_is_named() -> None:
    with pytest.raises(LoadError, match="arrivals of kind Poisson need 'seed'") as raised:
        Load(
            json.dumps(
                {"target": {"kind": "sqlite"}, "workload": {}, **SETTINGS, "arrivals": {"kind": "poisson", "rate": 1}}
            )
        )
    assert raised.value.kind == "setting"
