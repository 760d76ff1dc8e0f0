"""``--prepare``: a file of SQL that makes the data of an embedded server."""

from __future__ import annotations

import hashlib
from shlex import quote
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from weigh.load.spec import PreparedData
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.load.spec import Script

_LONGEST = 256 << 20
"""Bytes."""
_OTHER_FORMS = {
    b"PGDMP": ("an archive of pg_dump", "pg_restore -f dump.sql {0}, and name dump.sql"),
    b"\x1f\x8b": ("compressed", "gunzip --keep {0}, and name what it writes"),
    b"\x28\xb5\x2f\xfd": ("compressed", "zstd --decompress {0}, and name what it writes"),
}
"""By how a file begins, what else may be named."""
_MYSQL = "{program}{host}{port}{user} -p {database} < {file}"
_CLIENTS = {
    "postgres": "psql -v ON_ERROR_STOP=1 -f {file} {url}",
    "mysql": _MYSQL.replace("{program}", "mysql"),
    "mariadb": _MYSQL.replace("{program}", "mariadb"),
    "clickhouse": "clickhouse-client{host}{user} --queries-file {file}",
    "cassandra": "cqlsh -f {file}{user} {address}",
    "redis": "redis-cli{cluster}{host}{port} < {file}",
    "valkey": "valkey-cli{cluster}{host}{port} < {file}",
}
"""What runs a file at a server by URL, by what its scheme begins with."""


def file_of(path: Path, targets: Sequence[str], instead: str) -> Path:
    """The file, which is there to be read.

    Args:
        path: as it was named.
        targets: that it is for.
        instead: what to do for a server that is not embedded.

    Raises:
        UsageError: it is for a server that weigh does not start, or cannot be read.
    """
    others = [target for target in targets if ":embedded" not in target]
    if others:
        raise UsageError(f"--prepare makes the data of an embedded server, and {others[0]} is none", remedy=instead)
    try:
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as error:
        raise UsageError(
            f"it cannot be read: {error.strerror or error}", where=str(path), remedy="name a file of SQL"
        ) from None
    if not path.is_file() or size > _LONGEST:
        raise UsageError(f"it is no file of at most {_LONGEST >> 20} MiB", where=str(path), remedy=instead)
    content = path.read_bytes()
    for beginning, (what, remedy) in _OTHER_FORMS.items():
        if content.startswith(beginning):
            raise UsageError(f"it is {what}, and not SQL", where=str(path), remedy=remedy.format(quote(str(path))))
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"line {line} is not UTF-8", where=str(path), remedy="write it as UTF-8: pg_dump --encoding=UTF8"
        ) from None
    return path


def _yourself(path: Path, targets: Sequence[str]) -> str:
    """How the data is made at a server that weigh does not start: nobody's tables are dropped by a benchmark."""
    commands = [command for target in targets if (command := _command(path, target))]
    by = f": {'; '.join(commands)}; then the same" if commands else ", and then the same"
    return f"make the data there yourself{by} without --prepare"


def _command(path: Path, target: str) -> str:
    """The command of the server's own client, which asks for a password itself; empty where none is known."""
    scheme = target.partition("://")[0].lower() if "://" in target else ""
    client = next((client for name, client in _CLIENTS.items() if scheme.startswith(name)), None)
    if client is None:
        return ""
    parts = urlsplit(target)
    host, port, user = parts.hostname or "localhost", parts.port, parts.username
    return client.format(
        file=quote(str(path)),
        url=quote(target),
        host=f" -h {quote(host)}" if "cli" in client and "clickhouse" not in client else f" --host {quote(host)}",
        port=(f" -p {port}" if "cli" in client else f" --port {port}") if port else "",
        user=(f" -u {quote(user)}" if client.startswith("cqlsh") else f" --user {quote(user)}") if user else "",
        database=quote(parts.path.strip("/") or "DATABASE"),
        cluster=" -c" if "cluster" in scheme else "",
        address=quote(host) + (f" {port}" if port else ""),
    )


def prepared(
    path: Path | None, workload: str, scripts: Sequence[Script], targets: Sequence[str]
) -> PreparedData | msgspec.UnsetType:
    """What makes the data of somebody's own scripts.

    Args:
        path: of the file; None where none is named.
        workload: its name.
        scripts: of it.
        targets: that they run on.

    Raises:
        UsageError: weigh makes the tables itself, or as of :func:`file_of`.
    """
    if path is None:
        return msgspec.UNSET
    if not any(one.text for one in scripts):
        own = ", ".join(one.name for one in scripts) or workload
        raise UsageError(
            f"--prepare makes the data of your own scripts, and weigh makes that of {own} itself",
            remedy="leave it out, or name a FILE.sql",
        )
    file = file_of(path, targets, _yourself(path, targets))
    return PreparedData(file=file.name, digest=hashlib.sha256(file.read_bytes()).hexdigest())
