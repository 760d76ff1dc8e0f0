"""The files of an engine: what its process has loaded, and what its package consists of.

A package need not pin its engine: two of its versions may load the same one, and print the version of that.
"""

from __future__ import annotations

import base64
import csv
import hashlib
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.contender import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.engines.environment import Environment

_CHUNK = 1 << 20


def native_files(pid: int, environment: Environment, package: str) -> dict[str, Path]:
    """Native files of an environment that a process has loaded, by their path in it; none where it loaded none.

    Args:
        pid: of the process.
        environment: where it runs.
        package: the engine's own, which counts even where others use it as a support.
    """
    site = _site(environment)
    if site is None:
        return {}
    try:
        lines = Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return {}
    found = {}
    folder = f"{site.resolve()}/"
    for path in {f"/{line.partition('/')[2]}".strip(): None for line in lines}:
        if not path.startswith(folder):
            continue
        name = path.removeprefix(folder)
        top = name.partition("/")[0].partition(".")[0]
        if top not in SUPPORT or top == package.replace("-", "_"):
            found[name] = site / name
    return found


def package_files(environment: Environment, package: str) -> dict[str, Path]:
    """Everything that a package has installed, but for what describes it, by its path."""
    site = _site(environment)
    if site is None:
        return {}
    found = {}
    for one in distributions(name=package, path=[str(site)]):
        for row in csv.reader((one.read_text("RECORD") or "").splitlines()):
            name = row[0] if row else ""
            if name and ".dist-info/" not in name and not name.endswith(".pyc") and (site / name).is_file():
                found[name] = site / name
    return found


def same_files(one: dict[str, Path], other: dict[str, Path]) -> str:
    """SHA-256 of all files, where both are the same ones; empty where they are not, or there are none."""
    if not one or one.keys() != other.keys():
        return ""
    # Hundreds of megabytes are only read where nothing smaller tells.
    if any(one[name].stat().st_size != other[name].stat().st_size for name in one):
        return ""
    digests = [_digest(files) for files in (one, other)]
    return digests[0] if digests[0] == digests[1] else ""


def recorded_digest(environment: Environment, names: Iterable[str]) -> str:
    """SHA-256 of what the installer recorded of files: their names and hashes; empty where one has no record."""
    site = _site(environment)
    recorded: dict[str, str] = {}
    for one in distributions(path=[str(site)]) if site else ():
        for row in csv.reader((one.read_text("RECORD") or "").splitlines()):
            if len(row) > 1:
                recorded[row[0]] = row[1]
    hashed = hashlib.sha256()
    for name in (wanted := sorted(names)):
        if not recorded.get(name):
            return ""
        hashed.update(f"{name}\0{recorded[name]}\n".encode())
    return hashed.hexdigest() if wanted else ""


def edited_files(environment: Environment, names: Iterable[str]) -> dict[str, str]:
    """Files that are not what any installer recorded, each with the SHA-256 of what is in it.

    Only those are read whose size is another one, or that are younger than the record: an edit that keeps both is not
    seen. What no installer has recorded a hash of is not an edit.
    """
    site = _site(environment)
    if site is None:
        return {}
    recorded: dict[str, list[tuple[str, str, int]]] = {}
    for record in sorted(site.glob("*.dist-info/RECORD")):
        written = record.stat().st_mtime_ns
        for row in csv.reader(record.read_text().splitlines()):
            if len(row) > 2 and row[1].startswith("sha256="):
                recorded.setdefault(row[0], []).append((row[1].removeprefix("sha256="), row[2], written))
    found: dict[str, str] = {}
    for name in sorted(recorded.keys() & set(names)):
        state = (site / name).stat()
        rows = recorded[name]
        if any(row[1] == str(state.st_size) and state.st_mtime_ns <= row[2] for row in rows):
            continue
        digest = _digest_of(site / name)
        encoded = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if encoded not in {row[0] for row in rows}:
            found[name] = digest.hex()
    return found


def owner(environment: Environment, name: str) -> str:
    """Package and version that installed a file; empty where none did."""
    site = _site(environment)
    for one in distributions(path=[str(site)]) if site else ():
        if any(row and row[0] == name for row in csv.reader((one.read_text("RECORD") or "").splitlines())):
            return f"{one.metadata['Name']} {one.version}"
    return ""


def _digest_of(path: Path) -> bytes:
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.digest()


def _digest(files: dict[str, Path]) -> str:
    hashed = hashlib.sha256()
    for name in sorted(files):
        hashed.update(f"{name}\0".encode())
        with files[name].open("rb") as file:
            while chunk := file.read(_CHUNK):
                hashed.update(chunk)
    return hashed.hexdigest()


def _site(environment: Environment) -> Path | None:
    return next(iter(environment.python.parent.parent.glob("lib/python*/site-packages")), None)
