"""Confinement: a process that the kernel lets read and write some folders only, and reach no other host.

For SQL that others wrote. Files are bounded by Landlock (Linux 5.13, ``landlock(7)``), sockets by a filter of system
calls (``seccomp(2)``); neither needs rights, and neither can be taken back, by what is executed afterwards least of
all. Only the calling thread and what it starts later is confined: it is called before an engine is imported.

As a program it confines itself and becomes a command: ``python confinement.py POLICY COMMAND ...``, where the policy is
JSON, ``{"read": [...], "write": [...]}``.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
import sys
from typing import NamedTuple

FILES, NETWORK = "files", "network"
SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/proc", "/sys", "/etc/ld.so.cache",
    "/etc/localtime", "/etc/timezone", "/etc/alternatives", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
    "/dev/urandom",
)  # fmt: skip
"""What every program reads. Of other processes it shows command lines and sizes: their memory and environment the
kernel refuses to who is confined (Landlock, restrictions of ptrace) and has no capability that goes before that."""
_SHARED = ("PATH", "LANG", "LC_", "LD_LIBRARY_PATH", "OMP_", "MALLOC_", "POLARS_", "RAYON_", "ARROW_", "DATAFUSION_")
"""Beginnings of variables that engines look at, and that hold no secret."""
_WRITTEN = ("/dev/null", "/dev/zero", "/dev/full")
_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls of Landlock, of one number on all processors."""
_VERSION = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVS = 38
_SECCOMP, _FILTER = 22, 2
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_OF_ABI = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
"""Rights to files that each version of Landlock knows; the last for all after it."""
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
"""The only ones that a rule about a file may name."""
_READS = _EXECUTE | _READ_FILE | _READ_DIR
_DROP_BOUND, _LAST_CAPABILITY = 24, 63
_CAPABILITIES = 0x20080522
_READ_ALL = 1 << 1 | 1 << 2
"""What is left to root: to read files of other users (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)."""
_SOCKET = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""By processor, what the kernel calls it, and the number of ``socket``."""
_OPEN_SOCKETS = (1, 16)
"""Families that are left: of this machine (AF_UNIX, AF_NETLINK)."""
_EACCES = 13


class Policy(NamedTuple):
    """What a confined process may do with files, besides reading the system's own.

    Attributes:
        read: files and folders to read, and to execute what is in them.
        write: folders to write.
        network: whether it may reach other hosts all the same.
    """

    read: tuple[str, ...]
    write: tuple[str, ...]
    network: bool = False


def confine(policy: Policy) -> list[str]:
    """Confine this thread and everything that it starts from now on.

    Returns:
        What the kernel enforces of :data:`FILES` and :data:`NETWORK`; what is missing, it cannot.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        return []
    _drop_capabilities(libc)
    found = []
    if _files(libc, policy):
        found.append(FILES)
    if not policy.network and _network(libc):
        found.append(NETWORK)
    return found


def environment(folder: str) -> dict[str, str]:
    """The environment of a confined process, which its SQL may read: nothing of the user's but how text is written.

    Args:
        folder: that it may write, in place of the user's home and of the temporary folder.
    """
    found = {name: value for name, value in os.environ.items() if name.startswith(_SHARED)}
    return {**found, "HOME": folder, "TMPDIR": folder, "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"}


def possible() -> bool:
    """Whether the kernel can bound files."""
    return int(ctypes.CDLL(None).syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)) > 0


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up root's rights but one, here and in what is executed later; a user has none to give up."""
    for one in range(_LAST_CAPABILITY + 1):
        if not _READ_ALL >> one & 1:
            libc.prctl(_DROP_BOUND, one, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITIES, 0)
    sets = ctypes.create_string_buffer(24)
    if libc.capget(header, sets):
        return
    effective, permitted, *_ = struct.unpack("=6I", sets.raw)
    libc.capset(header, struct.pack("=6I", effective & _READ_ALL, permitted & _READ_ALL, 0, 0, 0, 0))


def _files(libc: ctypes.CDLL, policy: Policy) -> bool:
    version = int(libc.syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION))
    if version <= 0:
        return False
    known = _OF_ABI[min(version, len(_OF_ABI) - 1)]
    attributes = struct.pack("=Q", known)
    ruleset = int(libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    if ruleset < 0:
        return False
    try:
        for path in (*SYSTEM, *policy.read):
            _allow(libc, ruleset, path, _READS & known)
        for path in (*_WRITTEN, *policy.write):
            # Neither devices nor sockets of its own making: nothing needs them.
            _allow(libc, ruleset, path, known & ~(1 << 6 | 1 << 11))
        return int(libc.syscall(_RESTRICT, ruleset, 0)) == 0
    finally:
        os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """Add a rule; what is not there needs none."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - a module of pathlib's size costs a start
            rights &= _OF_FILES
        libc.syscall(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _network(libc: ctypes.CDLL) -> bool:
    """Refuse sockets that reach other hosts; also to what goes on by another set of system calls."""
    if platform.machine() not in _SOCKET:
        return False
    architecture, number = _SOCKET[platform.machine()]
    load, equal, ret = 0x20, 0x15, 0x06
    refused, allowed = 0x00050000 | _EACCES, 0x7FFF0000
    families = len(_OPEN_SOCKETS)
    program = [
        (load, 0, 0, 4),  # the architecture
        (equal, 0, families + 3, architecture),
        (load, 0, 0, 0),  # the number of the call
        (equal, 0, families + 2, number),
        (load, 0, 0, 16),  # its first argument
        *((equal, families - at, 0, family) for at, family in enumerate(_OPEN_SOCKETS)),
        (ret, 0, 0, refused),
        (ret, 0, 0, allowed),
    ]
    content = b"".join(struct.pack("=HBBI", *one) for one in program)
    buffer = ctypes.create_string_buffer(content, len(content))
    argument = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    return int(libc.prctl(_SECCOMP, _FILTER, argument, 0, 0)) == 0


def main() -> None:
    """Confine this process, then become the command."""
    policy = json.loads(sys.argv[1])
    confine(Policy(tuple(policy["read"]), tuple(policy["write"])))
    os.execv(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
