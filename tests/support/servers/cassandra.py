"""Cassandra from its jars: nodes of one cluster, each a JVM on a loopback address of its own."""

from __future__ import annotations

import os
import shlex
import signal
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from support.servers.process import Lacking, free_port, programs, started

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

VERSION = "5.0.6"
_CONFIG = """
cluster_name: weigh
num_tokens: 4
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
seed_provider: [{{class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{{seeds: 127.0.0.1}}]}}]
listen_address: {host}
rpc_address: {host}
native_transport_port: {port}
storage_port: {storage}
endpoint_snitch: SimpleSnitch
commitlog_sync: periodic
commitlog_sync_period: 10000ms
data_file_directories: [{folder}/data]
commitlog_directory: {folder}/commitlog
hints_directory: {folder}/hints
saved_caches_directory: {folder}/caches
cdc_raw_directory: {folder}/cdc
authenticator: {authenticator}
# What a node missed stays missed: a hint would bring it later, when a test has looked already or has not.
hinted_handoff_enabled: false
memtable_heap_space: 64MiB
"""
_EXPORTED = (
    "java.base/java.lang.ref", "java.base/jdk.internal.misc", "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server", "java.sql/java.sql", "jdk.unsupported/sun.misc",
)  # fmt: skip
_OPENED = (
    "java.base/java.io", "java.base/java.lang", "java.base/java.lang.module", "java.base/java.lang.reflect",
    "java.base/java.math", "java.base/java.net", "java.base/java.nio", "java.base/java.util",
    "java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.loader",
    "java.base/jdk.internal.math", "java.base/jdk.internal.module", "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect", "java.base/jdk.internal.util.jar", "java.base/sun.nio.ch",
    "jdk.management/com.sun.management.internal",
)  # fmt: skip


class Cluster(NamedTuple):
    """Nodes that know each other.

    Attributes:
        processes: of the nodes, in the order of their addresses.
        port: of all of them.
        commands: that start them.
    """

    processes: list[subprocess.Popen[bytes]]
    port: int
    commands: list[list[str]]

    @property
    def hosts(self) -> list[str]:
        """Their addresses."""
        return [f"127.0.0.{number}" for number in range(1, len(self.processes) + 1)]

    def url(self, keyspace: str, level: str = "", nodes: int | None = None) -> str:
        """The target of all nodes, or of the first ones."""
        query = f"?consistency={level}" if level else ""
        return f"cassandra://{','.join(self.hosts[:nodes])}:{self.port}/{keyspace}{query}"

    def execute(self, *statements: str, host: str = "") -> list[Any]:
        """The answers to statements of CQL."""
        return execute(host or self.hosts[0], self.port, *statements)

    def fault(self, node: int, folder: Path) -> tuple[str, str]:
        """Commands that kill a node and start it again, which they wait for; whoever starts it ends it.

        Args:
            node: its place.
            folder: for its log and the number of its new process, ``pid``.
        """
        start = folder / "start"
        start.write_text(
            f"setsid {shlex.join(self.commands[node])} > {folder}/again.log 2>&1 < /dev/null &\n"
            f"echo $! > {folder}/pid\n"
            f"for _ in $(seq 600); do (exec 3<>/dev/tcp/{self.hosts[node]}/{self.port}) 2> /dev/null && exit 0; "
            "sleep 0.2; done; exit 1\n"
        )
        return f"kill -9 {self.processes[node].pid}", f"bash {start}"

    @contextmanager
    def paused(self, node: int) -> Iterator[None]:
        """A node that stands still meanwhile."""
        process = self.processes[node]
        os.kill(process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(process.pid, signal.SIGCONT)


def execute(host: str, port: int, *statements: str, user: str = "", password: str = "") -> list[Any]:
    """The answers of a node to statements of CQL, asked by weigh's own generator.

    Raises:
        LoadError: it does not answer.
    """
    from weigh._native import Load

    settings = {
        "target": {
            "kind": "cql",
            "host": host,
            "port": port,
            "user": user or None,
            "password": password or None,
            "settings": {"consistency": "ONE"},
        },
        "workload": {
            "kind": "script",
            "scripts": [{"name": str(place), "text": one, "weight": 1} for place, one in enumerate(statements)],
            "seed": 0,
            "prepared": False,
        },
        "arrivals": {"kind": "closed"},
        "duration_s": 1.0,
        "connections": 1,
        "threads": 1,
        "max_in_flight": 1,
        "timeout_s": 30.0,
        "interval_s": 1.0,
    }
    found = msgspec.json.decode(Load(msgspec.json.encode(settings).decode()).ask(1))
    return [one["answer"] for one in found]


def _java() -> str:
    homes = (os.environ.get("CASSANDRA_JAVA_HOME", ""), *map(str, sorted(Path("/usr/lib/jvm").glob("*-17-*"))))
    for home in homes:
        if home and (program := Path(home) / "bin" / "java").exists():
            return str(program)
    raise Lacking("apt-get install openjdk-17-jre-headless, or set CASSANDRA_JAVA_HOME to a Java of 17")


@contextmanager
def running(folder: Path, nodes: int = 1, password: str = "") -> Iterator[Cluster]:
    """Nodes of one cluster; with a password its user ``cassandra`` needs the one that Cassandra begins with."""
    place = programs() / f"cassandra-{VERSION}"
    if not any(place.glob("cassandra-all-*.jar")):
        raise Lacking(
            "mvn dependency:copy-dependencies -DincludeScope=runtime "
            f"-DoutputDirectory={place}, in a project that depends on org.apache.cassandra:cassandra-all:{VERSION}"
        )
    java, port, storage = _java(), free_port(), free_port()
    processes: list[subprocess.Popen[bytes]] = []
    commands: list[list[str]] = []
    with ExitStack() as stack:
        # One after the other: tokens are given to one at a time.
        for number in range(1, nodes + 1):
            host, own = f"127.0.0.{number}", folder / f"node{number}"
            own.mkdir()
            (own / "cassandra.yaml").write_text(
                _CONFIG.format(
                    host=host,
                    port=port,
                    storage=storage,
                    folder=own,
                    authenticator="PasswordAuthenticator" if password else "AllowAllAuthenticator",
                )
            )
            command = [
                java, "-Xms200M", "-Xmx600M", "-XX:+UseSerialGC", f"-javaagent:{next(place.glob('jamm-*.jar'))}",
                "-cp", f"{own}:{place}/*", f"-Dcassandra.config=file://{own}/cassandra.yaml",
                f"-Dcassandra.storagedir={own}", "-Dcassandra-foreground=yes", "-Djdk.attach.allowAttachSelf=true",
                # Nobody else is there to be waited for; on a busy machine the first of three may be slow to answer.
                f"-Dcassandra.ring_delay_ms={1000 if nodes < 3 else 5000}",
                "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                "-Dcassandra.superuser_setup_delay_ms=0", "-Dio.netty.tryReflectionSetAccessible=true",
                *(f"--add-exports={one}=ALL-UNNAMED" for one in _EXPORTED),
                *(f"--add-opens={one}=ALL-UNNAMED" for one in _OPENED),
                "org.apache.cassandra.service.CassandraDaemon",
            ]  # fmt: skip
            commands.append(command)
            context = started(command, own, lambda host=host: _answers(host, port, password), limit_s=180)  # type: ignore[misc]
            processes.append(stack.enter_context(context))
        cluster = Cluster(processes, port, commands)
        _meet(cluster, password)
        yield cluster


def _answers(host: str, port: int, password: str) -> bool:
    from weigh._native import LoadError

    try:
        user = "cassandra" if password else ""
        execute(host, port, "SELECT key FROM system.local;", user=user, password=password)
    except LoadError:
        return False
    return True


def _meet(cluster: Cluster, password: str) -> None:
    """Wait until each node knows all others."""
    until = time.monotonic() + 60
    user = "cassandra" if password else ""
    for host in cluster.hosts:
        while True:
            [peers] = execute(host, cluster.port, "SELECT peer FROM system.peers;", user=user, password=password)
            if peers["count"] == len(cluster.processes) - 1:
                break
            if time.monotonic() > until:
                raise RuntimeError(f"{host} knows {peers['count']} other nodes")
            time.sleep(0.2)
