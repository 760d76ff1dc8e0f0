"""ClickHouse's server as Debian has it."""

from __future__ import annotations

import shutil
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.servers.process import Lacking, free_port, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
  <interserver_http_port>{other}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database><timezone>UTC</timezone>
  <mark_cache_size>67108864</mark_cache_size><max_concurrent_queries>20</max_concurrent_queries>
</yandex>
"""
_USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
  <quotas><default></default></quotas>
  <users><default><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
</yandex>
"""


@contextmanager
def running(folder: Path, password: str = "") -> Iterator[str]:
    """The server, whose user ``default`` has the password."""
    program = shutil.which("clickhouse-server")
    if program is None:
        raise Lacking("apt-get install clickhouse-server")
    http, tcp, other = (free_port() for _ in range(3))
    (folder / "config.xml").write_text(_CONFIG.format(http=http, tcp=tcp, other=other, folder=folder))
    (folder / "users.xml").write_text(_USERS.format(password=password))

    def ready() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{http}/", timeout=2) as reply:
                return reply.read() == b"Ok.\n"
        except OSError:
            return False

    with started([program, f"--config-file={folder}/config.xml"], folder, ready):
        yield f"clickhouse://default@127.0.0.1:{http}/default"
