"""HTTP as a target: a server of Python's is put under load, and servers that send what they must not."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar

import pytest

from support.command import RAN, WEIGH, Weigh
from support.hostile_servers import Silent, Trickle
from weigh.engines.prepared import cache_folder
from weigh.load.target import http
from weigh.load.target.registry import target
from weigh.model.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run

BRIEF = ("--rate", "60", "--duration", "1s", "--connections", "3", "--quiet", "--json")


class Shop(BaseHTTPRequestHandler):
    """Answers in one piece or in several, keeps the connection or not, and refuses every third order."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[str, str, str]]] = []

    def do_GET(self) -> None:
        self.seen.append(("GET", self.path, self.headers.get("Authorization", "")))
        if self.path.startswith("/pieces"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"4\r\nfour\r\n6\r\nletter\r\n0\r\n\r\n")
            return
        if self.path.startswith("/health"):
            self.answer(200, b'{"status": "down"}' if self.path.endswith("down") else b'{"status": "ok"}')
            return
        self.answer(200, b"here", close=self.path == "/once")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.seen.append(("POST", self.path, body))
        self.answer(500 if int(body.split()[-1]) % 3 == 0 else 201, b"an order")

    def do_OPTIONS(self) -> None:
        self.answer(204, b"")

    def answer(self, status: int, body: bytes, *, close: bool = False) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        if close:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        return "Shop/7.1"

    def log_message(self, format: str, *args: object) -> None:  # its name in the standard library
        pass


@contextmanager
def shop() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def bought(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[tuple[str, str, str]]]:
    """Orders with a variable in path and body, and looks that come in pieces."""
    weigh = Weigh(tmp_path_factory.mktemp("http"))
    (weigh.folder / "buy.sql").write_text(
        "\\set n random(1, 9)\nPOST /orders/:n\nContent-Type: text/plain\n\nnumber is :n;\n"
    )
    (weigh.folder / "look.sql").write_text("GET /pieces?a=b;\nGET /next;\n")
    Shop.seen.clear()
    with shop() as port:
        flags = ("--error-budget", "100%", *BRIEF)
        run = weigh("load", "buy.sql", "look.sql", "--target", f"http://ann@127.0.0.1:{port}", *flags)
    return run, list(Shop.seen)


def test_requests_are_those_of_the_scripts(bought: tuple[Run, list[tuple[str, str, str]]]) -> None:
    run, seen = bought
    assert run.code in RAN, run.err
    assert {one["name"] for one in run.json["operations"]} == {"all", "buy", "look"}
    orders = [(path, body) for method, path, body in seen if method == "POST"]
    assert len(orders) > 5
    assert all(body == f"number is {path.rpartition('/')[2]}" for path, body in orders)
    looks = [path for method, path, _ in seen if method == "GET"]
    assert set(looks) == {"/pieces?a=b", "/next"}
    assert {given for method, _, given in seen if method == "GET"} == {"Basic YW5uOg=="}
    assert run.json["load"]["product"] == "Shop 7.1"
    assert not run.json["runs"][0]["reconnects"]


@pytest.mark.promise("A status from 300 on is an error, but for 304: weigh follows no redirection.")
def test_a_status_that_refuses_is_an_error(bought: tuple[Run, list[tuple[str, str, str]]]) -> None:
    run, seen = bought
    refused = sum(int(path.rpartition("/")[2]) % 3 == 0 for method, path, _ in seen if method == "POST")
    rows = {one["name"]: one for one in run.json["operations"]}
    assert refused > 0
    assert 0 < sum(rows["buy"]["errors"].values()) <= refused
    assert all("an order (500)" in text for text in rows["buy"]["errors"])
    assert not rows["look"]["errors"]


def test_where_nothing_was_answered_the_error_is_said_first_and_the_exit_code_is_2(weigh: Weigh) -> None:
    (weigh.folder / "refused.sql").write_text("POST /orders\n\nnumber is 3;\n")
    flags = [flag for flag in BRIEF if flag != "--json"]
    with shop() as port:
        run = weigh("load", "refused.sql", "--target", f"http://127.0.0.1:{port}", *flags)
    assert run.code == 2
    said = " ".join(run.out.split())
    assert " under refused: REFUSED" in said
    assert re.search(r"60 of 60 requests failed \(100.00 %\): refused, line 1: an order .*\(500\)\.", said), run.out


def test_a_server_that_ends_its_connections_is_asked_over_new_ones(weigh: Weigh) -> None:
    with shop() as port:
        run = weigh("load", "get", "--target", f"http://127.0.0.1:{port}/once", *BRIEF)
    assert run.code in RAN, run.err
    (operation,) = run.json["operations"]
    assert operation["count"] > 20
    assert not operation["errors"]
    assert run.json["runs"][0]["reconnects"] > 20
    assert "L7.reconnects" in run.codes


@pytest.mark.parametrize(
    ("script", "words"),
    [("SELECT 1;", "begins with its method"), ("GET a;", "begins with a slash"), ("POST /\nx;", "is no header")],
)
def test_a_mistake_in_a_request_names_its_line(weigh: Weigh, script: str, words: str) -> None:
    (weigh.folder / "bad.sql").write_text(f"GET /;\n{script}\n")
    with shop() as port:
        run = weigh("load", "bad.sql", "--target", f"http://127.0.0.1:{port}", *BRIEF)
    assert run.code == 2
    assert "line 2" in run.err
    assert words in " ".join(run.err.split())


def test_other_workloads_are_refused(weigh: Weigh) -> None:
    with shop() as port:
        for workload in ("ycsb-b", "tpcb-like"):
            run = weigh("load", workload, "--target", f"http://127.0.0.1:{port}", *BRIEF)
            assert run.code == 2
            assert "requests" in run.err
    run = weigh("load", "get", "--target", "valkey:embedded", *BRIEF)
    assert run.code == 2
    assert "asks for a URL" in run.err


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://", "names no host"),
        ("http://h:99999/", "is none"),
        ("http://h/a b", "%-encoding"),
        ("http://h/#top", "'#'"),
        ("http://h/?user=a&Password=b", "Password="),
    ],
)
def test_a_url_that_is_none_is_refused(url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        target(url)


def test_a_password_is_kept_out_of_what_is_shown() -> None:
    found = target("http://ann:pw@h:81/q?a=b")
    assert found.text == "http://ann@h:81/q?a=b"
    assert target("https://h").text == "https://h"


def reach(port: int) -> None:
    with target(f"http://127.0.0.1:{port}").reach(cache_folder(), 2):
        pass


@pytest.mark.parametrize("said", [b"H", b"HTTP/1.1 200 OK\r\na: b\r\n", b"\0"])
def test_a_server_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(http, "_PATIENCE", 0.5)
    monkeypatch.setattr(http, "_LONGEST_HEAD", 1 << 30)
    with Trickle(said, 0.05) as server, pytest.raises(EngineFault, match="no whole answer"):
        reach(server.port)


def test_what_is_no_server_of_http_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_PATIENCE", 1.0)
    with Trickle(b"+PONG\r\n\r\n", 0.1) as server, pytest.raises(EngineFault, match="which is not HTTP"):
        reach(server.port)
    with Silent() as server, pytest.raises(EngineFault):
        reach(server.port)


def test_a_success_that_says_it_failed(weigh: Weigh) -> None:
    """The liar says 200 over an error in half of its answers; its twin says what it is."""
    (weigh.folder / "up.sql").write_text("GET /health;\n")
    (weigh.folder / "down.sql").write_text("GET /health?down;\n")
    # So few, for so long, that a busy machine answers all but one or two of them before the end.
    calm = ("--rate", "20", "--duration", "5s", "--connections", "3", "--quiet", "--json")
    flags = ("--expect", "json .status=ok", "--require", "errors<=1%", *calm)
    with shop() as port:
        liar = weigh("load", "up.sql", "down.sql", "--target", f"http://127.0.0.1:{port}", *flags)
        twin = weigh("load", "up.sql", "--target", f"http://127.0.0.1:{port}", *flags)
        believed = weigh("load", "down.sql", "--target", f"http://127.0.0.1:{port}", *flags[2:])
    assert liar.code == 1, liar.err + liar.out
    rows = {one["name"]: one for one in liar.json["operations"]}
    assert not rows["up"]["errors"]
    assert any('json .status=ok: there is "down" (EXPECT)' in text for text in rows["down"]["errors"])
    for honest in (twin, believed):
        assert honest.code in RAN, honest.err
        assert not any(one["errors"] for one in honest.json["operations"])


def test_what_is_expected_must_be_readable(weigh: Weigh) -> None:
    (weigh.folder / "up.sql").write_text("GET /health;\n")
    with shop() as port:
        wrong = weigh("load", "up.sql", "--target", f"http://127.0.0.1:{port}", "--expect", "json status", *BRIEF)
    assert wrong.code == 2
    assert "json .PATH=VALUE" in wrong.err
    other = weigh("load", "up.sql", "--target", "sqlite:embedded", "--expect", "contains x", *BRIEF)
    assert other.code == 2
    assert "--expect is about answers of HTTP" in other.err


REFUSING = """
import ctypes, os, struct, sys
# seccomp(2): the number of the call, whether it is that of epoll_pwait2, an error then, and else nothing.
steps = ((0x20, 0, 0, 0), (0x15, 0, 1, 441), (0x06, 0, 0, 0x50000 | int(sys.argv[1])), (0x06, 0, 0, 0x7FFF0000))
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in steps))
program = ctypes.create_string_buffer(struct.pack("H6xQ", len(steps), ctypes.addressof(code)))
prctl, none = ctypes.CDLL(None).prctl, ctypes.c_ulong(0)
assert prctl(38, ctypes.c_ulong(1), none, none, none) == 0
assert prctl(22, ctypes.c_ulong(2), program, none, none) == 0
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.promise("where the kernel, or what confines a container, refuses that call, it says so")
@pytest.mark.parametrize("refusal", [errno.ENOSYS, errno.EPERM])
def test_a_kernel_that_cannot_wait_to_the_nanosecond_is_named(weigh: Weigh, refusal: int) -> None:
    (weigh.folder / "look.sql").write_text("GET /;\n")
    with shop() as port:
        command = (str(WEIGH), "load", "look.sql", "--target", f"http://127.0.0.1:{port}", *BRIEF)
        run = subprocess.run(
            [sys.executable, "-c", REFUSING, str(int(refusal)), *command],
            cwd=weigh.folder, env=weigh.environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert run.returncode == 2, run.stderr
    assert "epoll_pwait2" in run.stderr and "weigh load needs Linux 5.11 or newer" in run.stderr
