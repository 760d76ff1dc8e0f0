"""Environments of contenders: virtual environments made by uv, cached by what is in them.

A requirement is resolved once to a lock (every package with its exact version); the environment is keyed by the
hash of the lock and the Python version. With the lock and the environment cached no network is touched.
"""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path

import msgspec

from weigh.evidence import whole
from weigh.host import scratch, trust
from weigh.model.errors import EnvironmentFault, UsageError

COMMON = ("nanoarrow==0.9.0",)
"""In every environment, so that answers become Arrow without pyarrow (3 MB)."""

_TIMEOUT = 900.0
_STAMP = "complete"
"""Written last: what the packages consisted of when all was installed."""
_FORM = "stamped"
"""Of what lies in an environment alongside its packages; another form is another folder."""


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """A virtual environment of one contender.

    Attributes:
        python: its interpreter.
        key: hash of the lock and the Python version.
        lock: every package with its exact version, or the SHA-256 of its wheel, one a line; part of the evidence.
    """

    python: Path
    key: str
    lock: str


def ensure(requirements: list[str], cache: Path) -> Environment:
    """The environment that satisfies the requirements, from the cache or made now.

    Args:
        requirements: exact requirements, e.g. ``["duckdb==2.0.0"]``, or ``"duckdb @ file:///..."`` of a wheel in the
            cache.
        cache: weigh's cache directory.

    Raises:
        UsageError: a version does not exist.
        EnvironmentFault: no network and not cached, no space, or somebody else owns what is cached or may write it.
    """
    wanted = sorted({*requirements, *COMMON})
    lock = _lock(wanted, cache)
    # A wheel lies in the cache below its hash: that is what it is, wherever the cache is.
    named = lock.replace(f"{(cache / 'builds').absolute().as_uri()}/", "sha256:")
    key = _hash(f"{named}{_FORM}")
    folder = cache / "envs" / key
    python = folder / "bin" / "python"
    # Half of one, by a weigh that was killed: hundreds of megabytes, whether this one is made or was.
    scratch.sweep_in(folder.parent, "making")
    if folder.exists():
        trust.trusted_whole(folder)
    if not _intact(folder, lock):
        _make(folder, lock, wanted)
    return Environment(python=python, key=key, lock=named)


def installed(environment: Environment, package: str) -> str:
    """The version of a package from its own files in an environment; empty where it is not there."""
    if not package:
        return ""
    folders = [str(folder) for folder in environment.python.parent.parent.glob("lib/python*/site-packages")]
    found = distributions(name=package, path=folders) if folders else ()
    return next((one.version for one in found), "")


def _lock(wanted: list[str], cache: Path) -> str:
    text = "\n".join(wanted) + "\n"
    lockfile = cache / "locks" / f"{_hash(text)}.txt"
    try:
        if lockfile.exists():
            return lockfile.read_text()
    except OSError as error:
        raise _no_space(lockfile, error) from error
    resolved = _uv(
        ["pip", "compile", "--quiet", "--no-header", "--no-annotate", "--python", sys.executable, "-"],
        wanted,
        stdin=text,
    )
    _write(lockfile, resolved)
    return resolved


def _make(folder: Path, lock: str, wanted: list[str]) -> None:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Made aside and moved into place: a kill or a second weigh never sees half an environment.
        aside = scratch.made("making", folder.parent)
        # mkdtemp's 0700 would hide it from those who share the cache.
        aside.chmod(0o755)
    except OSError as error:
        raise _no_space(folder.parent, error) from error
    try:
        _uv(["venv", "--quiet", "--relocatable", "--clear", "--python", sys.executable, str(aside)], wanted)
        (aside / "lock.txt").write_text(lock)
        _uv(
            # Copies: with links, whoever writes into one environment writes into uv's cache and all the others.
            [
                "pip",
                "sync",
                "--quiet",
                "--link-mode",
                "copy",
                "--python",
                str(aside / "bin" / "python"),
                str(aside / "lock.txt"),
            ],
            wanted,
        )
        _compile(aside)
        (aside / _STAMP).write_text(_stamp(aside))
        _put(aside, folder, lock)
    except OSError as error:
        raise _no_space(folder.parent, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _put(aside: Path, folder: Path, lock: str) -> None:
    """Move what was made into place, where nobody else did so meanwhile."""
    try:
        aside.rename(folder)
    except OSError:
        if _intact(folder, lock):
            return
        # Without its stamp, or changed since: what is there now is of no use to anybody.
        damaged = scratch.made("making", folder.parent)
        folder.rename(damaged / "damaged")
        shutil.rmtree(damaged, ignore_errors=True)
        aside.rename(folder)


def _intact(folder: Path, lock: str) -> bool:
    """Whether an environment is what was installed: its lock, its packages' records, the size of every file in them.

    A package that was installed, removed or edited since would be measured under the name of the lock.
    """
    try:
        return (folder / "lock.txt").read_text() == lock and (folder / _STAMP).read_text() == _stamp(folder)
    except (OSError, ValueError, csv.Error):
        return False


def _stamp(folder: Path) -> str:
    """Hash of what its packages say that they consist of, and of the sizes that their files have.

    The sizes are as they are and not as the records say: packages overwrite each other's files, and nobody minds.
    """
    hashed = hashlib.sha256()
    for record in sorted(folder.glob("lib/python*/site-packages/*.dist-info/RECORD")):
        text = record.read_text()
        hashed.update(f"{record.relative_to(folder)}\0{text}\0".encode())
        for name, *_ in csv.reader(text.splitlines()):
            # Compiled ones are written by us, and by whoever compiles them again.
            if not name.endswith(".pyc"):
                hashed.update(f"{_size(record.parent.parent / name)}\0".encode())
    return hashed.hexdigest()


def state(environment: Environment) -> str:
    """Hash of names, sizes and times of everything in an environment's packages, but for bytecode.

    It is another one where a file was edited, added or removed, also one that no package says it has.
    """
    hashed = hashlib.sha256()
    for site in sorted(environment.python.parent.parent.glob("lib/python*/site-packages")):
        for folder, folders, files in os.walk(site):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(files):
                if not name.endswith(".pyc"):
                    path = Path(folder, name)
                    found = path.lstat()
                    hashed.update(
                        f"{path.relative_to(site)}\0{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}\0".encode()
                    )
    return hashed.hexdigest()


def _size(path: Path) -> int:
    """Bytes; less than none where there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _compile(folder: Path) -> None:
    """Bytecode of what is installed: lives write none, and would compile what they import at each of their starts."""
    python = folder.absolute() / "bin" / "python"
    command = [str(python), "-I", "-m", "compileall", "-q", "-j", "0", "-x", "/tests?/", "lib"]
    # What cannot be compiled works all the same.
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, cwd=folder, capture_output=True, timeout=_TIMEOUT, check=False)


def _uv(arguments: list[str], wanted: list[str], stdin: str = "") -> str:
    # One package after the other: of two that bring the same file (chdb and chdb-core do) both would be written into it
    # at the same moment, and what is left is the one, the other, or a mixture that no interpreter reads.
    one = {"UV_CONCURRENT_INSTALLS": "1"}
    environment = {**os.environ, **one, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_PROGRESS": "1", "NO_COLOR": "1"}
    environment.pop("VIRTUAL_ENV", None)
    try:
        done = subprocess.run(
            [_uv_path(), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(
            f"uv did not finish within {_TIMEOUT:.0f} s making an environment with {', '.join(wanted)}",
            remedy="check the network and try again",
        ) from error
    if done.returncode == 0:
        return done.stdout
    raise _explained(done.stderr, wanted)


def _explained(stderr: str, wanted: list[str]) -> EnvironmentFault | UsageError:
    """What uv's refusal means for the user. uv's own words come last, in full: they often know more."""
    line = " ".join(stderr.split())
    what = ", ".join(requirement for requirement in wanted if requirement not in COMMON)
    lower = line.lower()
    if any(word in lower for word in ("network", "dns error", "connect", "offline", "timed out", "fetch")):
        return EnvironmentFault(
            f"no environment with {what}: the package index cannot be reached, and it is not cached",
            remedy=f"connect once and run the same command; afterwards it works offline (uv: {line[-600:]})",
        )
    if "no space" in lower:
        return EnvironmentFault(
            f"no environment with {what}: no space left",
            remedy="free space or set WEIGH_CACHE to another disk",
        )
    if "no solution" in lower or "not found" in lower or "no version" in lower:
        return UsageError(f"there is no such version: {what}", remedy=f"choose a published version (uv: {line[-600:]})")
    return EnvironmentFault(f"uv could not make an environment with {what}", remedy=f"see what uv says: {line[-800:]}")


def _uv_path() -> str:
    try:
        from uv import find_uv_bin

        return str(find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
        if found is None:
            raise EnvironmentFault(
                "uv is not installed", remedy="reinstall weigh: uv is one of its dependencies"
            ) from None
        return found


def _hash(text: str) -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    return hashlib.sha256(f"{version}\n{sys.platform}\n{text}".encode()).hexdigest()[:16]


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole.write(path, text.encode())
    except OSError as error:
        raise _no_space(path.parent, error) from error


def _no_space(folder: Path, error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"cannot write the cache: {error.strerror}", where=str(folder), remedy="free space or set WEIGH_CACHE"
    )
