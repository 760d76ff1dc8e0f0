"""The password file of PostgreSQL's own clients.

Source: PostgreSQL's documentation, "libpq - C Library", section "The Password File".
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_USUAL = "~/.pgpass"
_LONGEST = 1 << 20
_FIELDS = 5


def password(host: str, port: int, database: str | None, user: str | None) -> str | None:
    """The password of the first line that fits; None where no line does, or there is no file.

    Args:
        host: as the file has it: a name, an address, or ``localhost`` for a unix socket.
        port: of the server.
        database: its name.
        user: who logs in.

    Raises:
        UsageError: a line fits, and others than its owner may read the file: libpq would not look at it.
    """
    path = Path(os.environ.get("PGPASSFILE") or _USUAL).expanduser()
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LONGEST:
            return None
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return None
    wanted = (host, str(port), database or "", user or "")
    for line in lines:
        fields = list(_fields(line))
        if line.startswith("#") or len(fields) != _FIELDS:
            continue
        if all(field in ("*", own) for field, own in zip(fields, wanted, strict=False)):
            if facts.st_mode & 0o077:
                raise UsageError(
                    "others may read the file with the passwords, so it is not used",
                    where=str(path),
                    remedy=f"chmod 600 {path}",
                )
            return fields[-1]
    return None


def _fields(line: str) -> Iterator[str]:
    """The parts of a line between its colons; a backslash takes what follows as it is."""
    part, escaped = "", False
    for character in line:
        if escaped:
            part, escaped = part + character, False
        elif character == "\\":
            escaped = True
        elif character == ":":
            yield part
            part = ""
        else:
            part += character
    yield part
