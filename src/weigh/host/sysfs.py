"""The machine as files: everything the knobs read and set goes through here."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

ROOT = "WEIGH_ROOT"
"""Environment variable that names another root, for tests: a folder with a /proc and a /sys of its own."""
_PATIENCE = 20.0
"""Seconds that a program of the host may take to answer."""


class Machine:
    """Files of the kernel, under a root.

    Args:
        root: where its /proc and /sys are.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    @classmethod
    def here(cls) -> Machine:
        """This machine, or the one that WEIGH_ROOT names."""
        return cls(Path(os.environ.get(ROOT) or "/"))

    @property
    def real(self) -> bool:
        """Whether it is the one that this runs on."""
        return self.root == Path("/")

    def path(self, path: str) -> Path:
        """Where a file of the machine lies."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str | None:
        """What a file says, stripped; None where it cannot be read."""
        with suppress(OSError):
            return self.path(path).read_text(errors="replace").strip()
        return None

    def number(self, path: str) -> int | None:
        """The whole number that a file says; None where there is none."""
        with suppress(ValueError):
            return int(self.text(path) or "")
        return None

    def glob(self, pattern: str) -> list[str]:
        """Files and folders of that pattern, as paths of the machine, in order."""
        with suppress(OSError):
            return sorted(f"/{path.relative_to(self.root)}" for path in self.root.glob(pattern.lstrip("/")))
        return []

    def exists(self, path: str) -> bool:
        """Whether there is such a file."""
        return self.path(path).exists()

    def write(self, path: str, value: str) -> None:
        """Set a file of the kernel, in one write as it demands.

        Raises:
            OSError: there is no such file, or the kernel refuses the value.
        """
        # No O_CREAT: a knob that is not there must not be made.
        descriptor = os.open(self.path(path), os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(descriptor, f"{value}\n".encode())
        finally:
            os.close(descriptor)

    def program(self, pattern: str) -> Path | None:
        """A program by pattern of its path; on this machine by the search path too."""
        found = next((self.path(path) for path in self.glob(pattern)), None)
        by_name = shutil.which(Path(pattern).name) if found is None and self.real else None
        return Path(by_name) if by_name else found

    @staticmethod
    def ask(program: Path, *arguments: str) -> tuple[int, str]:
        """Exit code and output of a program; -1 where it could not be run."""
        try:
            done = subprocess.run(
                [str(program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return -1, str(error)
        # In the code page of its console; what matters in it is ASCII.
        return done.returncode, done.stdout.decode(errors="replace").strip()
