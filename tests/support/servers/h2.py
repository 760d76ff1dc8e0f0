"""H2's server in the protocol of PostgreSQL, with a database that its first session makes."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.servers.process import Lacking, free_port, listens, programs, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = "2.4.240"


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """The server; whoever connects first to a database decides what its password is."""
    jar = programs() / f"h2-{VERSION}.jar"
    if not jar.exists():
        raise Lacking(f"mvn dependency:copy -Dartifact=com.h2database:h2:{VERSION} -DoutputDirectory={programs()}")
    java = shutil.which("java")
    if java is None:
        raise Lacking("apt-get install default-jre-headless")
    port = free_port()
    command = [
        java, "-Xmx512m", "-XX:+UseSerialGC", "-Dh2.bindAddress=127.0.0.1", "-cp", str(jar), "org.h2.tools.Server",
        "-pg", "-pgPort", str(port), "-ifNotExists", "-baseDir", str(folder),
    ]  # fmt: skip
    with started(command, folder, lambda: listens(port)):
        yield f"h2://sa@127.0.0.1:{port}/weigh"
