"""A history in ClickHouse, by URL: its own engine executes what is asked (:mod:`support.clickhouse_front`)."""

from __future__ import annotations

import json
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from support import clickhouse_front
from support.command import Weigh
from support.history_records import entry, values
from weigh.engines import environment
from weigh.engines.chdb import engine
from weigh.engines.prepared import cache_folder
from weigh.history import store
from weigh.history.remote import clickhouse
from weigh.model.contender import parse_contender
from weigh.model.errors import EvidenceFault, UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PASSWORD = "geheim"
OTAVA = "time,commit,q1\n" + "".join(
    f"2026-01-{1 + at:02}T00:00:00,c{at:02},{one:.6f}\n" for at, one in enumerate(values(30, 11, {15: 1.1}))
)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    python = environment.ensure(engine.requirements(parse_contender("chdb")), cache_folder()).python
    command = [str(python), str(clickhouse_front.__file__), str(tmp_path_factory.mktemp("clickhouse")), PASSWORD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as front:
        assert front.stdout
        assert front.stdin
        yield int(front.stdout.readline())
        front.stdin.close()


def ask(port: int, statement: str) -> bytes:
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/", statement.encode(), {"X-ClickHouse-User": "default", "X-ClickHouse-Key": PASSWORD}
    )
    with urllib.request.urlopen(asked) as answer:
        return bytes(answer.read())


@pytest.mark.long
@pytest.mark.promise("An entry that was added by several machines is read once.")
def test_a_history_in_clickhouse_is_what_a_folder_is(port: int, tmp_path: Path) -> None:
    url = f"clickhouse://default@127.0.0.1:{port}"
    own = {"CLICKHOUSE_PASSWORD": PASSWORD}
    where = clickhouse.history(url, own)
    with pytest.raises(EvidenceFault, match="there is no history"):
        store.read_all(where)
    made = [entry(at, one) for at, one in enumerate(values(30, 3, {15: 1.2}), 1)]
    assert sum(store.add_all(where, made[:20]).values()) == 20
    assert sum(store.add_all(where, made).values()) == 10
    assert not any(store.add_all(where, made).values())
    # What two machines that added at the same moment leave: a second row, which is not read.
    ask(port, f"INSERT INTO weigh_history (id, entry) SELECT id, entry FROM weigh_history WHERE id = '{made[0].id}'")
    store.add_all(tmp_path / "history", made)
    assert store.read_all(where) == store.read_all(tmp_path / "history")

    weigh = Weigh(tmp_path)
    (tmp_path / "perf.csv").write_text(OTAVA)
    for place in (url, "history"):
        assert weigh("history", "add", "perf.csv", "--to", place, **own).code == 0
    shown = [weigh("history", "show", "--from", place, "--json", **own).json for place in (url, "history")]
    assert shown[0]["folder"] == url
    assert shown[0]["candidates"] == shown[1]["candidates"]
    assert len(shown[0]["candidates"]) == 2

    # What is edited there is named, as in a folder.
    edited = "replaceAll(entry, 'a processor', 'another')"
    ask(
        port,
        f"ALTER TABLE weigh_history UPDATE entry = {edited} WHERE id = '{made[1].id}' SETTINGS mutations_sync = 2",
    )
    found = weigh("history", "show", "--from", url, "--json", **own)
    assert (found.code, found.json["entries"], found.codes) == (1, 30, {"R4.history", "R6.unknown"})
    # A password is in no output, whether it is needed or not.
    told = weigh("history", "show", "--from", url.replace("default@", f"default:{PASSWORD}@"), "--html", "-")
    assert told.code == 1
    assert PASSWORD not in told.out + told.err


def test_what_the_server_refuses_is_said_with_a_remedy(port: int) -> None:
    own = {"CLICKHOUSE_PASSWORD": PASSWORD}
    refused = [
        (
            "Authentication failed",
            "check the user and the password",
            clickhouse.history(f"clickhouse://127.0.0.1:{port}", {}),
        ),
        (
            "nowhere",
            "check the name of the database",
            clickhouse.history(f"clickhouse://127.0.0.1:{port}/nowhere", own),
        ),
        ("Connection refused", "whether this is its HTTP port", clickhouse.history("clickhouse://127.0.0.1:1", own)),
    ]
    for what, remedy, where in refused:
        with pytest.raises(WeighError) as error:
            store.read_all(where)
        assert what in error.value.what
        assert "127.0.0.1" not in error.value.what
        assert remedy in error.value.remedy
        assert PASSWORD not in json.dumps([error.value.what, error.value.where, error.value.remedy])


def test_a_table_that_others_made_is_left_alone(port: int) -> None:
    ask(port, "CREATE DATABASE others")
    ask(port, "CREATE TABLE others.weigh_history (name String) ENGINE = MergeTree ORDER BY name")
    where = clickhouse.history(f"clickhouse://127.0.0.1:{port}/others", {"CLICKHOUSE_PASSWORD": PASSWORD})
    made = [entry(1, 1.0)]
    for use in (lambda: store.read_all(where), lambda: store.add_all(where, made)):
        with pytest.raises(WeighError) as error:
            use()
        assert "name another database" in error.value.remedy
    assert ask(port, "SELECT count() FROM others.weigh_history") == b"0\n"


@pytest.mark.parametrize(
    "url",
    [
        "clickhouse://",
        "clickhouse://me:geheim@host:port/db",
        "clickhouse://me:geheim@host/db/more",
        "clickhouse://me:geheim@host/db?secure=perhaps",
        "clickhouse://me:geheim@host/db?verify=false",
        "clickhouse://me:ge/he@im@host/db",
    ],
)
def test_a_url_that_names_no_server_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as error:
        clickhouse.history(url, {})
    assert "geheim" not in str(error.value) + error.value.remedy


def test_the_parts_of_a_url() -> None:
    found = clickhouse.history("clickhouse://ann:a%2Fb@host/db?secure=true", {})
    assert (found.name, str(found)) == ("clickhouse://ann@host/db?secure=true",) * 2
    assert found.connect == {
        "host": "host", "port": 8443, "username": "ann", "password": "a/b", "secure": True, "database": "db",
    }  # fmt: skip
    assert "a/b" not in repr(found)
    plain = clickhouse.history("clickhouse://host", {"CLICKHOUSE_USER": "bob", "CLICKHOUSE_PASSWORD": "x"})
    assert (plain.connect["port"], plain.connect["username"], plain.connect["password"]) == (8123, "bob", "x")


class Old(BaseHTTPRequestHandler):
    """ClickHouse 18: it knows its version, and no column `readonly` of system.settings."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode() + self.path
        old = "readonly" in asked
        body = (
            b"Code: 47, e.displayText() = DB::Exception: Unknown identifier: readonly, e.what() = DB::Exception\n"
            if old
            else b"18.16.1\tUTC\n"
        )
        self.send_response(500 if old else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_a_server_that_is_too_old_is_told_so() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Old) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        where = clickhouse.history(f"clickhouse://default@127.0.0.1:{server.server_address[1]}", {})
        with pytest.raises(WeighError) as raised:
            store.read_all(where)
        server.shutdown()
    assert "did not make" not in raised.value.remedy
    assert "too old" in raised.value.remedy
