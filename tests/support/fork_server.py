"""weigh without its imports: a process that has made them once forks for each command that a test gives.

Importing numpy, scipy and pyarrow and compiling the templates of the page is more than half of the CPU time of a
command that measures nothing. What is forked is a process of its own all the same: with its working directory,
environment, streams, signals, and end.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

_MOST = 1 << 18
"""Bytes of a message: arguments and environment."""
_SERVER = "import sys; from support.fork_server import main; main(int(sys.argv[1]), sys.argv[2])"


class ForkServer:
    """The tests' end of it.

    Args:
        program: ``sys.argv[0]`` of the commands.
        environment: of the process that imports; each command has its own.
    """

    def __init__(self, program: Path, environment: dict[str, str]) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), environment.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _SERVER, str(theirs.fileno()), str(program)],
                stdin=subprocess.DEVNULL,
                env={**environment, "PYTHONPATH": path},
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)

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
        """End it."""
        self._channel.close()
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
    from weigh.experiment.report.html.page import page
    from weigh.experiment.results.results import experiment_results

    record = experiment_records.record()
    page(experiment_results([record]), record.samples, "evidence")
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
    sys.argv[:] = [program, *arguments]
    # Programs are told apart by this name, of other people's programs for one.
    Path("/proc/self/comm").write_text(Path(program).name)


def main(channel: int, program: str) -> None:
    """The server; in each of its forks, weigh."""
    _prepare()
    with socket.socket(fileno=channel) as listening:
        forked = serve(listening, program)
    if forked:
        from weigh.cli.main import main as command

        command()
