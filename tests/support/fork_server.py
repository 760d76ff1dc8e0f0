"""weigh without its imports: a process that has made them once forks for each command that a test gives.

Importing numpy, scipy and pyarrow and compiling the templates of the page is more than half of the CPU time of a
command that measures nothing. What is forked is a process of its own all the same: with its working directory,
environment, streams, signals, and end. All workers of a session share it: each has a fork of it that serves it alone.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 1 << 18
"""Bytes of a message: arguments and environment."""
_SERVER = "import sys; from support.fork_server import main; main(*map(int, sys.argv[1:3]), sys.argv[3])"


class ForkServer:
    """The tests' end of it.

    Args:
        program: ``sys.argv[0]`` of the commands.
        environment: of the process that imports; each command has its own.
        name: by which the workers of this session find it; the first of them starts it.
    """

    def __init__(self, program: Path, environment: dict[str, str], name: str) -> None:
        # Of the kernel's own namespace: it is gone when the server is.
        address = f"\0weigh-tests-{name}"
        self._process: subprocess.Popen[bytes] | None = None
        self._lifeline: socket.socket | None = None
        self._channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        while self._channel.connect_ex(address):
            # One of those who try it at the same moment succeeds; whoever connects before it has imported waits.
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
                listening.bind(address)
                listening.listen()
                self._start(program, environment, listening)
        atexit.register(self.close)

    def _start(self, program: Path, environment: dict[str, str], listening: socket.socket) -> None:
        self._lifeline, theirs = socket.socketpair()
        path = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), environment.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _SERVER, str(listening.fileno()), str(theirs.fileno()), str(program)],
                stdin=subprocess.DEVNULL,
                env={**environment, "PYTHONPATH": path},
                pass_fds=[listening.fileno(), theirs.fileno()],
            )

    def run(
        self, arguments: tuple[str, ...], folder: Path, environment: dict[str, str], timeout: float
    ) -> tuple[int, str, str]:
        """One command, from begin to end.

        Returns:
            Exit code, or minus the signal that ended it; standard output; standard error.

        Raises:
            TimeoutError: it took longer, and was killed.
        """
        request = json.dumps({"arguments": arguments, "folder": str(folder), "environment": environment}).encode()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            socket.send_fds(self._channel, [request], [out.fileno(), err.fileno()])
            pid = self._reply()
            self._channel.settimeout(timeout)
            try:
                code = self._reply()
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._channel.settimeout(None)
                self._reply()
                raise TimeoutError(f"weigh {' '.join(arguments)} took longer than {timeout:g} s") from None
            finally:
                self._channel.settimeout(None)
            out.seek(0)
            err.seek(0)
            return code, out.read().decode(), err.read().decode()

    def _reply(self) -> int:
        reply = self._channel.recv(_MOST)
        assert reply, "the process that forks is gone"
        return int(reply)

    def close(self) -> None:
        """End it; what it forked for other workers goes on."""
        self._channel.close()
        if self._process and self._lifeline:
            self._lifeline.close()
            self._process.wait()


def _prepare() -> None:
    """Import all of weigh but what runs in other environments, and compile the templates."""
    import weigh

    for module in pkgutil.walk_packages(weigh.__path__, "weigh."):
        if not {"adapter", "__main__"} & set(module.name.split(".")):
            importlib.import_module(module.name)

    # Imported by a command where it reads a query; nobody else needs it.
    importlib.import_module("sqlglot.dialects.duckdb")
    from support import experiment_records
    from weigh.cluster import versions
    from weigh.engines import engine, prepared
    from weigh.experiment.report.html.page import page
    from weigh.experiment.results.results import experiment_results

    record = experiment_records.record()
    page(experiment_results([record]), record.samples, "evidence")
    # What they import and read is imported and read once.
    engine.installed()
    prepared.cache_folder()
    versions.versions()
    # What there is by now stays: the forks need not look through it for garbage.
    gc.freeze()


def serve(channel: socket.socket, program: str) -> bool:
    """Fork for each request; in the fork it returns True, and in the server False at the end."""
    while True:
        request, streams, _, _ = socket.recv_fds(channel, _MOST, 2)
        if not request:
            return False
        pid = os.fork()
        if not pid:
            channel.close()
            _become(json.loads(request), streams, program)
            return True
        for stream in streams:
            os.close(stream)
        channel.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(request: dict[str, object], streams: list[int], program: str) -> None:
    """What exec would have done."""
    arguments, environment = request["arguments"], request["environment"]
    assert isinstance(arguments, list)
    assert isinstance(environment, dict)
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(str(request["folder"]))
    os.environ.clear()
    os.environ.update(environment)
    # Where it puts temporary files, and plug-ins that it alone finds.
    tempfile.tempdir = None
    sys.path[:0] = [one for one in environment.get("PYTHONPATH", "").split(os.pathsep) if one and one not in sys.path]
    sys.argv[:] = [program, *arguments]
    # Programs are distinguished by this name, of other people's programs for one.
    Path("/proc/self/comm").write_text(Path(program).name)


def _fork_for_each(listening: socket.socket, lifeline: socket.socket) -> socket.socket | None:
    """A fork for each worker, in which it returns the channel to it; None at the end, when who began it is gone."""
    while True:
        ready, _, _ = select.select([listening, lifeline], [], [])
        if lifeline in ready:
            return None
        channel, _ = listening.accept()
        if not os.fork():
            listening.close()
            lifeline.close()
            return channel
        channel.close()


def main(listening: int, lifeline: int, program: str) -> None:
    """The server, or its fork for one worker; in each fork of that, weigh."""
    _prepare()
    channel = _fork_for_each(socket.socket(fileno=listening), socket.socket(fileno=lifeline))
    if channel is None:
        return
    with channel:
        forked = serve(channel, program)
    if forked:
        from weigh.cli.main import main as command

        _end(command)


def _end(command: Callable[[], None]) -> NoReturn:
    """End as the interpreter would, but for taking every module apart: each page of them would be copied for that."""
    code: object = 0
    try:
        command()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else 1)
