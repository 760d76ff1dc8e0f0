"""MariaDB, whose root has a password."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.servers.process import Lacking, free_port, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def running(folder: Path, password: str = "") -> Iterator[str]:
    """The server; its socket is ``folder/s``."""
    server = shutil.which("mariadbd", path=f"{os.environ['PATH']}:/usr/sbin")
    make = shutil.which("mariadb-install-db")
    if server is None or make is None:
        raise Lacking("apt-get install mariadb-server-core mariadb-client-core")
    # Each server that starts removes what others have in a folder for temporary tables that they share.
    (folder / "tmp").mkdir()
    common = ["--no-defaults", f"--datadir={folder / 'data'}", f"--tmpdir={folder / 'tmp'}", "--user=root"]
    made = [make, *common, "--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run(made, check=True, capture_output=True)
    port = free_port()
    first = folder / "first.sql"
    first.write_text(f"ALTER USER root@localhost IDENTIFIED BY '{password}';")
    command = [
        server, *common, f"--socket={folder / 's'}", f"--port={port}", "--bind-address=127.0.0.1",
        f"--init-file={first}",
    ]  # fmt: skip
    with started(command, folder, (folder / "s").exists):
        yield f"mariadb://root@127.0.0.1:{port}"
