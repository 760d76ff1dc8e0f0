"""weigh with one call of the system that fails, and what must be true afterwards."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from faults.plain import door
from support.command import WEIGH, Weigh

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = {
    "write": errno.ENOSPC,
    "sync": errno.EIO,
    "rename": errno.EIO,
    "open": errno.ENOSPC,
    "allocate": errno.ENOMEM,
}
"""What can fail, and how it does."""
_ALWAYS = 1 << 40
_LIMIT = 300


@functools.cache
def shim() -> Path:
    """The library that makes calls fail, compiled once a session of tests."""
    source = Path(__file__).with_name("shim.c")
    name = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    made = Path(tempfile.gettempdir(), f"weigh-faults-{os.getuid()}-{name}.so")
    if not made.exists():
        own = made.with_suffix(f".{os.getpid()}")
        # Who builds weigh has it: Rust links with it.
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(own), str(source), "-ldl"], check=True)
        own.rename(made)
    return made


@dataclass(frozen=True)
class Fault:
    """Which calls fail.

    Attributes:
        kind: of :data:`KINDS`.
        number: the first that fails, from 1; 0 is none.
        lasting: whether all later ones fail too, as on a disk that is full.
    """

    kind: str
    number: int
    lasting: bool = False

    def environment(self, count: Path) -> dict[str, str]:
        """For the command; ``count`` gets how many calls there were."""
        last = _ALWAYS if self.lasting else self.number
        return {
            "LD_PRELOAD": str(shim()),
            "WEIGH_FAULT": f"{self.kind}:{self.number}:{KINDS[self.kind]}:{last}:{count}",
        }


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: exit code; negative the signal that ended it.
        out: standard output.
        err: standard error.
        calls: how many of each kind there were; empty where the process could not say.
    """

    code: int
    out: str
    err: str
    calls: dict[str, int]


class Place:
    """A folder in which weigh works, with its own temporary folder and cache.

    Args:
        folder: is made.
        **environment: what else weigh is told.
    """

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.scratch = folder.with_name(f"{folder.name}-tmp")
        for path in (folder, self.scratch):
            path.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ, **_own(self.scratch), "NO_COLOR": "1", "WEIGH_SHRINK": "no", "WEIGH_SETTLE": "0s",
            "WEIGH_CONTENTION": "100%", "WEIGH_CALIBRATION": "no", **environment,
        }  # fmt: skip

    def __call__(self, *words: str, fault: Fault | None = None, **environment: str) -> Ended:
        """Give a command, with a fault or none.

        Raises:
            AssertionError: it ended as no command may end, or left processes, or files of its own.
        """
        if fault is None:
            return self._whole(words)
        count = self.scratch / "count"
        count.unlink(missing_ok=True)
        own = {**self.environment, **environment, **(fault.environment(count) if fault else {})}
        process = subprocess.Popen(
            [str(WEIGH), *words], cwd=self.folder, env=own, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        try:
            out, err = process.communicate(timeout=_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"weigh {words} with {fault} has no end") from None
        lines = count.read_text().splitlines() if count.exists() else []
        calls = {kind: int(number) for kind, number in map(str.split, lines)}
        count.unlink(missing_ok=True)
        ended = Ended(process.returncode, out, err, calls)
        self._check(words, fault, ended, process.pid)
        return ended

    def _whole(self, words: tuple[str, ...]) -> Ended:
        """A command in which nothing fails: by a process that has imported weigh, which no library is put before."""
        weigh = Weigh(self.folder)
        weigh.environment = self.environment
        run = weigh(*words, timeout=_LIMIT)
        ended = Ended(run.code, run.out, run.err, {})
        self._check(words, None, ended, -1)
        return ended

    def _check(self, words: Sequence[str], fault: Fault | None, ended: Ended, session: int) -> None:
        where = f"weigh {' '.join(words)} with {fault}: {ended.code}: {ended.err[-3000:]}"
        said = ended.out + ended.err
        assert "internal error" not in said, where
        assert "Traceback" not in said, where
        # Libraries written in other languages end the process where memory is refused them.
        aborted = ended.code < 0 and fault is not None and fault.kind == "allocate"
        assert ended.code in (0, 1, 2, 3) or aborted, where
        assert ended.code != 2 or "error: " in ended.err, where
        assert not (left := members(session)), f"{where}: left running {left}"
        if not aborted:
            ours = [str(path) for path in self.folder.rglob("*.weigh-aside")]
            ours += [path.name for path in self.scratch.glob("weigh-*")]
            assert not ours, f"{where}: left {ours}"

    def copied(self, other: Path) -> Place:
        """A place with the same files."""
        shutil.copytree(self.folder, other, symlinks=True, dirs_exist_ok=True)
        made = Place(other)
        made.environment = {**self.environment, **_own(made.scratch)}
        return made


def _own(scratch: Path) -> dict[str, str]:
    return {"TMPDIR": str(scratch), "WEIGH_LOCK": str(scratch / "lock"), "PYTHONPATH": door(scratch / "door")}


def members(session: int) -> list[str]:
    """Processes of a session that still run, by their command lines."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append((stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except (OSError, IndexError):
            continue
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def numbers(calls: int, share: int) -> list[int]:
    """Which calls fail: all, or so many of them, the first and the last among them.

    Args:
        calls: how many there are.
        share: how many are chosen; 0 is all.
    """
    if not share or share >= calls:
        return list(range(1, calls + 1))
    return sorted({1 + round(at * (calls - 1) / (share - 1)) for at in range(share)})
