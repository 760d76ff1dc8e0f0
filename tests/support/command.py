"""weigh as a user would call it, for tests of the command line."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.fork_server import ForkServer
from weigh.engines.prepared import cache_folder

WEIGH = Path(sys.executable).with_name("weigh")
BYTECODE = cache_folder().absolute() / "bytecode"
"""Of weigh itself: the tree stays clean, and no command compiles again what it imports, which is half of its work."""


@dataclass(frozen=True)
class Run:
    """What a command did.

    Attributes:
        code: exit code.
        out: standard output.
        err: standard error.
        folder: working directory it ran in.
    """

    code: int
    out: str
    err: str
    folder: Path

    @property
    def json(self) -> dict[str, Any]:
        """The one document on standard output."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def codes(self) -> set[str]:
        """Codes of the findings."""
        return {finding["code"] for finding in self.json["findings"]}

    @property
    def evidence(self) -> Path:
        """The evidence directory of the only attempt."""
        (found,) = (self.folder / "runs").iterdir()
        return found


RAN = (0, 3)
"""Exit codes of what measured: whether it may be concluded from depends on starts, and on who else used the machine."""

MEASURING = (("run",), ("gate",), ("ladder",), ("load",))
"""Commands that make evidence."""


@functools.cache
def _fork_server(kind: str) -> ForkServer:
    """One for what makes evidence and one for what reads it: their hashes of strings have two seeds.

    What depended on the order of a set would be the same in all forks of one process.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID", os.getpid())
    return ForkServer(WEIGH, {**environment, "PYTHONPYCACHEPREFIX": str(BYTECODE)}, f"{session}-{kind}")


class Weigh:
    """The command, in a folder of its own.

    Args:
        folder: where it runs.
        forked: by a process that has imported weigh, which is half of the work of most commands; else executed.
    """

    def __init__(self, folder: Path, *, forked: bool = True) -> None:
        self.folder = folder
        self.forked = forked
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "PYTHONPYCACHEPREFIX": str(BYTECODE),
            # Measurements of several tests at once disturb each other, and no test asserts a time.
            "WEIGH_LOCK": str(folder / "weigh.lock"),
            "NO_COLOR": "1",
            # A minute for every divergence that a test is not about.
            "WEIGH_SHRINK": "no",
            # The tests alongside it never rest: no use in waiting for them.
            "WEIGH_SETTLE": "0s",
            # Nor is there a CPU that nobody else uses.
            "WEIGH_CONTENTION": "100%",
            # A third of a second between blocks, for the tests that are about it.
            "WEIGH_CALIBRATION": "no",
            # What a test finds must not depend on which came before it.
            "WEIGH_REUSE_GATE": "no",
        }

    def __call__(self, *arguments: str, timeout: float = 300, **environment: str) -> Run:
        own = {**self.environment, **environment}
        if self.forked:
            server = _fork_server("measures" if arguments[:1] in MEASURING else "judges")
            code, out, err = server.run(arguments, self.folder, own, timeout)
        else:
            command = [str(WEIGH), *arguments]
            done = subprocess.run(
                command, cwd=self.folder, env=own, capture_output=True, text=True, timeout=timeout, check=False
            )
            code, out, err = done.returncode, done.stdout, done.stderr
        assert "Traceback" not in err, err
        return Run(code, out, err, self.folder)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """The command in the background, for tests that end it."""
        return subprocess.Popen(
            [str(WEIGH), *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
