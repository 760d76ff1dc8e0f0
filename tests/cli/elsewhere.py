"""``python elsewhere.py < COMMANDS``: weigh as on a system that is no Linux, command after command.

Nothing of Python, of the kernel's files or of the native module that only Linux has is there to be imported or read.
COMMANDS is a JSON list of lists of words; what each did is a JSON list on standard output.
"""

from __future__ import annotations

import builtins
import fcntl
import io
import json
import mmap
import os
import resource
import select
import signal
import socket
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

_LINUX: dict[ModuleType, tuple[str, ...]] = {
    os: (
        "sched_getaffinity", "sched_setaffinity", "sched_getscheduler", "sched_setscheduler", "memfd_create",
        "pidfd_open", "posix_fadvise", "posix_fallocate", "fdatasync", "splice", "eventfd", "copy_file_range",
        "getresuid", "setresuid", "setresgid", "getrandom", "getxattr", "setxattr", "listxattr", "O_DIRECT",
        "O_TMPFILE", "O_PATH", "O_NOATIME", "unshare", "setns", "pipe2", "timerfd_create",
    ),
    fcntl: ("F_SETPIPE_SZ", "F_GETPIPE_SZ", "F_ADD_SEALS", "F_GET_SEALS", "F_OFD_SETLK", "F_OFD_SETLKW"),
    mmap: ("MAP_POPULATE", "MAP_NORESERVE", "MADV_HUGEPAGE", "MADV_POPULATE_READ"),
    resource: ("prlimit", "RUSAGE_THREAD"),
    select: ("epoll",),
    signal: ("pidfd_send_signal", "sigtimedwait", "sigwaitinfo", "SIGRTMIN"),
    socket: ("AF_NETLINK", "AF_PACKET", "SO_PEERCRED"),
}  # fmt: skip
_OF_LINUX = (
    "HostError", "Sampler", "resident", "evict", "calibrate_integer", "calibrate_memory", "calibrate_disk",
    "LoadError", "Load", "describe_sqlite", "ycsb_keys", "StoreError", "StoreProxy", "StoreClient",
)  # fmt: skip
"""What the crates of the host, of loads and of stores give the native module."""
_KERNEL = ("/proc", "/sys")


def _refuse(function: Any) -> Any:
    def refusing(path: Any, *arguments: Any, **more: Any) -> Any:
        if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(_KERNEL):
            raise FileNotFoundError(2, "No such file or directory", os.fspath(path))
        return function(path, *arguments, **more)

    return refusing


def become() -> None:
    """From here on this is no Linux."""
    import weigh._native as native

    for module, names in _LINUX.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name in _OF_LINUX:
        delattr(native, name)
    builtins.open = io.open = _refuse(open)
    for name in ("open", "stat", "lstat", "listdir", "scandir", "readlink", "access"):
        setattr(os, name, _refuse(getattr(os, name)))
    # It is a file of the system that this Python was built for.
    sysconfig.get_config_vars()
    sys.platform = "darwin"


def carried_out(words: list[str]) -> dict[str, object]:
    """The exit code of a command, and what it printed."""
    from weigh.__main__ import main

    streams = sys.stdout, sys.stderr
    sys.argv = ["weigh", *words]
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in streams)
    try:
        main()
        code: object = 0
    except SystemExit as ended:
        code = ended.code
    finally:
        (out, err), (sys.stdout, sys.stderr) = (sys.stdout, sys.stderr), streams
    return {"code": code, **{name: one.buffer.getvalue().decode() for name, one in (("out", out), ("err", err))}}


if __name__ == "__main__":
    become()
    print(json.dumps([carried_out(words) for words in json.load(sys.stdin)]))
