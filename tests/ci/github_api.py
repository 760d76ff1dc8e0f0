"""What stands for GitHub's API: comments and statuses of one repository, and every call that was made."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = "people/engine"


@dataclass
class GitHub:
    """A repository.

    Attributes:
        comments: of pull request 7, oldest first.
        pulls: that are open.
        forbidden: methods that are answered with 403.
    """

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    statuses: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    forbidden: tuple[str, ...] = ()
    calls: list[str] = field(default_factory=list)

    def comment(self, body: str, kind: str = "Bot") -> None:
        """Somebody writes one."""
        self.comments.append({"id": 100 + len(self.comments), "body": body, "user": {"type": kind}})

    def answer(self, method: str, target: str, body: dict[str, Any]) -> tuple[int, object]:
        """The status and the document of one call."""
        place = urlsplit(target)
        path = place.path.removeprefix(f"/repos/{REPOSITORY}/")
        self.calls.append(f"{method} {path}")
        if method in self.forbidden:
            return 403, {"message": "Resource not accessible by integration"}
        query = {name: values[0] for name, values in parse_qs(place.query).items()}
        match method, path.split("/"):
            case "GET", ["issues", "7", "comments"]:
                many, page = int(query["per_page"]), int(query["page"])
                return 200, self.comments[many * (page - 1) : many * page]
            case "GET", ["pulls"]:
                return 200, [one for one in self.pulls if one["head"]["label"] == query["head"]]
            case "POST", ["issues", "7", "comments"]:
                self.comment(body["body"])
                return 201, self.comments[-1]
            case "PATCH", ["issues", "comments", number]:
                (one,) = (one for one in self.comments if one["id"] == int(number))
                one["body"] = body["body"]
                return 200, one
            case "POST", ["statuses", commit]:
                self.statuses.append((commit, body))
                return 201, {}
        return 404, {"message": "Not Found"}


@contextmanager
def served() -> Iterator[GitHub]:
    """It answers on loopback."""
    github = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            assert self.headers["Authorization"] == "Bearer secret"
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            code, document = github.answer(self.command, self.path, json.loads(text) if text else {})
            content = json.dumps(document).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = _answer

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    github.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield github
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
