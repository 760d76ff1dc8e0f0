"""Revisions of a git repository: which commit and tree one is, and a checkout of it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

_TIMEOUT = 600.0
_MOST = 300
"""Characters of what git says that are repeated."""


class Revision(NamedTuple):
    """A commit.

    Attributes:
        commit: its hash.
        tree: hash of all that it holds.
    """

    commit: str
    tree: str


def found(repository: Path, name: str, where: str) -> Revision:
    """The commit that a name means now.

    Args:
        repository: a folder in the working tree, or a bare repository.
        name: branch, tag, hash, ``HEAD~1``.
        where: who names it, for errors.

    Raises:
        UsageError: there is no such repository, or no such revision in it.
        EnvironmentFault: there is no git.
    """
    if not repository.is_dir():
        raise UsageError(
            f"there is no folder {repository}",
            where=where,
            remedy="repository is the folder of a clone on this machine",
        )
    wanted = (f"{name}^{{commit}}", f"{name}^{{tree}}")
    done = [_git(repository, "rev-parse", "--verify", "--end-of-options", one) for one in wanted]
    if any(one.returncode for one in done):
        complaint = one_line(done[0].stderr or done[1].stderr, _MOST)
        remedy = (
            f"name a branch, a tag or a commit that the clone has; git fetch brings newer ones (git says: {complaint})"
        )
        shallow = _git(repository, "rev-parse", "--is-shallow-repository").stdout.strip() == "true"
        if shallow:
            remedy = "the clone is shallow: fetch more of the history (actions/checkout: fetch-depth: 0; GitLab: "
            remedy += "GIT_DEPTH: 0)"
        raise UsageError(f"there is no revision '{name}' in {repository}", where=where, remedy=remedy)
    return Revision(*(one.stdout.strip() for one in done))


def checked_out(repository: Path, commit: str, folder: Path) -> int:
    """Check a commit out into a clone of its own, that shares the objects of the repository.

    Returns:
        When it was committed, in seconds since 1970.

    Raises:
        EnvironmentFault: git could not.
    """
    # No archive: what a build calls itself is often asked of git.
    for command in (
        (repository, "clone", "--quiet", "--shared", "--no-checkout", "--", str(repository.absolute()), str(folder)),
        (folder, "checkout", "--quiet", "--detach", commit),
    ):
        done = _git(*command)
        if done.returncode:
            raise EnvironmentFault(
                f"git could not check out {commit}",
                where=str(repository),
                remedy=f"git says: {one_line(done.stderr, _MOST)}",
            )
    seconds = _git(folder, "log", "-1", "--format=%ct").stdout.strip()
    return int(seconds) if seconds.isdigit() else 0


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Of a hook that weigh was started from: they would lead to another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            env={**environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentFault("there is no git", remedy="install git, or name a wheel") from None
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(f"git {arguments[0]} took longer than {_TIMEOUT:.0f} s", where=str(folder)) from None
