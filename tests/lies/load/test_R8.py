"""R8 under load: a server whose vendor forbids to publish results, by what it calls itself."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import load_comparison_records, load_records
from weigh.load.comparison.results import load_comparison_results
from weigh.load.target import terms

from ..reading import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run, Weigh


class Named(BaseHTTPRequestHandler):
    """Answers everything, and says who it is."""

    protocol_version = "HTTP/1.1"
    called = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_OPTIONS = do_GET  # its name in the standard library

    def version_string(self) -> str:
        return self.called

    def log_message(self, format: str, *args: object) -> None:  # its name in the standard library
        pass


@contextmanager
def server(called: str) -> Iterator[int]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), type("Called", (Named,), {"called": called}))
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield made.server_port
    finally:
        made.shutdown()
        made.server_close()


def loaded(weigh: Weigh, called: str) -> Run:
    with server(called) as port:
        return weigh(
            "load", "get", "--target", f"http://127.0.0.1:{port}/", "--rate", "30", "--duration", "1s",
            "--connections", "2", "--quiet", "--json",
        )  # fmt: skip


@pytest.mark.promise("A server whose vendor's terms weigh knows has them in every report.")
def test_the_terms_are_shown_with_their_source(weigh: Weigh) -> None:
    run = loaded(weigh, "Oracle-HTTP-Server/12.2")
    (finding,) = (one for one in run.json["findings"] if one["code"] == "R8.terms")
    assert finding["severity"] == "note"
    assert "without Oracle's prior consent (Oracle Technology Network License Agreement" in finding["text"]
    for name in ("report.txt", "report.html"):
        assert "R8.terms" in (run.evidence / name).read_text()
    assert "publishing results of Oracle-HTTP-Server" in words((run.evidence / "report.txt").read_text())


def test_of_others_nothing_is_said(weigh: Weigh) -> None:
    run = loaded(weigh, "Shop/12.2")
    assert "R8.terms" not in run.codes
    assert "terms" not in (run.evidence / "environment.json").read_text()


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("postgres://me@shop.abc.eu-west-1.rds.amazonaws.com:5432/shop", True),
        ("redis://shop.cache.amazonaws.com", True),
        ("postgres://me@amazonaws.com.example.org/shop", False),
        ("postgres://me@127.0.0.1/amazonaws.com", False),
        ("postgres:embedded", False),
        ("http://[broken", False),
    ],
)
def test_a_service_is_known_by_its_address(text: str, known: bool) -> None:
    assert (terms.stated(load_records.target(), text).terms is not msgspec.UNSET) == known


def test_a_comparison_says_whose_they_are() -> None:
    bound = msgspec.structs.replace(load_records.target(), terms="nobody may publish them (clause 4 of a licence)")
    asked = load_comparison_records.spec(5, length=4)
    found = load_comparison_results([load_comparison_records.comparison(asked, targets={"new": bound})])
    (finding,) = (one for one in found.findings if one.code == "R8.terms")
    assert finding.contender == "new"
    assert "clause 4 of a licence" in finding.text
