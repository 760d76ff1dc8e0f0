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
    asked = json.loads(sys.stdin.readline())
    here = Path(__file__).parent
    # Behind everything else: what lies beside this file has names that others have too.
    sys.path.extend((str(here.parent), str(here.parents[1])))
    looking = importlib.import_module("sampling.looking")
    looks = looking.Looking(lambda: _source(asked))
    for line in sys.stdin:
        try:
            sys.stdout.write(json.dumps(looking.answer(looks, line)) + "\n")
        except Exception as error:
            said = " ".join(str(error).split()) or type(error).__name__
            sys.stdout.write(json.dumps({"error": said}) + "\n")
        sys.stdout.flush()


def _source(asked: dict[str, Any]) -> Source:
    if "path" in asked:
        found: Source = importlib.import_module("sampling.sqlite").SqliteLog(asked["path"])
        return found
    resp = importlib.import_module("resp")
    client = resp.Client(asked["connect"])
    made: Source = importlib.import_module("sampling.valkey").ValkeyServer(client, resp.Refused, asked["server"])
    return made


if __name__ == "__main__":
    main()
