"""Programs that ask others, each in an environment with the library that it needs: weigh itself has none of them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from weigh.engines import environment as environments
from weigh_worker.masking import masked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_PATIENCE = 120
"""Seconds for all that is asked."""


class Reply(msgspec.Struct):
    """What every program says.

    Attributes:
        error: that there was one, in the words of the other side; None for none.
        code: its code; empty where it has none.
    """

    error: str | None = None
    code: str = ""


_ReplyT = TypeVar("_ReplyT", bound=Reply)


def ask(
    program: Path,
    requires: Sequence[str],
    request: Mapping[str, Any],
    reply_type: type[_ReplyT],
    cache: Path,
    environment: Mapping[str, str] | None = None,
) -> _ReplyT | None:
    """Have a program do what it is asked, which may hold secrets: they are observed in no list of processes.

    Args:
        program: its file, which imports nothing of weigh.
        requires: exact requirements of its environment.
        request: as JSON on its standard input.
        reply_type: what comes on its standard output.
        cache: folder of environments.
        environment: its variables; None for those of weigh.

    Returns:
        Its reply; None where it said nothing in time, or what is no reply.

    Raises:
        EnvironmentFault: the environment cannot be had.
    """
    interpreter = environments.ensure([*requires], cache)
    try:
        run = subprocess.run(
            [str(interpreter.python), "-P", "-B", str(program)],
            input=msgspec.json.encode(request),
            capture_output=True,
            timeout=_PATIENCE,
            cwd="/",
            env=environment,
            check=False,
        )
        reply = msgspec.json.decode(run.stdout, type=reply_type)
    except (subprocess.TimeoutExpired, msgspec.MsgspecError):
        return None
    if reply.error is not None:
        # A careless server repeats what it was given.
        reply.error = masked(reply.error, _secrets(request))
    return reply


def _secrets(request: Mapping[str, Any]) -> Iterator[str]:
    """Passwords, keys and tokens of a request."""
    for name, value in request.items():
        if isinstance(value, dict):
            yield from _secrets(value)
        elif isinstance(value, str) and any(word in name for word in ("password", "secret", "token")):
            yield value
