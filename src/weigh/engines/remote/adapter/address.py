"""Where a system is: its URL in parts, and the password, which no URL of a report has."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence


class Address(NamedTuple):
    """Parts of a URL, unquoted; empty or 0 where it has none.

    Attributes:
        scheme: which profile it is.
        user: who connects.
        password: of the user.
        host: without a port.
        port: the profile's default where the URL has none.
        path: its parts between the slashes: a catalog, a database, a schema.
    """

    scheme: str
    user: str
    password: str
    host: str
    port: int
    path: tuple[str, ...]

    def part(self, number: int, default: str = "") -> str:
        """A part of the path, or what stands for it."""
        return self.path[number] if number < len(self.path) else default

    @property
    def basic(self) -> str:
        """User and password as HTTP has them in a header; empty without a password."""
        return base64.b64encode(f"{self.user}:{self.password}".encode()).decode() if self.password else ""


def parsed(url: str, port: int, secrets: Sequence[str], secret: str = "") -> Address:
    """The address of a URL.

    Args:
        url: without a password.
        port: where it has none.
        secrets: environment variables that may hold the password.
        secret: the contender's own: the name of a variable, or the path of a file that only its user can read.

    Raises:
        ValueError: the named variable is not set, or the file can be read by others.
    """
    parts = urlsplit(url)
    return Address(
        scheme=parts.scheme,
        user=unquote(parts.username or ""),
        password=_password(secrets, secret),
        host=parts.hostname or "",
        port=parts.port or port,
        path=tuple(unquote(part) for part in parts.path.split("/") if part),
    )


def _password(secrets: Sequence[str], secret: str) -> str:
    if secret.startswith(("/", "~", ".")):
        file = Path(secret).expanduser()
        if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError(f"others may read {file}, which holds a password: chmod 600 it")
        return file.read_text().rstrip("\n")
    if secret:
        if secret not in os.environ:
            raise ValueError(f"the environment variable {secret} is not set, and weigh.secret names it")
        return os.environ[secret]
    return next((os.environ[name] for name in secrets if name in os.environ), "")
