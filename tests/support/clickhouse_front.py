"""ClickHouse's engine behind the part of its HTTP interface that clients use. Executed as a file where chDB is.

No package has ClickHouse's server. chDB is its engine, so what statements mean, and what they are refused for, is
ClickHouse's own here; the way to them is this file's. Its arguments are a folder for the tables, and a password. It
prints its port and serves until its standard input ends.
"""

from __future__ import annotations

import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

_INSERT = re.compile(rb"\s*INSERT INTO (\S+) \(([^)]*)\) FORMAT Native\s*?\n", re.IGNORECASE)
_FORMAT = re.compile(r"\bFORMAT (\w+)\s*$", re.IGNORECASE)
_EXCEPTION = re.compile(r"Code: (\d+)\.")


class Front(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    connection_to_engine: object
    password: str
    folder: str
    one_at_a_time = threading.Lock()

    def do_POST(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        body = (
            self.rfile.read(int(self.headers["Content-Length"])) if "Content-Length" in self.headers else self._chunks()
        )
        if self._password() != self.password:
            self._say(
                403, b"Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)", code="516"
            )
            return
        with self.one_at_a_time:
            try:
                self._say(200, self._executed(asked, body))
            except RuntimeError as error:
                found = _EXCEPTION.search(str(error))
                self._say(500, str(error).encode(), code=found[1] if found else "")

    def _password(self) -> str:
        import base64

        scheme, _, word = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic":
            return base64.b64decode(word).decode().partition(":")[2]
        return self.headers.get("X-ClickHouse-Key", "")

    def _chunks(self) -> bytes:
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def _executed(self, asked: dict[str, str], body: bytes) -> bytes:
        ask = self.connection_to_engine.query  # type: ignore[attr-defined]
        if "database" in asked:
            ask(f"USE `{asked['database']}`")
        for name, value in asked.items():
            if name.startswith("param_"):
                quoted = value.replace("\\", "\\\\").replace("'", "\\'")
                ask(f"SET {name} = '{quoted}'")
        if block := _INSERT.match(body):
            place = Path(self.folder, "block.native")
            place.write_bytes(body[block.end() :])
            table, columns = block[1].decode(), block[2].decode()
            ask(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM file('{place}', Native)")
            return b""
        statement = asked.get("query", "") + body.decode()
        form = _FORMAT.search(statement)
        return bytes(
            ask(_FORMAT.sub("", statement), form[1] if form else asked.get("default_format", "TabSeparated")).bytes()
        )

    def _say(self, status: int, body: bytes, code: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        kind = "text/plain" if code or not body else "text/tab-separated-values"
        self.send_header("Content-Type", f"{kind}; charset=UTF-8")
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    """Serve."""
    import chdb

    Front.folder, Front.password = sys.argv[1:]
    Front.connection_to_engine = chdb.connect(f"{Front.folder}/state")
    with ThreadingHTTPServer(("127.0.0.1", 0), Front) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.server_address[1], flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
