"""Wheels: which package and version one holds, by its own metadata."""

from __future__ import annotations

import hashlib
import re
import zipfile
from email.parser import Parser
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_METADATA = re.compile(r"[^/]+\.dist-info/METADATA")
_MOST = 16 << 20
"""Bytes of metadata that are read: a file with more is none."""


class Wheel(NamedTuple):
    """What a wheel is.

    Attributes:
        file: its name.
        package: name of the package.
        version: of the package.
        sha256: of the file.
    """

    file: str
    package: str
    version: str
    sha256: str


def read(path: Path, where: str) -> Wheel:
    """What a wheel says of itself.

    Args:
        path: of the file.
        where: who names it, for errors.

    Raises:
        UsageError: it is no wheel, or cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            (found,) = (one for one in archive.infolist() if _METADATA.fullmatch(one.filename))
            if found.file_size > _MOST:
                raise ValueError
            metadata = Parser().parsestr(archive.read(found).decode(), headersonly=True)
        package, version = metadata["Name"], metadata["Version"]
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", where=where, remedy="name a wheel that is there"
        ) from None
    except (zipfile.BadZipFile, ValueError, RuntimeError):
        # The last one is how zipfile refuses a password, and a compression that it does not know.
        package = version = None
        sha256 = ""
    if not package or not version:
        raise UsageError(f"{path} is no wheel", where=where, remedy="name a file that pip could install") from None
    return Wheel(path.name, package, version, sha256)


def normal(package: str) -> str:
    """The name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", package).lower()
