"""Spark Connect, one JVM with two threads."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from support.servers.process import Lacking, free_port, listens, programs, started

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = "4.2.0"
_OPENED = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "sun.nio.ch", "sun.nio.cs", "sun.security.action",
    "sun.util.calendar",
)  # fmt: skip


def _java() -> str:
    homes = (os.environ.get("SPARK_JAVA_HOME", ""), *map(str, sorted(Path("/usr/lib/jvm").glob("*-17-*"))))
    for home in homes:
        if home and (program := Path(home) / "bin" / "java").exists():
            return str(program)
    raise Lacking("apt-get install openjdk-17-jre-headless, or set SPARK_JAVA_HOME to a Java of 17 or 21")


@contextmanager
def running(folder: Path, token: str = "") -> Iterator[str]:
    """The server; with a token it serves nobody who does not have it."""
    place = programs() / f"pyspark-{VERSION}" / "pyspark"
    if not (place / "jars").is_dir():
        raise Lacking(f"uv pip install --no-deps --target {place.parent} pyspark=={VERSION}")
    port, files = free_port(), folder / "files"
    files.mkdir()
    settings = {
        "spark.master": "local[2]",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.local.dir": f"{folder}/local",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "WARN",
        # Each session would compile the same expressions again.
        "spark.sql.artifact.isolation.enabled": "false",
        "spark.sql.artifact.isolation.alwaysApplyClassloader": "false",
    }
    (folder / "spark.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    command = [
        _java(), "-Xmx1536M", "-XX:+UseSerialGC", "-cp", f"{place}/jars/*",
        *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED),
        "-Djdk.reflect.useDirectMethodHandle=false", "-Dio.netty.tryReflectionSetAccessible=true",
        "org.apache.spark.deploy.SparkSubmit", "--properties-file", f"{folder}/spark.conf",
        "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal",
    ]  # fmt: skip
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(place)}
    if token:
        environment["SPARK_CONNECT_AUTHENTICATE_TOKEN"] = token
    with started(command, folder, lambda: listens(port), limit_s=180, environment=environment):
        # With a token the client insists on TLS, but for this name.
        yield f"sc://weigh@localhost:{port}/?weigh.data=external&weigh.place={files}"
