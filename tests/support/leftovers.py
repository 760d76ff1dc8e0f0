"""What a killed weigh may leave behind: processes, folders, control groups, shared memory, locks."""

from __future__ import annotations

import fcntl
import os
import subprocess
from contextlib import suppress
from pathlib import Path

from support.command import Weigh
from support.waiting import eventually

KILLS = int(os.environ.get("WEIGH_KILLS") or 60)
"""Of runs and of loads each, by `make test-long`."""


def alone(folder: Path, cache: Path) -> Weigh:
    """weigh in a folder of its own, with a temporary folder and a cache that no other test writes to."""
    # Not below the test's folder: the path of a socket may have 107 bytes.
    weigh = Weigh(folder, forked=False)
    place = folder / "t"
    place.mkdir()
    # A server runs as another user, and looks through it.
    place.chmod(0o777)
    weigh.environment |= {"TMPDIR": str(place), "WEIGH_CACHE": str(cache)}
    return weigh


def killed(weigh: Weigh, seconds: float, *asked: str) -> subprocess.Popen[str]:
    """weigh, killed after so long, or at its end; none of its processes is left."""
    running = weigh.start(*asked)
    with suppress(subprocess.TimeoutExpired):
        running.wait(seconds)
    running.kill()
    running.communicate()
    eventually(lambda: not processes(weigh.folder, running.pid))
    return running


def nothing_recorded(weigh: Weigh, attempt: Path) -> bool:
    """Whether it was killed before its first write was whole; then weigh says so, and does not count it."""
    journal = attempt / "journal.jsonl"
    there = journal.exists()
    if there and b"\n" in journal.read_bytes():
        return False
    report = weigh("report", str(attempt))
    assert report.code == 2
    assert ("it was killed before the first write" if there else "there is no evidence in it") in report.err
    assert attempt.name not in weigh("runs").out
    return True


def processes(folder: Path, pid: int) -> list[int]:
    """What still runs of a weigh: what inherited its environment, what is in its group, servers in its folders."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            own = os.fsencode(folder) in (process / "environ").read_bytes()
            command = (process / "cmdline").read_bytes()
            if own or f"weigh-load-{pid}-".encode() in command or f"-{pid}-".encode() in command:
                found.append(int(process.name))
    return [one for one in found if one != os.getpid()]


def folders(weigh: Weigh, pid: int) -> list[Path]:
    """What lies in its temporary folder, in those that all share under its number, and half made in its cache."""
    shared = [path for place in ("/tmp", "/var/tmp", "/dev/shm") for path in Path(place).glob(f"weigh-*-{pid}-*")]
    cache = Path(weigh.environment["WEIGH_CACHE"])
    made = [
        path for path in cache.rglob("*") if path.name.startswith(("making-", "copying-")) or f"-{pid}-" in path.name
    ]
    groups = list(Path("/sys/fs/cgroup").rglob(f"weigh-{pid}-*"))
    return [*Path(weigh.environment["TMPDIR"]).iterdir(), *shared, *made, *groups]


def segments() -> set[str]:
    """Shared memory that nobody is attached to any more, by its System V id, and by its file of PostgreSQL's."""
    lines = (line.split() for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:])
    unattached = {f"shmid {line[1]}" for line in lines if line[6] == "0" and not Path("/proc", line[4]).exists()}
    return unattached | {path.name for path in Path("/dev/shm").glob("PostgreSQL.*") if not _mapped(path)}


def _mapped(path: Path) -> bool:
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            if os.fsencode(path) in maps.read_bytes():
                return True
    return not path.exists()


def locked(path: Path) -> bool:
    """Whether somebody holds the lock of measurements, or the file names one who held it."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return bool(file.read())
