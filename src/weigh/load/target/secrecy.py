"""Where a password of a target may stand: not in the list of processes, which every user of the machine can read."""

from __future__ import annotations

import ctypes
import functools
import os
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from weigh.model.errors import UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from weigh.load.target.target import Reached
    from weigh.load.target.url import Url


class _ByUrl(Protocol):
    @property
    def url(self) -> Url: ...


_T = TypeVar("_T", bound=_ByUrl)
_P = ParamSpec("_P")

_LONGEST = 1 << 16
_ARGUMENTS = 46
"""Place of arg_end, behind that of arg_start, in /proc/self/stat behind the name (proc(5), fields 48 and 49)."""


def target_of_file(path: Path) -> str:
    """The target that a file names in its only line.

    Raises:
        UsageError: it cannot be read, holds something else, or others than its owner may read it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise UsageError(
            f"the file of the target cannot be read: {error.strerror}", where=str(path), remedy="name another"
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageError("the file of the target is no regular file", where=str(path), remedy="name another")
        if facts.st_mode & 0o077 or facts.st_uid not in (os.geteuid(), 0):
            raise UsageError(
                "others than you may read or write the file of the target, which may hold a password",
                where=str(path),
                remedy=f"chmod 600 {path}, as its owner",
            )
        lines = file.read(_LONGEST + 1).decode(errors="replace").split()
    if len(lines) != 1:
        raise UsageError(
            f"the file of the target holds {len(lines)} words, and not one target", where=str(path), remedy="mend it"
        )
    return lines[0]


def hide(secret_text: str, stand_in: str) -> bool:
    """Overwrite an argument of this process where the kernel reads it for the list of processes.

    Args:
        secret_text: the argument as it was given.
        stand_in: what may stand in its place.

    Returns:
        Whether it was overwritten. Whoever looked before may have seen it.
    """
    with suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[_ARGUMENTS - 1]), int(fields[_ARGUMENTS])
        given = Path("/proc/self/cmdline").read_bytes()
        # What is written over must be what the kernel shows.
        if not 0 < end - start <= len(given) or ctypes.string_at(start, end - start) != given[: end - start]:
            return False
        secret, done = os.fsencode(secret_text), False
        # As long as it was: what follows must not move.
        instead = os.fsencode(stand_in)[: len(secret)].ljust(len(secret), b" ")
        at = given.find(secret)
        while 0 <= at < end - start:
            ctypes.memmove(start + at, instead, len(secret))
            at, done = given.find(secret, at + len(secret)), True
        return done
    return False


def secrets(user: str | None, password: str | None) -> tuple[str, ...]:
    """What must not be repeated: a password, and as HTTP has it with its user."""
    return (password, f"{user or ''}:{password}") if password else ()


def hidden(
    reach: Callable[Concatenate[_T, _P], AbstractContextManager[Reached]],
) -> Callable[Concatenate[_T, _P], AbstractContextManager[Reached]]:
    """Reach a server, and hide its password in all errors until it is left: a server may repeat what it was given."""

    @contextmanager
    @functools.wraps(reach)
    def hiding(self: _T, /, *args: _P.args, **kwargs: _P.kwargs) -> Iterator[Reached]:
        before = WeighError.secrets
        WeighError.secrets = (*before, *secrets(self.url.user, self.url.password))
        try:
            with reach(self, *args, **kwargs) as reached:
                yield reached
        finally:
            WeighError.secrets = before

    return hiding
