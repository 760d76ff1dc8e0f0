"""With which priority processes computed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from weigh.host.processes import priority

if TYPE_CHECKING:
    from collections.abc import Iterator

# A thread of another priority alongside the first one; one of them computes.
_PROGRAM = """
import os, sys, threading, time

def compute():
    until = time.thread_time() + 0.3
    while time.thread_time() < until:
        pass

def other():
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + 7)
    if sys.argv[1] == "other":
        compute()
    done.set()
    threading.Event().wait()

done = threading.Event()
threading.Thread(target=other, daemon=True).start()
done.wait()
if sys.argv[1] == "first":
    compute()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["first", "other"], ids=str)
def process(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, request.param], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as one:
        assert one.stdin is not None
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
        yield one
        one.stdin.close()


def test_with_what_it_computed_counts(process: subprocess.Popen[str], request: pytest.FixtureRequest) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    found = priority.changed([process.pid])
    assert found == ("" if request.node.callspec.id == "first" else f"nice {own + 7}, started with nice {own}")
