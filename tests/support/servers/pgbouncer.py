"""PgBouncer as Debian has it, before a PostgreSQL."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from support.servers.process import Lacking, free_port, listens, started
from weigh.load.target import server_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_INI = """[databases]
{database} = host={socket} port=5432 dbname={database} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = 4
ignore_startup_parameters = extra_float_digits
"""


@contextmanager
def running(folder: Path, connect: dict[str, Any], mode: Literal["transaction", "session"]) -> Iterator[str]:
    """Its URL.

    Args:
        folder: where its configuration lies.
        connect: of the PostgreSQL, as the generator takes it.
        mode: what a client gets a session for.
    """
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin") or shutil.which("pgbouncer")
    if program is None:
        raise Lacking("apt-get install pgbouncer")
    port, whose = free_port(), server_folder.account()
    place = server_folder.folder()
    try:
        ini = place / "pgbouncer.ini"
        ini.write_text(_INI.format(**connect | {"port": port}, mode=mode))
        server_folder.give(place, whose)
        server_folder.give(ini, whose)
        own = server_folder.as_account(whose)
        with started([program, str(ini)], folder, lambda: listens(port), limit_s=20, own={**own, "umask": 0o077}):
            yield f"postgres://{connect['user']}@127.0.0.1:{port}/{connect['database']}?sslmode=disable"
    finally:
        shutil.rmtree(place, ignore_errors=True)
