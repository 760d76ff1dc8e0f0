"""How a lie is committed on purpose: what its liar and its honest twin do, and what must be reported of the liar."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

Step = str | Callable[[Path], None]
"""A command as a user types it, without the ``weigh`` before it; or what is done to files, told the folder."""


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """What one side does, in a folder of its own.

    Attributes:
        steps: in order. The last one is a command, and what it says is what weigh says of this side. ``{server}``
            stands for the address of the server.
        server: what the server does to requests (:data:`weigh_liars.resp_proxy.Lie`); empty where there is none.
        settings: variables of the environment that the commands are given besides.
    """

    steps: tuple[Step, ...]
    server: str = ""
    settings: dict[str, str] = {}

    @property
    def commands(self) -> list[str]:
        """What a user would type."""
        return [f"weigh {step}" for step in self.steps if isinstance(step, str)]


class Commission(msgspec.Struct, frozen=True, kw_only=True):
    """One lie, committed.

    Attributes:
        liar: commits it.
        code: what must be reported of the liar: the code of a finding, a reason or a problem, or a verdict in capitals
            (``DIVERGED``, ``UNRESOLVED``).
        of: the contender that it must be reported of; empty where it is reported of none.
        twin: does the same honestly; None where the twin is a contender in the run of the liar, called ``twin``.
        silent: codes that accuse; said of the twin, it is accused falsely. Where they are none: ``code``.
        twin_text: what must be reported of the twin; empty where nothing must. It shows that silence is no blindness.
        needs: why it cannot be committed here, one sentence, or nothing.
        forms: the same lie in other forms, each of which must be caught, too.
    """

    liar: Act
    code: str
    of: str = ""
    twin: Act | None = None
    silent: tuple[str, ...] = ()
    twin_text: str = ""
    needs: Callable[[], str] | None = None
    forms: tuple[Commission, ...] = ()

    @property
    def accusing(self) -> tuple[str, ...]:
        """What must not be reported of the twin."""
        return self.silent or (self.code,)
