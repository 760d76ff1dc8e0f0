"""``--prepare``: a file of SQL that makes the data of an embedded server."""

from __future__ import annotations

import hashlib
from shlex import quote
from typing import TYPE_CHECKING

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
_CLIENTS = {
    "postgres": "psql -f {0}",
    "mysql": "mysql DATABASE < {0}",
    "mariadb": "mariadb DATABASE < {0}",
    "clickhouse": "clickhouse-client --queries-file {0}",
    "cassandra": "cqlsh -f {0}",
    "redis": "redis-cli < {0}",
    "valkey": "valkey-cli < {0}",
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
    schemes = [target.partition("://")[0].lower() for target in targets if "://" in target]
    found = (client for scheme in schemes for name, client in _CLIENTS.items() if scheme.startswith(name))
    by = f" ({client.format(quote(str(path)))})" if (client := next(found, None)) else ""
    return f"make the data there yourself{by}, and leave --prepare out"


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
