"""Files that are there whole or not at all: written aside, made durable, renamed.

A full disk, a kill and a power cut leave what was there before as it was. What a killed process left aside is removed
by the next one that writes in the folder: its lock has ended with it.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import EnvironmentFault, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIX = ".weigh-aside"
_NAME = 40
"""Characters of the final name that the name aside begins with: together they fit any file system."""
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.ENOSYS)


def check_place(path: Path, what: str) -> None:
    """See that a file can be written at the end, before the work whose result it will hold.

    Args:
        path: of the file.
        what: it will hold, for people: ``the answers cannot be pinned``.

    Raises:
        EnvironmentFault: there is no such folder, or nobody may write in it.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # What really happens says more than modes do: a file system may be mounted to be read alone.
        with _made(path, 0o600):
            pass
    except OSError as error:
        raise EnvironmentFault(
            f"{what}: {error.strerror}", where=str(path), remedy="name a file that can be written"
        ) from error


def write(path: Path, content: bytes, *, mode: int = 0o666, follow: bool = True) -> None:
    """Write a file; arguments and errors as of :func:`aside`."""
    with aside(path, mode=mode, follow=follow) as place:
        place.write_bytes(content)


def add(path: Path, content: bytes, *, mode: int = 0o666) -> bool:
    """Write a file where there is none.

    Returns:
        Whether there was none: what is there is never replaced.

    Raises:
        OSError: as of :func:`aside`.
    """
    with _named(path), _made(path, mode) as place:
        place.write_bytes(content)
        _durable(place)
        try:
            os.link(place, path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # A file system without links: who writes at the same moment is not observed.
            if path.exists():
                return False
            place.rename(path)
    return True


@contextmanager
def aside(path: Path, *, mode: int = 0o666, follow: bool = True) -> Iterator[Path]:
    """An empty file to be filled by name, which takes the place of another at the end, or goes.

    Args:
        path: the final name. A file there is replaced and its mode stays; a pipe or device is written as it is.
        mode: of a new file, before the umask.
        follow: of a symbolic link there, whether the file that it names is written and not the link replaced.

    Raises:
        OSError: it cannot be written; ``filename`` is the final name.
    """
    with _named(path):
        found = _mode(path, follow)
        if found is not None and stat.S_ISDIR(found):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if found is not None and not stat.S_ISREG(found) and not stat.S_ISLNK(found):
            yield path
            return
        final = Path(os.path.realpath(path)) if follow else path
        with _made(final, mode) as place:
            yield place
            if found is not None and stat.S_ISREG(found):
                place.chmod(stat.S_IMODE(found))
            _durable(place)
            place.rename(final)


def _mode(path: Path, follow: bool) -> int | None:
    """Kind and permissions of what is there; None where there is nothing."""
    try:
        return path.stat(follow_symlinks=follow).st_mode
    except FileNotFoundError:
        return None


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors name the file that the user knows."""
    try:
        yield
    except OSError as error:
        named = error.filename is None or _SUFFIX in str(error.filename) or str(error.filename) == str(path)
        if not named:
            raise
        raise OSError(error.errno or errno.EIO, refusal(error), str(path)) from error


@contextmanager
def _made(final: Path, mode: int) -> Iterator[Path]:
    folder = final.parent
    _sweep(folder)
    while True:
        place = folder / f".{final.name[:_NAME]}-{secrets.token_hex(4)}{_SUFFIX}"
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Else another process took it for left behind before it was locked.
        if os.fstat(descriptor).st_nlink:
            break
        os.close(descriptor)
    try:
        yield place
    finally:
        with suppress(OSError):
            place.unlink()
        os.close(descriptor)


def _durable(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@functools.cache
def _sweep(folder: Path) -> None:
    """Remove what killed processes left aside in a folder: what nobody holds a lock on."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIX) and entry.name.startswith("."):
                _remove(Path(entry.path))


def _remove(path: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
        finally:
            os.close(descriptor)
