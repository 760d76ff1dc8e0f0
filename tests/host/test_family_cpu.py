"""CPU of a family: what its children used counts, ended or alive, whoever is their parent; that of others does not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually
from weigh.host import processes
from weigh.host.processes import family_cpu, server_ties

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "WEIGH_TEST_FAMILY=of-this-test"
BURN = "import time\nwhile time.process_time() < 0.2: pass\n"
PARENT = f"""
import subprocess, sys, time
burn = [sys.executable, "-S", "-c", {BURN!r}]
for line in sys.stdin:
    if line == "child\\n":
        subprocess.run(burn, check=True)
    elif line == "orphan\\n":
        # Of a session of its own, and its parent ends at once.
        subprocess.run(["setsid", "sh", "-c", '"$@" </dev/null >/dev/null 2>&1 & wait', "sh", *burn], check=True)
    elif line == "itself\\n":
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
    print("done", flush=True)
"""


class Parent:
    """A process that works, or has others work, when it is told to."""

    def __init__(self) -> None:
        name, value = MARK.split("=")
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", PARENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, name: value},
            start_new_session=True,
            text=True,
        )

    def tell(self, what: str) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


@pytest.fixture
def parent() -> Iterator[Parent]:
    one = Parent()
    yield one
    one.process.kill()
    one.process.communicate()


@pytest.fixture(params=["as it can be here", "added up"])
def account(parent: Parent, request: pytest.FixtureRequest) -> Iterator[family_cpu.FamilyCpu]:
    pid = parent.process.pid
    made = family_cpu.account(pid, MARK) if request.param != "added up" else family_cpu.Processes(pid, MARK)
    yield made
    made.close()


@pytest.mark.parametrize("what", ["itself", "child", "orphan"])
def test_whoever_of_the_family_works_is_counted(parent: Parent, account: family_cpu.FamilyCpu, what: str) -> None:
    before = account.seconds()
    parent.tell(what)
    assert 0.15 < account.seconds() - before < 2.0


@pytest.mark.long
def test_who_is_no_member_is_not_counted(parent: Parent, account: family_cpu.FamilyCpu) -> None:
    parent.tell("nothing")
    before = account.seconds()
    subprocess.run([sys.executable, "-S", "-c", BURN], check=True)
    assert account.seconds() - before < 0.1
    assert account.pids() == [parent.process.pid]


def test_what_an_ended_family_used_does_not_shrink(parent: Parent, account: family_cpu.FamilyCpu) -> None:
    parent.tell("child")
    before = account.seconds()
    parent.process.kill()
    parent.process.wait()
    assert account.seconds() >= before
    eventually(lambda: not account.pids())


@pytest.mark.promise("Only a process with a tie to the worker is believed")
def test_only_a_process_with_a_tie_can_be_a_server(parent: Parent) -> None:
    worker = os.getpid()
    assert server_ties.untied(1, worker, [worker]) == "it is the first process of the machine"
    assert server_ties.untied(os.getpid(), parent.process.pid, []) == "it is weigh itself"
    assert server_ties.untied(os.getppid(), parent.process.pid, []) == "weigh itself descends from it"
    assert server_ties.untied(2**22 - 1, worker, []) == "there is no such process"
    # It began after the one that names it, as a server does that was started for it.
    assert server_ties.untied(parent.process.pid, worker, []) == ""


@pytest.mark.parametrize("accepts", ["0", "0.5"], ids=["at once", "later"])
def test_a_server_that_was_there_before_is_known_by_its_connection(accepts: str) -> None:
    """A process of a machine that has run for long, and one that connects to it."""
    server = subprocess.Popen([sys.executable, "-S", "-c", SERVER, accepts], stdout=subprocess.PIPE, text=True)
    assert server.stdout
    port = server.stdout.readline().strip()
    time.sleep(0.05)
    clients = [
        subprocess.Popen([sys.executable, "-S", "-c", CLIENT, where], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for where in (port, "")
    ]
    try:
        for one in clients:
            assert one.stdout
            assert one.stdout.readline() == b"there\n"
        connected, stranger = (one.pid for one in clients)
        assert processes.family(server.pid)[0].started < processes.family(stranger)[0].started
        assert server_ties.untied(server.pid, connected, [connected]) == ""
        assert server_ties.untied(server.pid, stranger, [stranger]) == (
            "it was there before, and no connection leads to it"
        )
    finally:
        for one in (*clients, server):
            one.kill()
            one.communicate()


SERVER = """
import socket, sys, time
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    time.sleep(float(sys.argv[1]))
    kept = [server.accept()]
    time.sleep(60)
"""
CLIENT = """
import socket, sys
kept = socket.create_connection(("127.0.0.1", int(sys.argv[1]))) if sys.argv[1] else None
print("there", flush=True)
sys.stdin.read()
"""
