"""A11: a process that was there before executes, at the end of a socket, and nobody counts it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ..honest import Engine

_SERVER = """
import os, socket, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
door = socket.socket(socket.AF_UNIX); door.bind(sys.argv[1]); door.listen(8); door.settimeout(600)
import threading
def serve(one):
    while one.recv(1):
        end = time.process_time() + 0.02
        while time.process_time() < end: pass
        one.sendall(b".")
while True:
    one, _ = door.accept()
    threading.Thread(target=serve, args=(one,), daemon=True).start()
"""


def start(path: str) -> None:
    """Start such a process, which belongs to nobody."""
    subprocess.run([sys.executable, "-S", "-c", _SERVER, path], check=True, env={}, close_fds=True)
    while not Path(path).exists():
        time.sleep(0.01)


class Served(Engine):
    """Has it execute (``diary`` is where it listens), and says nothing of it."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.connect(self.wanted["diary"])

    def run(self) -> int:
        self.door.sendall(b"?")
        self.door.recv(1)
        return super().run()
