"""Programs that keep entries elsewhere, each in an environment with the library that it needs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_PATIENCE = 120
"""Seconds for all that is asked."""


class Reply(msgspec.Struct):
    """What a program says.

    Attributes:
        error: that there was one, in the words of the other side; None for none.
        code: its code; empty where it has none.
        added: names of the entries that were not there.
        entries: names and JSON of all.
    """

    error: str | None = None
    code: str = ""
    added: list[str] = []
    entries: list[tuple[str, str]] = []


def ask(
    program: Path,
    requires: Sequence[str],
    asked: Mapping[str, Any],
    *,
    where: str,
    silent: str,
    environment: Mapping[str, str] | None = None,
) -> Reply:
    """Have a program do what it is asked, which may hold secrets: they are seen in no list of processes.

    Args:
        program: its file, which imports nothing of weigh.
        requires: exact requirements of its environment.
        asked: as JSON on its standard input.
        where: the history, without secrets.
        silent: what is wrong where it says nothing in time, or what is no reply.
        environment: its variables; None for those of weigh.

    Raises:
        EnvironmentFault: the environment cannot be had, or the program says nothing.
    """
    own = environments.ensure([*requires], cache_folder())
    try:
        run = subprocess.run(
            [str(own.python), "-P", "-B", str(program)],
            input=msgspec.json.encode(asked),
            capture_output=True,
            timeout=_PATIENCE,
            cwd="/",
            env=environment,
            check=False,
        )
        return msgspec.json.decode(run.stdout, type=Reply)
    except (subprocess.TimeoutExpired, msgspec.MsgspecError):
        raise EnvironmentFault(silent, where=where, remedy="see the server's log") from None
