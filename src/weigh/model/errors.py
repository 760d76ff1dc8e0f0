"""What can go wrong, as exceptions that carry their remedy.

::

    WeighError                exit code 2 unless stated otherwise
    ├── UsageError            the command line or weigh.toml is wrong
    ├── EnvironmentFault      the machine, the network, the disk or an environment of packages
    ├── EngineFault           an engine could not be opened, bound or read
    ├── DataFault             files are missing, damaged or not what the manifest says
    └── EvidenceFault         an evidence directory cannot be read
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from difflib import SequenceMatcher, get_close_matches
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_ALIKE = 0.7
"""Similarity of a word, from 0 to 1, from which it is near whatever it begins with."""


class ExitCode(IntEnum):
    """What the exit code of a command means.

    Attributes:
        OK: nothing found.
        FOUND: an answer diverged, a contender was disqualified (a finding of severity error), a check or ``verify``
            failed, two tables differ, ``doctor`` found a knob that spoils, an answer of ``load`` contradicts what was
            written, ``load --require`` found it BROKEN, or a contender is SLOWER past the margin of a declared baseline
            (``--baseline`` or in weigh.toml).
        FAILED: usage, environment or engine failure: no verdict could be made, for instance because no operation was
            answered by two contenders.
        INCONCLUSIVE: every verdict of wall time was refused, or the evidence is INADMISSIBLE, as that of a load with a
            refused run; ``--find-rate`` found no rate, or what ``--require`` names is OPEN; a question of ``--sql``
            or of a suite was not asked, and no operations were chosen; with ``--strict`` also where one verdict was
            refused or is unresolved.
        INTERRUPTED: ended by Ctrl-C; what was measured until then is kept, sealed. Another signal is 128 and its
            number.
        UNREAD: whoever read the output has ended, as ``head`` does.
    """

    OK = 0
    FOUND = 1
    FAILED = 2
    INCONCLUSIVE = 3
    INTERRUPTED = 130
    UNREAD = 141


class WeighError(Exception):
    """An expected failure: one clear sentence, where it happened, and what to do.

    Args:
        what: one sentence, no trailing full stop needed.
        where: a file, a contender, an operation; empty when the sentence says it already.
        remedy: what the reader can do next.
    """

    exit_code = ExitCode.FAILED
    secrets: ClassVar[tuple[str, ...]] = ()
    """Passwords with which servers are reached at present: one may repeat them in what it says."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        what = without_secrets(what)
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" if self.where else self.what


def without_secrets(text: str) -> str:
    """A text of a server without the passwords with which servers are reached at present."""
    if not WeighError.secrets:
        return text
    from weigh_worker.masking import masked

    return masked(text, WeighError.secrets)


@contextmanager
def with_remedies() -> Iterator[None]:
    """Errors of it have their remedy in the traceback, where no command line prints it."""
    try:
        yield
    except WeighError as error:
        if error.remedy:
            error.add_note(error.remedy)
        raise


class UsageError(WeighError):
    """The command line or weigh.toml asks for something that does not exist or contradicts itself."""


class EnvironmentFault(WeighError):
    """The machine, the network, the disk or an environment of packages stands in the way."""


class EngineFault(WeighError):
    """An engine could not be opened, bound to its tables, or read back."""


class DataFault(WeighError):
    """Files are missing, damaged, or not what their manifest says."""


class EvidenceFault(WeighError):
    """An evidence directory is missing something or cannot be read."""


_REMEDIES = {
    errno.ENOSPC: "free space there, or name another place",
    errno.EDQUOT: "your quota there is used up: free space, or name another place",
    errno.EFBIG: "files may not become so large there: see ulimit -f, or name another place",
    errno.EROFS: "it is mounted read-only: name another place",
    errno.EACCES: "name a place that you may use, or change its permissions",
    errno.EPERM: "name a place that you may use, or change its permissions",
    errno.ENOENT: "name a folder that is there, or make it",
    errno.ENOTDIR: "name a folder that is there, or make it",
    errno.EISDIR: "it is a folder: name a file",
    errno.ENAMETOOLONG: "name a shorter path",
    errno.ELOOP: "its symbolic links lead in a circle: name another path",
    errno.EIO: "the disk or its connection fails: see dmesg, and name another place",
    errno.EMFILE: "raise the limit of open files: ulimit -n",
    errno.ENFILE: "the machine has too many files open: end other programs",
    errno.ENOMEM: "end other programs, or give this one more memory",
    errno.EAGAIN: "raise the limit of processes: ulimit -u, or pids.max of its control group",
}


def refusal(error: OSError) -> str:
    """The error of the system, in its words: libraries put their own around them."""
    words = error.strerror or str(error)
    return os.strerror(error.errno) if error.errno and "errno" in words else words


_PLACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM)


def remedy_of(error: OSError, *, temporary: bool = False) -> str:
    """What the reader can do where the system refused.

    Args:
        error: the refusal.
        temporary: whether it is of a folder for temporary files, which no command names.
    """
    if "temporary directory" in (error.strerror or "") or (temporary and error.errno in _PLACE):
        return "set TMPDIR to a folder that you may write, with free space"
    return _REMEDIES.get(error.errno or 0, "check the space and the permissions there")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word, or lists what is known when nothing is near."""
    names = sorted(set(known))
    for close in get_close_matches(word, names, n=3, cutoff=0.5):
        # Words of other beginnings are near only where most of their letters are the same: "suites" is not "lies".
        if close[:1].lower() == word[:1].lower() or SequenceMatcher(None, word, close).ratio() >= _ALIKE:
            return f"did you mean '{close}'?"
    return f"known: {', '.join(names)}" if names else "nothing is known here"
