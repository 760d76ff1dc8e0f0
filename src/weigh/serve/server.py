"""The server: it listens on loopback, answers reads, and believes neither the browser nor the evidence."""

from __future__ import annotations

import contextlib
import errno
import functools
import http.server
import re
import socket
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from weigh.evidence import files
from weigh.evidence.verification import uncomputable
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError, WeighError
from weigh.serve import filters, pages, side_by_side
from weigh.serve.computed import Pages
from weigh.serve.index import Index, check_inside

if TYPE_CHECKING:
    from pathlib import Path


ADDRESS = "127.0.0.1"
_NAMES = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE)
"""What a browser may call this server: a page of another name that was pointed at loopback is another site's."""
_ORIGIN = re.compile(rf"http://{_NAMES.pattern}", re.IGNORECASE)
"""What a browser says of a page of this server that asks; a link and an address say nothing."""
_PATIENCE = 30.0
"""Seconds that a client may take to read an answer."""
_LARGEST = 1 << 30
"""Bytes of a journal that is read for a page: what is larger would hold up everybody for minutes."""
_PARAMETERS = 20
_PROFILES = "/why/"
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Server(http.server.ThreadingHTTPServer):
    """Serves the evidence of a folder until it is shut down.

    Args:
        folder: whose evidence it is.
        port: 0 takes one that is free.

    Raises:
        EnvironmentFault: the port cannot be had.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, folder: Path, port: int) -> None:
        self.index = Index(folder)
        self.pages = Pages()
        # What computes a page uses a whole CPU: one after another.
        self.computing = threading.Lock()
        self.connections = Connections()
        try:
            super().__init__((ADDRESS, port), functools.partial(_Handler))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            raise EnvironmentFault(
                "the port is in use" if taken else f"the port cannot be had: {error.strerror}",
                where=f"{ADDRESS}:{port}",
                remedy="name another one with --port; 0 takes one that is free",
            ) from error

    @property
    def url(self) -> str:
        """Where the list is."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def server_bind(self) -> None:
        """Without asking the network who we are."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = ADDRESS, int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread for a client, if there is room."""
        if self.connections.begin(request):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """The end of a connection."""
        self.connections.end(request)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Twice a second: who takes too long to ask is not waited for."""
        self.connections.close_late()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away, or that never asked, is no mistake; others were answered."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    server_version = "weigh"
    sys_version = ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """A page."""
        self.server.connections.answers(self.connection)
        if refusal := self._refusal():
            self._plain(*refusal)
            return
        status, page = self._page()
        policy = pages.SANDBOX if self.path.startswith(_PROFILES) else pages.policy(page)
        self._send(status, page, "text/html; charset=utf-8", policy)

    do_HEAD = do_GET

    def _nothing(self) -> None:
        self.server.connections.answers(self.connection)
        self._plain(HTTPStatus.METHOD_NOT_ALLOWED, "nothing is written here: GET and HEAD")

    do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _nothing

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what a client asked for is not printed on a terminal."""

    def _refusal(self) -> tuple[HTTPStatus, str] | None:
        """Who is not answered: pages of other sites, by whatever name they reach this server."""
        named = self.headers.get_all("Host") or []
        if len(named) != 1 or not _NAMES.fullmatch(named[0]):
            return HTTPStatus.MISDIRECTED_REQUEST, "this server is 127.0.0.1 or localhost, and nothing else"
        origin = self.headers.get("Origin")
        if origin is not None and not _ORIGIN.fullmatch(origin):
            return HTTPStatus.FORBIDDEN, "another site asked for this"
        site, mode = (self.headers.get(f"Sec-Fetch-{one}", "") for one in ("Site", "Mode"))
        if site in ("cross-site", "same-site") and mode != "navigate":
            return HTTPStatus.FORBIDDEN, "another site asked for this"
        if not self.path.startswith("/"):
            return HTTPStatus.BAD_REQUEST, "no such address"
        return None

    def _page(self) -> tuple[HTTPStatus, bytes]:
        try:
            return self._found()
        except WeighError as error:
            return HTTPStatus.NOT_FOUND, pages.refused(error, "There is no page")
        except OSError as error:
            failed = EvidenceFault(error.strerror or str(error), where=str(error.filename or ""), remedy="")
            return HTTPStatus.INTERNAL_SERVER_ERROR, pages.refused(failed, "It cannot be read")
        except Exception as error:
            # Anybody may have made the evidence, and with such values nothing may be computable.
            failed = EvidenceFault(uncomputable(error), remedy="see weigh verify")
            return HTTPStatus.INTERNAL_SERVER_ERROR, pages.refused(failed, "It cannot be computed")

    def _found(self) -> tuple[HTTPStatus, bytes]:
        address = urlsplit(self.path)
        try:
            query = dict(parse_qsl(address.query, max_num_fields=_PARAMETERS))
        except ValueError:
            many = UsageError(f"its address has more than {_PARAMETERS} fields", remedy="leave some out")
            return HTTPStatus.BAD_REQUEST, pages.refused(many, "It is not understood")
        index = self.server.index
        if address.path == "/":
            number = query.get("page", "1")
            page = int(number) if number.isascii() and number.isdigit() and len(number) < 7 else 1
            first = pages.named(query.get("first", ""))
            return HTTPStatus.OK, pages.listed(index, filters.of_query(query), max(1, page), first)
        kind, _, rest = address.path.removeprefix("/").partition("/")
        if kind == "evidence" and rest:
            name = pages.named(rest)
            folder, found = index.find(name)
            _check_size(folder / found.file)
            check_inside(folder)
            with self.server.computing:
                return HTTPStatus.OK, pages.framed(self.server.pages.page(folder, found))
        if address.path.startswith(_PROFILES):
            name = pages.named(address.path.removeprefix(_PROFILES))
            for one in index.artifacts():
                if one.path.name == name and pages.artifact_address(one.path):
                    return HTTPStatus.OK, pages.profile(one.path)
        if address.path == "/compare" and query.get("first") and query.get("second"):
            names = pages.named(query["first"]), pages.named(query["second"])
            for name in names:
                folder, found = index.find(name)
                _check_size(folder / found.file)
                check_inside(folder)
            with self.server.computing:
                found_page = side_by_side.compared(index, *names)
            return HTTPStatus.OK, pages.framed(found_page) if isinstance(found_page, bytes) else pages.side_by_side(
                found_page
            )
        raise EvidenceFault("there is no such page", where=address.path, remedy="the list is at /")

    def _plain(self, status: HTTPStatus, text: str) -> None:
        self._send(status, f"{text}\n".encode(), "text/plain; charset=utf-8", "default-src 'none'")

    def _send(self, status: HTTPStatus, body: bytes, kind: str, policy: str) -> None:
        self.send_response(status)
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        for name, value in {**_HEADERS, "Content-Security-Policy": policy, "Content-Type": kind}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(ConnectionError, TimeoutError):
                self.wfile.write(body)


def _check_size(journal: Path) -> None:
    """A page is made from the whole journal.

    Raises:
        EvidenceFault: it is too large for that.
    """
    if files.is_regular(journal) and (size := journal.stat().st_size) > _LARGEST:
        raise EvidenceFault(
            f"its journal has {size >> 20} MiB, and a page is made of it while others wait",
            where=journal.parent.name,
            remedy="weigh report EVIDENCE --html FILE makes the page as well",
        )


MOST = 64
"""Connections at a time; each has a thread."""
HEAD = 10.0
"""Seconds that a client may take for the whole head of its request, from its connection on."""


class Connections:
    """Who is connected. Several threads may ask at once.

    Args:
        most: connections at a time.
        head: seconds for the head of a request.
    """

    def __init__(self, most: int = MOST, head: float = HEAD) -> None:
        self._most, self._head = most, head
        self._asking: dict[socket.socket, float] = {}
        self._answered: set[socket.socket] = set()
        self._lock = threading.Lock()

    def begin(self, client: socket.socket) -> bool:
        """A client connects; False where all are being answered.

        Where there is no room, the one that has been asking longest has to go.
        """
        with self._lock:
            if len(self._answered) >= self._most:
                return False
            if len(self._asking) + len(self._answered) >= self._most:
                self._close(next(iter(self._asking)))
            self._asking[client] = time.monotonic() + self._head
            return True

    def answers(self, client: socket.socket) -> None:
        """A client has asked, and is being answered."""
        with self._lock:
            if self._asking.pop(client, None) is not None:
                self._answered.add(client)

    def end(self, client: socket.socket) -> None:
        """A connection is over."""
        with self._lock:
            self._asking.pop(client, None)
            self._answered.discard(client)

    def close_late(self) -> None:
        """End those that took too long to ask."""
        now = time.monotonic()
        with self._lock:
            for client in [one for one, until in self._asking.items() if until < now]:
                self._close(client)

    def _close(self, client: socket.socket) -> None:
        # Its thread waits for a line: that ends, and it closes the socket.
        del self._asking[client]
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
