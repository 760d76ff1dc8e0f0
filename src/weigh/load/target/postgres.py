"""PostgreSQL as a target: a throw-away server from a wheel, or any other by URL."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.engines import environment as environments
from weigh.engines import postgres as engines
from weigh.engines.builds import installation
from weigh.host import scratch
from weigh.load.activity.sampler import ActivityByPipe
from weigh.load.remedies import remedy_of
from weigh.load.runs import TargetRead
from weigh.load.target import embedded, secrecy, server_folder, sql_server, tls
from weigh.load.target.local_server import same_host, whereabouts
from weigh.load.target.sql_server import Reply, SqlServer
from weigh.load.target.target import Reached
from weigh.load.target.url import ByUrl
from weigh.load.waits.by_pipe import WaitsByPipe
from weigh.model.errors import EngineFault, UsageError
from weigh.model.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from weigh.engines.environment import Environment
    from weigh.load.target.url import Url
    from weigh.load.waits.pipe import Pipe

_SERVER_SCRIPT = Path(__file__).parent / "postgres_server.py"
_ADAPTER = engines.engine.adapter.parent
_SPARE = 10
"""Connections besides those of the load."""
_USUAL_CONNECTIONS = 100
_PATIENCE = 20
_FULL = "cannot allocate memory"
_PARTED = 10.0
"""Seconds for what that process had begun and could not end itself; what is there still then is swept later."""
_DECIDED = (
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "listen_addresses",
    "port",
    "unix_socket_directories",
)
"""Where things lie, and who may come, is decided by weigh."""
_SETTINGS = "see https://www.postgresql.org/docs/current/runtime-config.html for the settings and their values"
_OFF = {
    "fsync": "fsync is off: nothing is forced to the disk",
    "synchronous_commit": "synchronous_commit is off: a commit is acknowledged before it is on the disk",
    "full_page_writes": "full_page_writes is off: a page torn by a loss of power cannot be mended",
}


class EmbeddedPostgres:
    """A server of its own, durable, that nobody else can reach, and that ends with weigh.

    Args:
        text: ``postgres:embedded``, with ``@VERSION`` and ``?SETTING=VALUE`` behind it.

    Raises:
        UsageError: they are none, or are decided by weigh.
    """

    kind = "postgres"
    restarts = True

    def __init__(self, text: str = "postgres:embedded") -> None:
        self.request = embedded.parse(text, _DECIDED, folders=True)
        self.text = text
        if dotted := [name for name in self.request.settings if "." in name or "-" in name]:
            # A server takes any name with a dot, for an extension that may come.
            raise UsageError(f"PostgreSQL has no setting {dotted[0]}", where=text, remedy=_SETTINGS)

    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            UsageError: there is no such version, or it has no such setting.
            EngineFault: it does not start.
            EnvironmentFault: its package cannot be had.
        """
        environment, programs = self._programs(cache)
        server_folder.account()
        folder = server_folder.folder()
        own = self.request.settings
        options = {"max_connections": str(max(connections + _SPARE, _USUAL_CONNECTIONS)), **own}
        try:
            if data is not None:
                server_folder.copy(data, folder / "data")
            swept = str(server_folder.swept(folder))
            asks = {"folder": str(folder), "swept": swept, "options": options, "shown": list(own), "programs": programs}
            asks["environment"] = dict(server_folder.environment())
            with _process(environment, asks, self.text) as (reply, pipe):
                if reply.error and own and any(name in reply.error for name in own):
                    raise UsageError(sentences(reply.error), where=self.text, remedy=_SETTINGS)
                if reply.error:
                    raise EngineFault(sentences(reply.error), where=self.text, remedy="see what the server says")
                connect = {
                    "kind": self.kind,
                    "host": None,
                    "port": 5432,
                    "socket": reply.socket,
                    "user": reply.user,
                    "password": None,
                    "database": reply.database,
                    "tls": "off",
                    "ca": None,
                }
                in_memory = server_folder.in_memory(folder)
                read = partial(_read, embedded=True, here=True, in_memory=in_memory)
                server = SqlServer(pipe, read)
                yield Reached(
                    connect=connect,
                    read=read(reply),
                    waits=WaitsByPipe(pipe, "waits "),
                    activity=ActivityByPipe(pipe, "activity "),
                    lock=environment.lock,
                    servers=(),
                    data=folder,
                    tables=(folder / "data" / "base",),
                    ready=server.ready,
                    again=server.again,
                    keep=lambda to: server.keep(folder / "data", to),
                    rows=server.rows,
                    crash=server.crash,
                    restart=server.restart,
                    process=reply.process,
                )
        finally:
            scratch.remove(folder, _PARTED)

    def _programs(self, cache: Path) -> tuple[Environment, str]:
        """Where the server's client is installed, and the folder of the programs of an installation, if it is one."""
        engine = engines.engine
        if not self.request.installed:
            return embedded.environment(
                self.request, engine.package, engine.tested, engine.requires, "PostgreSQL", cache
            ), ""
        there = installation.read(self.request.version, engine.installation, self.text)
        made = environments.ensure([*engine.requires], cache)
        program = Path(there.place, there.file)
        identity = f"{program} sha256:{installation.program_hash(program, self.text)} version {there.version}"
        lock = f"{made.lock}{identity} contents sha256:{there.content}\n"
        return msgspec.structs.replace(made, lock=lock), str(program.parent)


class PostgresByUrl(ByUrl):
    """A server that is there already."""

    kind = "postgres"

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: it cannot be reached, or refuses the user.
            EnvironmentFault: the package that reads its settings cannot be had.
        """
        url = self.url
        connect = psycopg_connect(url)
        environment = environments.ensure([*engines.PSYCOPG], cache)
        near = True if url.socket else same_host(url.host, url.port)
        with _process(environment, {"folder": None, "connect": connect, "near": near}, url.text) as (
            reply,
            pipe,
        ):
            if reply.error:
                raise EngineFault(_explained(reply.error), where=url.text, remedy=_remedy(reply.error))
            here, servers = whereabouts(near, reply.server)
            reached = url.connect(encrypted=reply.encrypted)
            describe = partial(_read, embedded=False, here=here)
            read = msgspec.structs.replace(describe(reply), tls=reached["tls"])
            server = SqlServer(pipe, describe)
            yield Reached(
                connect=reached,
                read=read,
                waits=WaitsByPipe(pipe, "waits "),
                activity=ActivityByPipe(pipe, "activity "),
                servers=servers,
                ready=server.ready,
                again=server.again,
                rows=server.rows,
                process=reply.server,
            )


def psycopg_connect(url: Url) -> dict[str, Any]:
    """A server's address as psycopg takes it."""
    authority = {"sslrootcert": url.tls.ca} if url.tls.ca else {}
    return {
        "host": url.socket or url.host,
        "port": url.port,
        "user": url.user,
        "password": url.password,
        "dbname": url.database,
        "sslmode": {"off": "disable", "verify": "verify-full"}.get(url.tls.mode, url.tls.mode),
        "connect_timeout": _PATIENCE,
        "application_name": "weigh",
        **authority,
    }


def _explained(complaint: str) -> str:
    """What libpq says where its memory is bounded, as what it means."""
    return (
        f"the server sent a message that is longer than is taken here ({sentences(complaint)})"
        if _FULL in complaint
        else sentences(complaint)
    )


def _remedy(complaint: str) -> str:
    if _FULL in complaint:
        return "see whether it is a PostgreSQL server"
    if "does not support SSL" in complaint:
        return "take sslmode=disable, if the load may go over the network in clear; or switch TLS on in the server"
    if "certificate" in complaint:
        return tls.CERTIFICATE
    return remedy_of("", complaint) or "check the address, the user and the password"


def _process(
    environment: Environment, request: dict[str, Any], where: str
) -> AbstractContextManager[tuple[Reply, Pipe]]:
    """The process of :mod:`weigh.load.target.postgres_server`."""
    return sql_server.process(_SERVER_SCRIPT, environment, {"adapter": str(_ADAPTER), **request}, where, "PostgreSQL")


def _read(reply: Reply, *, embedded: bool, here: bool | None, in_memory: bool = False) -> TargetRead:
    undurable = [words for name, words in _OFF.items() if reply.settings.get(name, {}).get("value") == "off"]
    if in_memory:
        undurable.append("its data lies in memory (tmpfs): a loss of power empties it")
    return TargetRead(
        kind="postgres",
        product="PostgreSQL",
        version=reply.version,
        embedded=embedded,
        same_host=here,
        in_force=reply.settings,
        undurable=tuple(undurable),
        durable=not undurable,
        cycles=reply.cycles,
        pooler=True if reply.pooled else msgspec.UNSET,
    )
