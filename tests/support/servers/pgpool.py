"""Pgpool-II as Debian has it, before a PostgreSQL and a replica of it that is behind."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.servers.process import Lacking, free_port, listens, started
from weigh.load.target import server_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

LAG_MS = 500
"""By which the replica is behind."""
_PRIMARY = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = replica
fsync = off
max_connections = 60
"""
# Those who share a cache of the catalogue wait for one another for ever where several prepare their first statements.
_POOL = """
backend_clustering_mode = 'streaming_replication'
listen_addresses = '127.0.0.1'
port = {port}
pcp_port = {pcp}
socket_dir = '{folder}'
pcp_socket_dir = '{folder}'
wd_ipc_socket_dir = '{folder}'
pid_file_name = '{folder}/pid'
logdir = '{folder}'
backend_hostname0 = '127.0.0.1'
backend_port0 = {primary}
backend_weight0 = 1
backend_data_directory0 = '{folder}/primary'
backend_hostname1 = '127.0.0.1'
backend_port1 = {replica}
backend_weight1 = 1
backend_data_directory1 = '{folder}/replica'
load_balance_mode = {balance}
statement_level_load_balance = on
disable_load_balance_on_write = 'off'
enable_pool_hba = off
sr_check_user = 'postgres'
sr_check_database = 'postgres'
sr_check_period = 1
delay_threshold = 0
health_check_period = 0
num_init_children = 30
max_pool = 1
failover_on_backend_error = off
enable_shared_relcache = off
"""


@contextmanager
def running(folder: Path, *, balances: bool) -> Iterator[str]:
    """Its URL.

    Args:
        folder: for logs.
        balances: whether reads go to the replica, too.
    """
    pgpool = shutil.which("pgpool", path="/usr/sbin:/usr/bin")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda one: int(one.parts[4]))
    if pgpool is None or not programs:
        raise Lacking("apt-get install pgpool2 postgresql")
    binaries, whose = programs[-1].parent, server_folder.account()
    place = server_folder.folder()
    own = {**server_folder.as_account(whose), "umask": 0o077}
    try:
        server_folder.give(place, whose)

        def made(*command: str | Path) -> None:
            subprocess.run([str(one) for one in command], check=True, capture_output=True, cwd=place, **own)

        primary, replica, port, pcp = (free_port() for _ in range(4))
        made(binaries / "initdb", "-D", place / "primary", "-U", "postgres", "-A", "trust", "--no-sync")
        with (place / "primary" / "postgresql.conf").open("a") as file:
            file.write(_PRIMARY)
        with _server(binaries, place / "primary", primary, folder / "primary", own):
            made(
                binaries / "pg_basebackup", "-h", "127.0.0.1", "-p", str(primary), "-U", "postgres",
                "-D", place / "replica", "-R", "--checkpoint=fast", "--no-sync",
            )  # fmt: skip
            with (place / "replica" / "postgresql.conf").open("a") as file:
                file.write(f"recovery_min_apply_delay = {LAG_MS}\n")
            configuration = place / "pgpool.conf"
            configuration.write_text(
                _POOL.format(
                    port=port,
                    pcp=pcp,
                    folder=place,
                    primary=primary,
                    replica=replica,
                    balance="on" if balances else "off",
                )
            )
            server_folder.give(configuration, whose)
            (folder / "pool").mkdir()
            with (
                _server(binaries, place / "replica", replica, folder / "replica", own),
                started(
                    [pgpool, "-n", "-f", str(configuration)],
                    folder / "pool",
                    lambda: listens(port),
                    limit_s=30,
                    own=own,
                ),
            ):
                yield f"postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable"
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _server(binaries: Path, data: Path, port: int, log: Path, own: dict[str, Any]) -> Iterator[None]:
    log.mkdir()
    ready = [str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    with started(
        [str(binaries / "postgres"), "-D", str(data), "-p", str(port)],
        log,
        lambda: subprocess.run(ready, check=False).returncode == 0,
        limit_s=60,
        own=own,
    ):
        yield
