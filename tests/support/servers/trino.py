"""Trino, one node with the Hive connector over a folder of this machine."""

from __future__ import annotations

import json
import os
import shutil
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from support.servers.process import Lacking, free_port, programs, started

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = "476"
_CONFIG = """
coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
query.max-memory=700MB
query.max-memory-per-node=600MB
memory.heap-headroom-per-node=400MB
web-ui.enabled=false
node.internal-address=127.0.0.1
node.bind-ip=127.0.0.1
"""
_HIVE = """
connector.name=hive
hive.metastore=file
hive.metastore.catalog.dir=local:///meta
fs.native-local.enabled=true
local.location={files}
hive.non-managed-table-writes-enabled=true
hive.parquet.time-zone=UTC
hive.timestamp-precision=MICROSECONDS
"""


def _java() -> str:
    homes = (os.environ.get("TRINO_JAVA_HOME", ""), *map(str, sorted(Path("/usr/lib/jvm").glob("*-2[4-9]-*"))))
    for home in homes:
        if home and (program := Path(home) / "bin" / "java").exists():
            return str(program)
    raise Lacking("apt-get install temurin-24-jdk, or set TRINO_JAVA_HOME to a Java of 24 or newer")


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The server, with catalogs ``hive`` over ``folder/files``."""
    place = programs() / f"trino-server-{VERSION}"
    if not (place / "lib").is_dir():
        raise Lacking(
            f"mvn dependency:copy -Dartifact=io.trino:trino-server:{VERSION}:tar.gz -DoutputDirectory={programs()} "
            f"&& tar xzf {place}.tar.gz -C {programs()}"
        )
    java, port, files = _java(), free_port(), folder / "files"
    files.mkdir()
    # Of 50 plug-ins: each takes time to start.
    plugins = folder / "plugins"
    plugins.mkdir()
    for name in ("hive", "tpch"):
        (plugins / name).symlink_to(place / "plugin" / name)
    catalogs = folder / "catalogs"
    catalogs.mkdir()
    (catalogs / "hive.properties").write_text(_HIVE.format(files=files))
    (folder / "config.properties").write_text(_CONFIG.format(port=port))
    command = [
        java, "-cp", f"{place}/lib/*", "-Xmx2G", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError",
        "-Djdk.attach.allowAttachSelf=true", "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "--add-modules=jdk.incubator.vector",
        f"-Dconfig={folder}/config.properties", f"-Dnode.data-dir={folder}/data", f"-Dplugin.dir={plugins}",
        f"-Dcatalog.config-dir={catalogs}", "-Dnode.environment=test", "-Dnode.id=one", "io.trino.server.TrinoServer",
    ]  # fmt: skip

    def ready() -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/info", timeout=2) as reply:
                return not json.load(reply)["starting"]
        except (OSError, ValueError):
            return False

    with started(command, folder, ready, limit_s=180):
        yield f"trino://weigh@127.0.0.1:{port}/hive/default?weigh.data=external&weigh.place={files}"
    shutil.rmtree(folder / "data", ignore_errors=True)
