"""Passwords of targets: where they may stand, and where they never do."""

from __future__ import annotations

import base64
import json
import socket
import stat
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from lies.postgres_proxy import PostgresProxy
from serve.conftest import serving
from support.hostile_servers import Silent
from support.refusing_servers import Refusing
from support.waiting import eventually
from weigh.engines.prepared import cache_folder
from weigh.load.target.postgres import EmbeddedPostgres
from weigh.load.target.url import parse
from weigh.load.target.valkey.target import EmbeddedValkey
from weigh.model.errors import UsageError
from weigh_liars.resp_proxy import Proxy

if TYPE_CHECKING:
    from support.command import Run, Weigh

SECRET = "open-sesame"
ODD = f"{SECRET}'\"\\ x"
CLOSED = f"redis://:{SECRET}@127.0.0.1:1"
OFFER = ("--rate", "10", "--quiet")


@pytest.mark.promise(
    "In the URL of `--target` every user of the machine can read it in the list of processes until weigh, as "
    "its first act, overwrites it there; weigh says so."
)
def test_a_password_in_the_arguments_is_overwritten_and_said(weigh: Weigh) -> None:
    with Silent() as server:
        url = f"redis://:{SECRET}@127.0.0.1:{server.port}"
        running = weigh.start("load", "ycsb-c", "--target", url, *OFFER)
        try:
            listed = Path("/proc", str(running.pid), "cmdline")
            eventually(lambda: b"--target\0redis://127.0.0.1" in listed.read_bytes())
            assert SECRET.encode() not in listed.read_bytes()
        finally:
            running.kill()
            _, said = running.communicate()
    assert "list of processes" in said
    assert "--target-file" in said
    assert SECRET not in said


@pytest.mark.promise("Files that others may read are refused.")
def test_a_file_with_the_target_is_nobody_elses(weigh: Weigh) -> None:
    path = weigh.folder / "target"
    path.write_text(CLOSED + "\n")
    path.chmod(0o640)
    refused = weigh("load", "ycsb-c", "--target-file", str(path), *OFFER)
    assert refused.code == 2
    assert "others than you may read" in refused.err
    assert f"chmod 600 {path}" in refused.err
    path.chmod(stat.S_IRUSR)
    run = weigh("load", "ycsb-c", "--target-file", str(path), *OFFER)
    assert "redis://127.0.0.1:1" in run.err
    assert "list of processes" not in run.err
    for text in (refused.err, run.err, run.out):
        assert SECRET not in text


@pytest.mark.parametrize("content", ["", "a b", f"{CLOSED}\n{CLOSED}"])
def test_a_file_names_one_target(weigh: Weigh, content: str) -> None:
    path = weigh.folder / "target"
    path.write_text(content)
    path.chmod(0o600)
    run = weigh("load", "ycsb-c", "--target-file", str(path), *OFFER)
    assert run.code == 2
    assert "not one target" in run.err
    assert SECRET not in run.err


@pytest.mark.parametrize("scheme", ["mariadb", "postgres", "clickhouse", "redis", "cassandra"])
def test_a_server_that_repeats_the_password_is_not_repeated(weigh: Weigh, scheme: str) -> None:
    with Refusing(scheme) as server:
        database = "0" if scheme == "redis" else "d"
        target = f"{scheme}://u:{quote(ODD, safe='')}@127.0.0.1:{server.port}/{database}"
        run = weigh("load", "ycsb-c", "--target", target, *OFFER)
    assert run.code == 2
    assert "who are you, " in run.err and "***" in run.err
    assert SECRET not in run.err + run.out


class Mirror(BaseHTTPRequestHandler):
    """Answers every request by what it was sent with, and the password in plain text behind it."""

    protocol_version = "HTTP/1.1"

    def do_OPTIONS(self) -> None:
        self.send_response(204)
        self.end_headers()

    def do_GET(self) -> None:
        given = self.headers.get("Authorization", "")
        # At the end of what is kept of an error of its, the password is cut.
        body = f"{given} is {base64.b64decode(given.partition(' ')[2]).decode()} {'x' * 180} {SECRET}".encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # its name in the standard library
        pass


@pytest.mark.promise("Nor does it where a server, or a proxy before it, repeats it in the error of a request.")
def test_a_server_that_repeats_the_password_under_load_is_not_repeated(weigh: Weigh) -> None:
    (weigh.folder / "look.sql").write_text("GET /;\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://ann:{SECRET}@127.0.0.1:{server.server_port}"
        run = weigh("load", "look.sql", "--target", url, "--rate", "40", "--duration", "1s", "--quiet", "--json")
    finally:
        server.shutdown()
        server.server_close()
    errors = run.json["operations"][0]["errors"]
    assert sum(errors.values()) > 0 and all("Basic *** is *** x" in one for one in errors), errors
    _is_nowhere(SECRET, weigh, run)
    _is_nowhere(base64.b64encode(f"ann:{SECRET}".encode()).decode(), weigh, run)


def test_a_statement_that_fails_with_the_password_under_load_is_not_repeated(weigh: Weigh) -> None:
    (weigh.folder / "look.sql").write_text("\\set n random(1, 9)\nSELECT :n + 0;\n")
    with EmbeddedPostgres().reach(cache_folder(), 8) as reached:
        server = reached.connect
        path, rewrites = f"{server['socket']}/.s.PGSQL.{server['port']}", {b"+ 0": f"+ '{SECRET}'::int".encode()}
        # Only when many are there: what is asked before the clock is answered.
        with PostgresProxy(path, server["user"], server["database"], "wrong-when-busy", rewrites) as proxy:
            url = proxy.url.replace("@", f":{SECRET}@")
            flags = ("--protocol", "simple", "--connections", "4", "--duration", "1s", "--json")
            run = weigh("load", "look.sql", "--target", url, *flags, *OFFER)
    errors = run.json["operations"][0]["errors"]
    assert any('invalid input syntax for type integer: "***" (22P02)' in one for one in errors), errors
    _is_nowhere(SECRET, weigh, run)


def test_a_sampler_that_fails_with_the_password_does_not_repeat_it(weigh: Weigh) -> None:
    (weigh.folder / "look.sql").write_text("SELECT 1;\n")
    with EmbeddedPostgres().reach(cache_folder(), 8) as reached:
        server = reached.connect
        path = f"{server['socket']}/.s.PGSQL.{server['port']}"
        # What the samplers of activity and of waits ask, each.
        wrong = f"'{SECRET}'::int".encode()
        rewrites = {
            b"SELECT deadlocks FROM": b"SELECT " + wrong + b" FROM",
            b"wait_event_type, wait_event,": wrong + b",",
        }
        with PostgresProxy(path, server["user"], server["database"], "wrong-when-busy", rewrites) as proxy:
            url = proxy.url.replace("@", f":{SECRET}@")
            run = weigh("load", "look.sql", "--target", url, "--connections", "4", "--duration", "2s", "--json", *OFFER)
    failed = {one["code"]: one["text"] for one in run.json["findings"] if '"***"' in one["text"]}
    assert failed.keys() == {"X.waits", "X.activity"}, run.json["findings"]
    _is_nowhere(SECRET, weigh, run)


@pytest.mark.long
def test_a_query_alongside_that_fails_with_the_password_does_not_repeat_it(weigh: Weigh) -> None:
    (weigh.folder / "look.sql").write_text("SELECT 1;\n")
    with EmbeddedPostgres().reach(cache_folder(), 8) as reached:
        server = reached.connect
        path = f"{server['socket']}/.s.PGSQL.{server['port']}"
        rewrites = {b"AS revenue": f"+ '{SECRET}'::int AS revenue".encode()}
        with PostgresProxy(path, server["user"], server["database"], "wrong", rewrites) as proxy:
            url = proxy.url.replace("@", f":{SECRET}@")
            flags = ("--with", "run --workload tpch --scale 0.01 --operations q6", "--duration", "30s", "--json")
            run = weigh("load", "look.sql", "--target", url, *flags, *OFFER)
    # Why each cannot be asked is in the journal.
    assert '\\"***\\"' in (run.evidence / "journal.jsonl").read_text(), run.err
    _is_nowhere(SECRET, weigh, run)


def _is_nowhere(secret: str, weigh: Weigh, run: Run) -> None:
    """Neither in what was printed, nor in the evidence."""
    texts = [run.out.encode(), run.err.encode()]
    texts += [one.read_bytes() for one in (weigh.folder / "runs").rglob("*") if one.is_file()]
    assert len(texts) > 2 and not [text[:200] for text in texts if secret.encode() in text]


@pytest.mark.parametrize("scheme", ["postgres", "clickhouse"])
def test_a_server_that_repeats_the_password_is_not_repeated_by_other_commands(weigh: Weigh, scheme: str) -> None:
    with Refusing(scheme) as server:
        url = f"{scheme}://u:{quote(ODD, safe='')}@127.0.0.1:{server.port}/d"
        commands = [
            ("history", "show", url),
            *([("capture", url, "--out", "captured")] if scheme == "postgres" else []),
        ]
        for run in [weigh(*one) for one in commands]:
            assert run.code == 2
            assert "who are you, " in run.err and "***" in run.err
            assert SECRET not in run.err + run.out


def test_one_way_to_name_a_target_is_needed_and_enough(weigh: Weigh) -> None:
    assert "no server is named" in weigh("load", "ycsb-c", *OFFER).err
    both = weigh("load", "ycsb-c", "--target", "sqlite:embedded", "--target-file", "x", *OFFER)
    assert "both name the server" in both.err


def test_the_password_file_of_postgres_is_read_as_libpq_reads_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "pgpass"
    path.write_text("# all\nelse:*:*:*:no\ndb.test:5432:shop:ann:one\ndb.test:*:*:ann:t\\:w\\\\o\n*:*:*:bob:three:x\n")
    monkeypatch.setenv("PGPASSFILE", str(path))
    monkeypatch.delenv("PGPASSWORD", raising=False)
    path.chmod(0o644)
    with pytest.raises(UsageError, match="others may read"):
        parse("postgres://ann@db.test/shop")
    path.chmod(0o600)
    assert parse("postgres://ann@db.test/shop").password == "one"
    assert parse("postgres://ann@db.test:6000/shop").password == "t:w\\o"
    assert parse("postgres://bob@db.test/shop").password is None
    assert parse("postgres://ann:own@db.test/shop").password == "own"
    monkeypatch.setenv("PGPASSWORD", "first")
    assert parse("postgres://ann@db.test/shop").password == "first"


@pytest.mark.promise("It never reaches the evidence, a message, or the arguments of another process.")
def test_a_password_reaches_neither_the_evidence_nor_another_process(weigh: Weigh) -> None:
    seen: list[bytes] = []
    with EmbeddedValkey().reach(cache_folder(), 16) as reached, socket.socket(socket.AF_UNIX) as own:
        path = reached.connect["socket"]
        own.connect(path)
        own.sendall(f"CONFIG SET requirepass {SECRET}\r\n".encode())
        assert own.recv(100) == b"+OK\r\n"
        with Proxy(path, "none") as proxy:
            url = proxy.url.replace("redis://", f"redis://:{SECRET}@")
            flags = ("--records", "100", "--closed", "--duration", "2s", "--connections", "2", "--quiet", "--json")
            running = weigh.start("load", "ycsb-c", "--target", url, *flags)
            listed = Path("/proc", str(running.pid), "cmdline")
            eventually(lambda: b"--target\0redis://127.0.0.1" in listed.read_bytes())
            while running.poll() is None:
                for one in Path("/proc").glob("[0-9]*/cmdline"):
                    # A process may end meanwhile.
                    with suppress(OSError):
                        seen.append(one.read_bytes())
                time.sleep(0.1)
            out, err = running.communicate()
    assert running.returncode in (0, 3), err
    document = json.loads(out)
    assert document["operations"][0]["count"] > 0, "it was let in"
    (evidence,) = (weigh.folder / "runs").iterdir()
    everything = [out.encode(), err.encode(), *seen]
    everything += [one.read_bytes() for one in evidence.rglob("*") if one.is_file()]
    for command in ("report", "verify"):
        told = weigh(command, str(evidence))
        everything += [told.out.encode(), told.err.encode()]
    with serving(weigh.folder / "runs") as served:
        name = evidence.name
        for address in ("/", f"/?name={name}", f"/evidence/{name}", f"/compare?first={name}&second={name}"):
            answer = served.ask(address)
            assert answer.status == 200
            everything.append(answer.text.encode())
    assert not [one[:200] for one in everything if SECRET.encode() in one]
