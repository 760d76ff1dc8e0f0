"""A witness: a small server that keeps anchors, which are hashes, with the time at which it received them."""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from weigh.evidence import files
from weigh.evidence.anchoring import log
from weigh.evidence.anchoring.anchor import Anchor
from weigh.model.errors import EnvironmentFault, EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

PATH = "/anchors"
SCHEMA = "weigh/witness/1"
_BODY = 4096
_PATIENCE = 10.0


class Witness(ThreadingHTTPServer):
    """The server.

    Args:
        host: address that it listens on.
        port: that it listens on; 0 for one that is free.
        path: of its log.

    Raises:
        EnvironmentFault: the port is taken, or the log cannot be written.
    """

    daemon_threads = True

    def __init__(self, host: str, port: int, path: Path) -> None:
        self.path = path
        self.log = log.Log(path)
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise EnvironmentFault(
                f"it cannot listen: {error.strerror}", where=f"{host}:{port}", remedy="name another: --port N"
            ) from error

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no mistake."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: Witness
    timeout = _PATIENCE
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0") or "0") if self._fits() else -1
        if self.path != PATH or not 0 < length <= _BODY:
            self._answer(400, {"error": "POST an anchor to /anchors"})
            return
        try:
            stamped = self.server.log.add(files.decoded(self.rfile.read(length), Anchor))
        except EvidenceFault as error:
            self._answer(400, {"error": error.what})
        except OSError as error:
            self._answer(507, {"error": error.strerror or "there is no room"})
        else:
            self._answer(200, stamped)

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        experiment = (parse_qs(address.query).get("experiment") or [""])[0]
        if address.path != PATH:
            self._answer(404, {"error": "GET /anchors?experiment=ID"})
            return
        try:
            self._answer(200, {"schema": SCHEMA, "anchors": log.read(self.server.path, experiment)})
        except EvidenceFault as error:
            self._answer(500, {"error": error.what})

    def _fits(self) -> bool:
        return (self.headers.get("Content-Length") or "").isdigit()

    def _answer(self, status: int, body: Any) -> None:
        content = msgspec.json.encode(body)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """The log is that of anchors."""
