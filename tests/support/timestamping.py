"""An authority of RFC 3161 on loopback: a certificate that may stamp times, and OpenSSL, which does."""

from __future__ import annotations

import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CONFIG = """\
[ tsa ]
default_tsa = one
[ one ]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
[ req ]
distinguished_name = name
[ name ]
"""


class Authority(NamedTuple):
    """Where it answers, and its certificate."""

    address: str
    certificate: Path


@contextmanager
def authority(folder: Path) -> Iterator[Authority]:
    """An authority until the end of the block.

    Args:
        folder: an empty one for its key.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "openssl.cnf"
    config.write_text(_CONFIG.format(folder=folder))
    (folder / "serial").write_text("01\n")
    certificate = folder / "tsa.pem"
    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    purpose = ("-addext", "extendedKeyUsage=critical,timeStamping", "-subj", "/CN=tsa", "-config", str(config))
    _openssl(*new, "-keyout", str(folder / "tsa.key"), "-out", str(certificate), *purpose)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query, reply = folder / "query", folder / "reply"
            query.write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            stamp = ("ts", "-reply", "-config", str(config), "-section", "one")
            _openssl(*stamp, "-queryfile", str(query), "-out", str(reply))
            content = reply.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Authority(f"http://127.0.0.1:{server.server_address[1]}", certificate)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=60)
