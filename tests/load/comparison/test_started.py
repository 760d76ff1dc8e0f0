"""Contenders by URL that a command starts: every life is a fresh one, and only that command's processes are ended."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from support.command import RAN, Weigh
from support.servers.process import free_port, listens
from support.servers.valkey_cluster import program

if TYPE_CHECKING:
    from pathlib import Path

SHORT = ("--closed", "--duration", "200ms", "--warmup", "0s", "--connections", "2", "--records", "100", "--quiet")


def _command(folder: Path, port: int) -> str:
    folder.mkdir()
    words = [str(program()), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    return shlex.join(words)


def _contenders(weigh: Weigh, ports: tuple[int, int]) -> list[str]:
    found = []
    for name, port in zip("ab", ports, strict=True):
        found += ["--contender", f"{name}=valkey://127.0.0.1:{port}"]
        found += ["--start-command", f"{name}={_command(weigh.folder / name, port)}"]
    return found


@pytest.mark.long
def test_each_block_is_a_life_and_nothing_is_left(weigh: Weigh) -> None:
    # Both at one place, as two versions of one installation are: they are never there together.
    port = free_port()
    run = weigh("load", "ycsb-a", *_contenders(weigh, (port, port)), "--blocks", "5", *SHORT, "--json", "--same-engine")
    assert run.code in RAN, run.err
    assert "T10.starts: " not in run.err
    assert "T10.one_life" not in {one["code"] for one in run.json["tier"]["reasons"]}
    assert not listens(port)


def test_one_life_a_run_and_the_other_processes_stay(weigh: Weigh) -> None:
    ports = (free_port(), free_port())
    # Of the same program, and none of the command's: it is not to be touched.
    other = subprocess.Popen([*shlex.split(_command(weigh.folder / "other", free_port()))], stdout=subprocess.DEVNULL)
    try:
        run = weigh("load", "ycsb-c", *_contenders(weigh, ports), "--blocks", "1", "--no-twice", *SHORT, "--json")
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
    assert run.code in RAN, run.err
    assert "T10.starts: " not in run.err
    assert not any(map(listens, ports))


def test_each_repeat_of_one_server_is_a_life_that_the_command_begins(weigh: Weigh) -> None:
    port = free_port()
    one = ("--target", f"valkey://127.0.0.1:{port}", "--start-command", _command(weigh.folder / "one", port))
    run = weigh("load", "ycsb-c", *one, "--repeats", "2", *SHORT, "--json")
    assert run.code in RAN, run.err
    assert "T10.one_life" not in run.codes
    assert [one["life"] for one in run.json["runs"]] == [1, 2]
    assert not listens(port)


@pytest.mark.parametrize(("target", "command"), [("valkey:embedded", "true"), ("valkey://127.0.0.1:1", " ")])
def test_a_command_of_one_server_that_cannot_start_it(weigh: Weigh, target: str, command: str) -> None:
    run = weigh("load", "ycsb-c", "--target", target, "--start-command", command, *SHORT)
    assert run.code == 2
    assert "--start-command" in run.err


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("a=exit 3", "ended with 3 before the server answered"),
        ("a=echo no such luck; exit 1", "no such luck"),
        ("c=true", "names no contender"),
        ("a=", "the command of a is empty"),
        ("b=true", "is started by weigh itself"),
    ],
)
def test_a_command_that_starts_nothing_is_said(weigh: Weigh, command: str, why: str) -> None:
    two = ("--contender", f"a=valkey://127.0.0.1:{free_port()}", "--contender", "b=valkey:embedded")
    run = weigh("load", "ycsb-c", *two, "--start-command", command, "--blocks", "1", *SHORT)
    assert run.code == 2
    assert why in " ".join(run.err.split()), run.err


def test_several_servers_are_contenders(weigh: Weigh) -> None:
    two = ("--target", "a=valkey://127.0.0.1:1", "--target", "b=valkey://127.0.0.1:2")
    run = weigh("load", "ycsb-c", *two, "--rate", "10", *SHORT[1:])
    assert run.code == 2
    assert "--contender NAME=TARGET" in run.err


def test_a_server_that_runs_already_is_not_taken_for_a_fresh_one(weigh: Weigh) -> None:
    port = free_port()
    words = shlex.split(_command(weigh.folder / "running", port))
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        while not listens(port):
            os.sched_yield()
        two = ("--contender", f"a=valkey://127.0.0.1:{port}", "--contender", "b=valkey:embedded")
        run = weigh("load", "ycsb-c", *two, "--start-command", "a=true", "--blocks", "1", *SHORT)
        assert server.poll() is None
    finally:
        server.kill()
        server.wait()
    assert run.code == 2
    assert "answers there already" in run.err


def test_a_server_that_left_its_process_group_ends_with_its_life(weigh: Weigh) -> None:
    port = free_port()
    command = _command(weigh.folder / "a", port)
    two = ("--contender", f"a=valkey://127.0.0.1:{port}", "--contender", "b=valkey:embedded", "--same-engine")
    words = (
        "--start-command",
        f"a=timeout 300 setsid {command} & wait",
        "--blocks",
        "2",
        "--no-twice",
        *SHORT,
        "--json",
    )
    run = weigh("load", "ycsb-c", *two, *words)
    assert run.code in RAN, run.err
    assert not listens(port)


def test_a_server_ends_with_weigh_however_that_ends(weigh: Weigh) -> None:
    port = free_port()
    command = _command(weigh.folder / "a", port)
    program = (
        "import sys, time; from pathlib import Path; from weigh.load.target.registry import target; "
        "from weigh.load.target.started import StartedByCommand\n"
        f"with StartedByCommand(target('valkey://127.0.0.1:{port}'), 'setsid --wait {command}').reach(Path('.'), 1):\n"
        "    print('begun', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=weigh.folder) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"begun\n"
            assert listens(port)
        finally:
            process.kill()
    until = time.monotonic() + 10
    while listens(port) and time.monotonic() < until:
        time.sleep(0.05)
    assert not listens(port)


@pytest.mark.long
def test_what_a_server_refuses_is_said_at_once(weigh: Weigh) -> None:
    port = free_port()
    command = _command(weigh.folder / "a", port) + " --requirepass secret"
    two = ("--contender", f"a=valkey://127.0.0.1:{port}", "--contender", "b=valkey:embedded")
    run = weigh("load", "ycsb-c", *two, "--start-command", f"a={command}", "--blocks", "1", *SHORT)
    assert run.code == 2
    said = " ".join(run.err.split())
    assert "cannot be used" in said and "NOAUTH" in said and "REDISCLI_AUTH" in said
    assert not listens(port)


def test_a_server_that_outlives_its_command_is_said(weigh: Weigh) -> None:
    port = free_port()
    # Without its environment, and under a parent that is not the command's: as a service of the machine is.
    command = (
        f"(env -i setsid {_command(weigh.folder / 'a', port)} --pidfile {weigh.folder}/pid --daemonize yes); sleep 60"
    )
    two = ("--contender", f"a=valkey://127.0.0.1:{port}", "--contender", "b=valkey:embedded", "--same-engine")
    run = weigh("load", "ycsb-c", *two, "--start-command", f"a={command}", "--blocks", "1", "--no-twice", *SHORT)
    os.kill(int((weigh.folder / "pid").read_text()), signal.SIGKILL)
    assert run.code == 2
    assert "still answers there" in " ".join(run.err.split())
