"""Looks at a Valkey server or an SQLite database while standard input is open. Imports nothing of weigh.

The first line of standard input is what to look at, as JSON. Then each line asks (``begin ORIGIN``, ``drain``,
``end``), and gets one line.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .looking import Source


_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Look when asked, until nothing is asked any more."""
    # While a server does not answer nobody reads that standard input has ended.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    request = json.loads(sys.stdin.readline())
    here = Path(__file__).parent
    # Behind everything else: what lies alongside this file has names that others have too.
    sys.path.extend((str(here.parent), str(here.parents[1])))
    looking = importlib.import_module("sampling.looking")
    looks = looking.Looking(lambda: _source(request))
    for line in sys.stdin:
        try:
            sys.stdout.write(json.dumps(looking.answer(looks, line)) + "\n")
        except Exception as error:
            complaint = " ".join(str(error).split()) or type(error).__name__
            sys.stdout.write(json.dumps({"error": complaint}) + "\n")
        sys.stdout.flush()


def _source(request: dict[str, Any]) -> Source:
    if "path" in request:
        found: Source = importlib.import_module("sampling.sqlite").SqliteLog(request["path"])
        return found
    resp = importlib.import_module("resp")
    client = resp.Client(request["connect"])
    made: Source = importlib.import_module("sampling.valkey").ValkeyServer(client, resp.Refused, request["server"])
    return made


if __name__ == "__main__":
    main()
