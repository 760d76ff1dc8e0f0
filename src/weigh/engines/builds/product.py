"""What is installed for a build: a wheel in weigh's cache, under its own hash, built before where it must be."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.engines.builds import folder as folders
from weigh.engines.builds import installation, revision, wheel
from weigh.engines.builds.resolution import resolved, wheels_of
from weigh.host import scratch, trust
from weigh.model.build import Build, BuildRead
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.engines.engine import Engine
    from weigh.model.contender import Contender

_PROJECT = '"$WEIGH_PYTHON" -m uv build --wheel --quiet --out-dir "$WEIGH_BUILD_OUT" .'
"""How a folder with a Python project becomes a wheel."""
_TIMEOUT = 4 * 3600.0
"""Seconds: engines take long to build; a command that waits for an answer never ends."""
_TAIL = 400
"""Characters of a log that stand in the error."""
_CHANGED = "build again, and leave it alone while weigh runs"


class Product(msgspec.Struct, frozen=True, kw_only=True):
    """A build that can be installed.

    Attributes:
        wheel: in the cache; None of an installation, which is used where it lies.
        read: what it is.
    """

    wheel: Path | None
    read: BuildRead


def builds_folder(cache: Path) -> Path:
    """Where wheels lie, in a folder that is called by their SHA-256."""
    return cache / "builds"


def made(contender: Contender, engine: Engine, cache: Path, number: int = 0) -> Product | None:
    """The wheel of a contender's build, from the cache or made now; None where its version is one of the index.

    Args:
        contender: whose.
        engine: its adapter.
        cache: weigh's.
        number: which of several builds.

    Raises:
        UsageError: it changed since it was named, or what was built is no wheel of the engine's package.
        EnvironmentFault: it cannot be built, the cache cannot be written, or somebody else may write it.
    """
    # Some commands name contenders without weigh.toml.
    build = contender.build or resolved(contender, None).build
    if build is msgspec.UNSET:
        return None
    where = f"contender {contender.name}"
    if build.kind == "installation":
        return Product(wheel=None, read=installation.found(build, engine.installation, where))
    trust.trusted_whole(builds_folder(cache))
    try:
        if build.kind == "wheel":
            return _product(Path(build.place).expanduser(), build, cache, where)
        return _built(build, engine, cache, number, where)
    except OSError as error:
        raise EnvironmentFault(
            f"a build cannot be kept: {error.strerror or error}",
            where=str(builds_folder(cache)),
            remedy="free space or set WEIGH_CACHE",
        ) from error


def _product(path: Path, build: Build, cache: Path, where: str) -> Product:
    """A copy of the wheel: whoever builds again meanwhile changes nothing of what is measured."""
    metadata = wheel.read(path, where)
    if build.kind == "wheel" and metadata.sha256 != build.content:
        raise UsageError(f"{path} changed since it was read", where=where, remedy=_CHANGED)
    place = builds_folder(cache) / metadata.sha256
    if not (place / metadata.file).exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        scratch.sweep_in(place.parent, "keeping")
        aside = scratch.made("keeping", place.parent)
        try:
            aside.chmod(0o755)
            shutil.copyfile(path, aside / metadata.file)
            if wheel.read(aside / metadata.file, where).sha256 != metadata.sha256:
                raise UsageError(f"{path} changed while it was read", where=where, remedy=_CHANGED)
            with suppress(OSError):
                aside.rename(place)
            if not (place / metadata.file).exists():
                # The same wheel under another name.
                (aside / metadata.file).rename(place / metadata.file)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    plain = {**msgspec.structs.asdict(build), "file": metadata.file, "version": metadata.version}
    return Product(wheel=place / metadata.file, read=BuildRead(**plain, sha256=metadata.sha256))


def _built(build: Build, engine: Engine, cache: Path, number: int, where: str) -> Product:
    here = [engine.package, platform.platform(terse=True), platform.machine(), sys.version]
    one = build.identity
    if build.builds is not msgspec.UNSET:
        # Not how many there are: a later experiment with more of them finds these.
        one = {**one, "builds": f"seed {build.seed(number)}"}
    named = msgspec.json.encode([build.kind, one, here])
    place = builds_folder(cache) / "made" / hashlib.sha256(named).hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        # Two that want the same one: the second finds what the first has built.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if there := _found(place):
            return _product(there, build, cache, where)
        aside = scratch.folder("build", place=scratch.USUAL)
        try:
            built = _make(build, engine, aside, place / "log.txt", number, where)
            product = _product(built, build, cache, where)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        (place / "wheel.txt").write_text(f"{product.read.sha256}/{product.read.file}\n")
        return product


def _found(place: Path) -> Path | None:
    """The wheel that was built here before, where it still is what it was."""
    with suppress(OSError, UsageError):
        sha256, _, name = (place / "wheel.txt").read_text().strip().partition("/")
        path = place.parent.parent / sha256 / name
        if wheel.read(path, "").sha256 == sha256:
            return path
    return None


def _make(build: Build, engine: Engine, aside: Path, log: Path, number: int, where: str) -> Path:
    source, out = aside / "source", aside / "out"
    out.mkdir()
    when = 0
    if build.kind == "revision":
        when = revision.checked_out(Path(build.place).expanduser(), build.commit, source)
    else:
        left_out = shutil.ignore_patterns(*folders.LEFT_OUT)
        shutil.copytree(Path(build.place).expanduser(), source, symlinks=True, ignore=left_out)
        if folders.content(source, where) != build.content:
            raise UsageError(f"{build.place} changed since it was read", where=where, remedy=_CHANGED)
    command = build.command or _PROJECT
    variables = {"WEIGH_BUILD_OUT": str(out), "WEIGH_PYTHON": sys.executable}
    if build.builds is not msgspec.UNSET:
        variables |= {"WEIGH_BUILD": str(number + 1), "WEIGH_BUILD_SEED": str(build.seed(number))}
    code = _run(command, source, variables, when, log)
    if code:
        tail = one_line(log.read_text(errors="replace")[-_TAIL:], _TAIL)
        raise EnvironmentFault(
            f"it could not be built: {command!r} {_ended(code)}",
            where=where,
            remedy=f"see {log}, which ends with: {tail}",
        )
    wheels = wheels_of(source, build.product, engine.package) if build.product else []
    wheels = wheels or wheels_of(out, "*.whl", engine.package)
    if len(wheels) != 1:
        found = ", ".join(one.name for one in wheels) or "none"
        place = build.product or "$WEIGH_BUILD_OUT"
        raise UsageError(
            f"{command!r} ended, and there must be one wheel of {engine.package} in {place}: {found}",
            where=where,
            remedy=f"let [build.{engine.name}] say where it is: wheel = PATTERN",
        )
    return wheels[0]


def _ended(code: int | None) -> str:
    return f"did not end within {_TIMEOUT / 3600:.0f} hours" if code is None else f"ended with {code}"


def _run(command: str, source: Path, variables: Mapping[str, str], when: int, log: Path) -> int | None:
    """The exit code of the command; None where it did not end in time."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for name in ("VIRTUAL_ENV", "WEIGH_BUILD", "WEIGH_BUILD_SEED"):
        environment.pop(name, None)
    if when:
        # Archives of the same files then are the same bytes.
        environment.setdefault("SOURCE_DATE_EPOCH", str(when))
    environment |= variables
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=source,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(_TIMEOUT)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # What it left running would be measured along, also where it is Ctrl-C that ends it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
