"""System calls by which one process touches another one, handed to weigh for a decision before the kernel makes them.

A filter of the kernel (``seccomp(2)``, user notification, Linux 5.5) is put on before an engine is imported, and holds
for everything that it starts. The calls are rare: whatever else a process asks the kernel for passes as before, and the
kernel knows that without running the filter.
"""

from __future__ import annotations

import ctypes
import platform
import struct
from typing import NamedTuple

SETPRIORITY, SETSCHEDULER, SETATTR, SETAFFINITY = "setpriority", "sched_setscheduler", "sched_setattr", "setaffinity"
KILL, TKILL, TGKILL, PIDFD_SIGNAL = "kill", "tkill", "tgkill", "pidfd_send_signal"
PTRACE, WRITE_MEMORY, CONTROL_FILE, ADVISE = "ptrace", "process_vm_writev", "fcntl", "fadvise64"
NAMES = (
    SETPRIORITY, SETSCHEDULER, SETATTR, SETAFFINITY, KILL, TKILL, TGKILL, PIDFD_SIGNAL, PTRACE, WRITE_MEMORY,
    CONTROL_FILE, ADVISE,
)  # fmt: skip
STOPPING = (9, 19, 20)
"""SIGKILL, SIGSTOP and SIGTSTP: what ends or stops whoever gets it. Servers send each other all others all the time."""
SET_LEASE = 1024
"""fcntl(2): the one command of many that is looked at."""
DONT_NEED = 4
"""posix_fadvise(2): to forget what is in memory of a file."""


class Processor(NamedTuple):
    """How a processor calls them.

    Attributes:
        architecture: as the kernel calls it.
        seccomp: number of that call.
        numbers: of the calls of :data:`NAMES`, in their order.
    """

    architecture: int
    seccomp: int
    numbers: tuple[int, ...]


PROCESSORS = {
    "x86_64": Processor(0xC000003E, 317, (141, 144, 314, 203, 62, 200, 234, 424, 101, 311, 72, 221)),
    "aarch64": Processor(0xC00000B7, 277, (140, 119, 274, 122, 129, 130, 131, 424, 117, 271, 25, 223)),
}
_ONLY: dict[str, tuple[int, tuple[int, ...]]] = {
    KILL: (1, STOPPING),
    TKILL: (1, STOPPING),
    TGKILL: (2, STOPPING),
    PIDFD_SIGNAL: (1, STOPPING),
    CONTROL_FILE: (1, (SET_LEASE,)),
    ADVISE: (3, (DONT_NEED,)),
}
"""Of some only those with one of these values in this argument."""
_NO_NEW_PRIVS, _FILTER_MODE, _LISTENER, _NO_SLOWER = 38, 1, 8, 4
_NOTIFY, _ALLOW = 0x7FC00000, 0x7FFF0000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06


def listen() -> int:
    """Put the filter on this thread and on all that it starts; the file by which the calls are decided, or -1."""
    processor = PROCESSORS.get(platform.machine())
    if processor is None:
        return -1
    libc = ctypes.CDLL(None, use_errno=True)
    program = list(_program(processor))
    content = b"".join(struct.pack("=HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(content, len(content))
    argument = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    for privileged in (True, False):
        # Who is not root may only restrict what gains no rights any more.
        if not privileged and libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
            return -1
        found = int(libc.syscall(processor.seccomp, _FILTER_MODE, _LISTENER | _NO_SLOWER, argument))
        if found >= 0:
            return found
        if ctypes.get_errno() != 13:  # EACCES: it is not root.
            return -1
    return -1


def _program(processor: Processor) -> list[tuple[int, int, int, int]]:
    """The filter: what is compared, and how far it jumps where that is so and where not."""
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, processor.architecture), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, 0)]
    for name, number in zip(NAMES, processor.numbers, strict=True):
        if name not in _ONLY:
            program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _NOTIFY)]
            continue
        place, values = _ONLY[name]
        those = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
        rest = [(_LOAD, 0, 0, 16 + 8 * place), *those, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOTIFY)]
        program += [(_EQUAL, 0, len(rest), number), *rest]
    return [*program, (_RETURN, 0, 0, _ALLOW)]
