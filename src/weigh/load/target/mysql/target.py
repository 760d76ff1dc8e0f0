"""MySQL and MariaDB as targets: a throw-away MariaDB from an installed folder, or any server by URL."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.engines import environment as environments
from weigh.engines.builds import installation
from weigh.load.activity.sampler import ActivityByPipe
from weigh.load.remedies import of_text, remedy_of
from weigh.load.runs import TargetRead
from weigh.load.target import embedded, secrecy, server_folder, sql_server
from weigh.load.target.local_server import same_host, whereabouts
from weigh.load.target.mysql.durability import undurable
from weigh.load.target.sql_server import Reply, SqlServer
from weigh.load.target.target import Reached
from weigh.load.target.url import ByUrl
from weigh.load.waits.by_pipe import WaitsByPipe
from weigh.model.errors import EngineFault, UsageError
from weigh.model.text import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.target.url import Url

CLIENT = ("PyMySQL==1.2.4", "PyNaCl==1.6.2")
"""What asks the server for its settings, outside the clock; the second for users who are identified by ed25519."""
_SCRIPT = Path(__file__).parent / "server.py"
_PROGRAMS = ("sbin/mariadbd", "bin/mariadbd", "libexec/mariadbd", "bin/mysqld", "sbin/mysqld")
_INSTALLERS = ("bin/mariadb-install-db", "scripts/mariadb-install-db", "scripts/mysql_install_db")
_SPARE = 10
"""Connections besides those of the load."""
_USUAL_CONNECTIONS = 151
_START_LIMIT = 60.0
_RETAINED = 130.0
"""Seconds for a server to write out what it holds, and end."""
_PATIENCE = 10
_POLL = 0.01
_OWN = ("root", "weigh")
"""User and database of a server of weigh's own."""
_DECIDED = (
    "basedir", "bind-address", "bind_address", "datadir", "log-error", "log_error", "pid-file", "pid_file", "port",
    "skip-networking", "skip_networking", "socket", "tmpdir", "user",
)  # fmt: skip
"""Where things lie, and who may come, is decided by weigh."""
_SETTINGS = "see https://mariadb.com/kb/en/server-system-variables/ for the settings and their values"
_UNKNOWN = ("unknown variable", "unknown option", "ambiguous option", "Unknown suffix", "Error while setting value")
_INSTALL = "install one (Debian: apt-get install mariadb-server) and name its folder: mariadb:embedded@/usr"


class _Programs(NamedTuple):
    server: Path
    install: Path
    base: Path


class EmbeddedMariaDB:
    """A server of its own, durable, that nobody else can reach, and that ends with weigh.

    Args:
        text: ``mariadb:embedded@FOLDER`` of an installation, with ``?SETTING=VALUE`` behind it.

    Raises:
        UsageError: they are none, or are decided by weigh.
    """

    kind = "mysql"
    restarts = True

    def __init__(self, text: str) -> None:
        self.request = embedded.parse(text, _DECIDED, folders=True)
        self.text = text
        if not self.request.installed:
            raise UsageError("MariaDB comes in no package of Python's: its folder is not named", remedy=_INSTALL)

    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            UsageError: the folder has no MariaDB, or it has no such setting.
            EngineFault: it does not start.
            EnvironmentFault: the package that reads its settings cannot be had.
        """
        programs = _programs(self.request.version, self.text)
        environment = environments.ensure(list(CLIENT), cache)
        folder, whose = server_folder.folder(), server_folder.account()
        life = None
        try:
            place, temporary, log = folder / "data", folder / "tmp", folder / "log"
            temporary.mkdir()
            folder.chmod(0o755)
            server_folder.give(temporary, whose)
            if data is None:
                place.mkdir()
                server_folder.give(place, whose)
                self._install(programs, place, temporary, whose)
            else:
                server_folder.copy(data, place)
            life = server_folder.Life(self._command(programs, place, temporary, connections), place, log, whose)
            socket = place / "socket"
            self._await(socket, life)

            def restart() -> int:
                life.begin()
                self._await(socket, life)
                return life.process.pid

            in_memory = server_folder.in_memory(folder)
            describe = partial(_read, embedded=True, here=True, in_memory=in_memory)
            connect = _pymysql(socket=str(socket), user=_OWN[0])
            asks = {"folder": None, "connect": connect, "near": True, "database": _OWN[1],
                    "names": list(self.request.settings), "process": life.process.pid}  # fmt: skip
            with sql_server.process(_SCRIPT, environment, asks, self.text, "MariaDB") as (reply, pipe):
                if reply.error:
                    raise EngineFault(sentences(reply.error), where=self.text, remedy="see what the server says")
                server = SqlServer(pipe, describe)
                identity = f"{programs.server} sha256:{installation.program_hash(programs.server, self.text)}"
                yield Reached(
                    connect=_generator(socket=str(socket), user=_OWN[0], database=_OWN[1]),
                    read=describe(reply),
                    activity=ActivityByPipe(pipe, "activity "),
                    waits=WaitsByPipe(pipe, "waits "),
                    lock=f"{environment.lock}{identity} version {reply.version}\n",
                    servers=(),
                    data=folder,
                    tables=(place / _OWN[1], place / "weigh_tpcc"),
                    ready=server.ready,
                    again=server.again,
                    keep=partial(_keep, life, place),
                    rows=server.rows,
                    crash=life.crash,
                    restart=restart,
                    process=life.process.pid,
                )
        finally:
            if life is not None:
                life.end()
            shutil.rmtree(folder, ignore_errors=True)

    def _install(self, programs: _Programs, place: Path, temporary: Path, whose: tuple[int, int] | None) -> None:
        """The tables of the system, and a user whom only those can be who reach the socket.

        Raises:
            EngineFault: they cannot be made.
        """
        done = subprocess.run(
            [
                str(programs.install),
                "--no-defaults",
                f"--basedir={programs.base}",
                f"--datadir={place}",
                f"--tmpdir={temporary}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=place,
            check=False,
            **server_folder.as_account(whose),
        )
        if done.returncode:
            raise EngineFault(
                f"its tables cannot be made: {' '.join((done.stderr or done.stdout).split())[-500:]}",
                where=self.text,
                remedy=f"see whether {programs.install} runs by itself, and whether everybody may read {programs.base}",
            )

    def _command(self, programs: _Programs, place: Path, temporary: Path, connections: int) -> list[str]:
        options = {"max_connections": str(max(connections + _SPARE, _USUAL_CONNECTIONS)), **self.request.settings}
        return [
            str(programs.server), "--no-defaults", f"--basedir={programs.base}", f"--datadir={place}",
            f"--tmpdir={temporary}", f"--socket={place / 'socket'}", f"--pid-file={place / 'pid'}",
            "--skip-networking", "--skip-name-resolve",
            *(f"--{name}={value}" for name, value in options.items()),
        ]  # fmt: skip

    def _await(self, socket: Path, life: server_folder.Life) -> None:
        """Until it listens. A server that was killed leaves its socket behind."""
        import socket as sockets

        until = time.monotonic() + _START_LIMIT
        while True:
            with sockets.socket(sockets.AF_UNIX) as one:
                if one.connect_ex(str(socket)) == 0:
                    return
            if life.process.poll() is not None or time.monotonic() > until:
                lines = life.log.read_text(errors="replace").strip().splitlines()
                bad = [line for line in lines if any(word in line for word in _UNKNOWN)]
                if bad and self.request.settings:
                    raise UsageError(_message(bad[-1]), where=self.text, remedy=_SETTINGS)
                errors = [_message(line) for line in lines if "[ERROR]" in line][:3] or lines[-1:]
                raise EngineFault(f"it does not start: {'; '.join(errors)}", where=self.text, remedy="see what it says")
            time.sleep(_POLL)


def _message(line: str) -> str:
    return line.partition("[ERROR]")[2].strip().rpartition("mariadbd: ")[2] or line


def _programs(folder: str, where: str) -> _Programs:
    """The programs of an installation.

    Raises:
        UsageError: it has none.
    """
    base = Path(folder).expanduser().resolve()
    found = [
        next((base / name for name in names if (base / name).is_file()), None) for names in (_PROGRAMS, _INSTALLERS)
    ]
    server, install = found
    if server is None or install is None:
        missing = "mariadbd in sbin or bin" if server is None else "bin/mariadb-install-db"
        raise UsageError(f"{folder} has no {missing}", where=where, remedy=_INSTALL)
    return _Programs(server, install, base)


def _keep(life: server_folder.Life, place: Path, to: Path) -> None:
    """End it in order, with all that it holds in its files, and copy them.

    Raises:
        EngineFault: it does not end.
    """
    life.process.send_signal(signal.SIGTERM)
    try:
        life.process.wait(timeout=_RETAINED)
    except subprocess.TimeoutExpired:
        raise EngineFault(f"it did not end within {_RETAINED:g} s", remedy="see whether its disk is full") from None
    (place / "socket").unlink(missing_ok=True)
    server_folder.copy(place, to)


class MySqlByUrl(ByUrl):
    """A server that is there already."""

    kind = "mysql"

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: it cannot be reached, or refuses the user.
            EnvironmentFault: the package that reads its settings cannot be had.
        """
        url = self.url
        environment = environments.ensure(list(CLIENT), cache)
        near = True if url.socket else same_host(url.host, url.port)
        connect = _pymysql(
            socket=url.socket,
            user=url.user,
            host=url.host,
            port=url.port,
            password=url.password,
            database=url.database,
            **_tls(url),
        )
        asks: dict[str, Any] = {
            "folder": None,
            "connect": connect,
            "near": near,
            "database": "",
            "names": [],
            "process": None,
        }
        with sql_server.process(_SCRIPT, environment, asks, url.text, "MySQL or MariaDB") as (reply, pipe):
            if reply.error:
                raise EngineFault(
                    sentences(reply.error),
                    where=url.text,
                    remedy=of_text(reply.error)
                    or remedy_of("", reply.error)
                    or "check the address, the user and the password",
                )
            here, servers = whereabouts(near, reply.server)
            describe = partial(_read, embedded=False, here=here)
            reached = url.connect()
            server = SqlServer(pipe, describe)
            yield Reached(
                connect=reached,
                read=msgspec.structs.replace(describe(reply), tls=reached["tls"]),
                activity=ActivityByPipe(pipe, "activity "),
                waits=WaitsByPipe(pipe, "waits "),
                servers=servers,
                ready=server.ready,
                again=server.again,
                rows=server.rows,
                process=reply.server,
            )


def _tls(url: Url) -> dict[str, Any]:
    if url.tls.mode == "off":
        return {"ssl_disabled": True}
    verify = url.tls.mode == "verify"
    return {"ssl_ca": url.tls.ca, "ssl_verify_cert": verify, "ssl_verify_identity": verify}


def _pymysql(*, socket: str | None, user: str | None, **more: Any) -> dict[str, Any]:
    """An address as PyMySQL takes it."""
    way = {"unix_socket": socket} if socket else {}
    return {"user": user, "connect_timeout": _PATIENCE, "program_name": "weigh", **way, **more}


def _generator(*, socket: str, user: str, database: str) -> dict[str, Any]:
    return {
        "kind": "mysql",
        "host": None,
        "port": None,
        "socket": socket,
        "user": user,
        "password": None,
        "database": database,
        "tls": "off",
        "ca": None,
    }


def _read(reply: Reply, *, embedded: bool, here: bool | None, in_memory: bool = False) -> TargetRead:
    found = undurable({name: str(one.get("value")) for name, one in reply.settings.items()})
    if in_memory:
        found.append("its data lies in memory (tmpfs): a loss of power empties it")
    return TargetRead(
        kind="mysql",
        product=reply.product,
        version=reply.version,
        embedded=embedded,
        same_host=here,
        in_force=reply.settings,
        undurable=tuple(found),
        durable=not found,
        cycles=reply.cycles,
    )
