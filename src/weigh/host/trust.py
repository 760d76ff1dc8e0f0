"""Trust: whether a folder that weigh executes from, or believes, is its user's alone.

What lies in the cache is executed: interpreters, packages, builds. Whoever may write there may have put something in
its place, so a folder that somebody else owns or may write is refused, as are those around it.
"""

from __future__ import annotations

import functools
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOCK = ".lock"
"""What uv lets everybody write, so that all can wait for one another: nothing is read from it."""
_ACL = "system.posix_acl_access"


@functools.cache
def trusted(folder: Path, rooms: tuple[str, ...] = ()) -> Path:
    """The folder, which with what lies around it and directly in it nobody else may write.

    Args:
        folder: that need not be there yet.
        rooms: folders in it of which the same holds.

    Raises:
        EnvironmentFault: somebody else owns it or may write it, or what is around it or in it.
    """
    _around(folder.absolute())
    for path in (*_below(folder, 1), *(path for room in rooms for path in _below(folder / room, 1))):
        _refuse(path)
    return folder


@functools.cache
def trusted_whole(folder: Path) -> None:
    """Look at everything in a folder that is about to be executed; raises as ``trusted``."""
    for path in _below(folder, None):
        if path.name != _LOCK:
            _refuse(path)


def _below(folder: Path, levels: int | None) -> Iterator[Path]:
    """A folder and what is in it, so many levels deep."""
    yield folder
    if levels == 0:
        return
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        # What cannot be looked into is not executed from, or says so itself.
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path), None if levels is None else levels - 1)
        else:
            yield Path(entry.path)


def _refuse(path: Path) -> None:
    """Raise where somebody else owns a file, a folder or a link, or may write it."""
    try:
        facts = path.lstat()
    except OSError:
        return
    if facts.st_uid not in (os.geteuid(), 0):
        raise _fault(path, facts, f"belongs to {_user(facts.st_uid)}")
    if not stat.S_ISLNK(facts.st_mode) and (who := _writers(path, facts)):
        raise _fault(path, facts, f"can be written by {who}")


def _around(folder: Path) -> None:
    """Raise where somebody else could put another folder in the place of this one."""
    for place in {folder, folder.resolve()}:
        inside: os.stat_result | None = None
        for path in (place, *place.parents):
            try:
                facts = path.lstat()
            except OSError:
                continue
            mine = facts.st_uid in (os.geteuid(), 0)
            sticky = bool(facts.st_mode & stat.S_ISVTX)
            who = "" if stat.S_ISLNK(facts.st_mode) else _writers(path, facts)
            if path == place:
                if not mine:
                    raise _fault(path, facts, f"belongs to {_user(facts.st_uid)}")
                if who:
                    raise _fault(path, facts, f"can be written by {who}")
            # In a container, and with sudo, root's home may be another's: whose cache it then is, is what counts.
            elif not mine and os.geteuid() != 0:
                raise _fault(path, facts, f"belongs to {_user(facts.st_uid)}")
            elif who and not sticky:
                raise _fault(path, facts, f"can be written by {who}")
            elif who and inside is not None and inside.st_uid not in (os.geteuid(), 0):
                raise _fault(path, facts, f"can be written by {who}, and what weigh uses in it is not yours")
            inside = facts


def _writers(path: Path, facts: os.stat_result) -> str:
    """Who else may write it; empty where nobody may."""
    if facts.st_mode & stat.S_IWOTH:
        return "everybody"
    if not facts.st_mode & stat.S_IWGRP:
        return ""
    with suppress(OSError):
        if _ACL in os.listxattr(path, follow_symlinks=False):
            return "those whom its access control list names"
    return _others_of(facts.st_gid)


@functools.cache
def _others_of(gid: int) -> str:
    """Members of a group besides the user and root, as a user's own group has none."""
    import grp
    import pwd

    if gid == 0:
        return ""
    try:
        group = grp.getgrgid(gid)
    except KeyError:
        return "" if gid == os.getegid() else f"group {gid}"
    me = _user(os.geteuid())
    members = {*group.gr_mem, *(one.pw_name for one in pwd.getpwall() if one.pw_gid == gid)} - {me, "root"}
    return f"group {group.gr_name}" if members else ""


def _user(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _fault(path: Path, facts: os.stat_result, why: str) -> EnvironmentFault:
    mode, owner = stat.S_IMODE(facts.st_mode), _user(facts.st_uid)
    return EnvironmentFault(
        f"weigh's cache is not used: {path} {why} (owner {owner}, mode {mode:04o}), and what lies in it would be "
        f"executed as {_user(os.geteuid())}",
        remedy="set WEIGH_CACHE to a folder of your own; or, if you trust what is in it, "
        + (f"chown -Rh {_user(os.geteuid())} {path}" if "belongs" in why else f"chmod go-w {path}"),
    )
