"""A process that nobody's adapter names, and that computes for whoever asks it over a socket (A11)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

_SERVER = """
import socket, sys, threading, time
door = socket.socket(socket.AF_UNIX)
door.bind(sys.argv[1])
door.listen(8)
def serve(one):
    while one.recv(1):
        end = time.thread_time() + 0.03
        while time.thread_time() < end:
            pass
        one.sendall(b".")
while True:
    one, _ = door.accept()
    threading.Thread(target=serve, args=(one,), daemon=True).start()
"""


def start(door: str) -> subprocess.Popen[bytes]:
    """Start it, for whoever ends it.

    Args:
        door: path of the socket at which it listens.
    """
    process = subprocess.Popen([sys.executable, "-S", "-c", _SERVER, door], env={}, start_new_session=True)
    while not Path(door).exists():
        time.sleep(0.01)
    return process
