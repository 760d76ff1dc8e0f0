"""Programs that keep the entries of a history elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.engines import program as programs
from weigh.engines.prepared import cache_folder
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class Reply(programs.Reply):
    """What a program says.

    Attributes:
        added: names of the entries that were not there.
        entries: names and JSON of all.
    """

    added: list[str] = msgspec.field(default_factory=list)
    entries: list[tuple[str, str]] = msgspec.field(default_factory=list)


def ask(
    program: Path,
    requires: Sequence[str],
    request: Mapping[str, Any],
    *,
    where: str,
    silent: str,
    environment: Mapping[str, str] | None = None,
) -> Reply:
    """Have a program do what it is asked.

    Args:
        program: as of :func:`weigh.engines.program.ask`.
        requires: as of it.
        request: as of it.
        where: the history, without secrets.
        silent: what is wrong where it says nothing in time, or what is no reply.
        environment: as of it.

    Raises:
        EnvironmentFault: the environment cannot be had, or the program says nothing.
    """
    reply = programs.ask(program, requires, request, Reply, cache_folder(), environment)
    if reply is None:
        raise EnvironmentFault(silent, where=where, remedy="see the server's log")
    return reply
