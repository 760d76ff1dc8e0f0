"""What the sampler alongside a server says, asked over pipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.waits.model import Waits
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from weigh.load.waits.pipe import Pipe

_PATIENCE = 15.0
"""Seconds to connect at most, which a begin takes, and some."""


class _Begun(msgspec.Struct):
    error: str = ""


class WaitsByPipe:
    """A sampler in the server's process, as of :class:`weigh.load.waits.model.WaitSampler`.

    Args:
        pipe: to that process, which has replied how the server is.
        prefix: of what it is asked.
    """

    def __init__(self, pipe: Pipe, prefix: str) -> None:
        self._pipe = pipe
        self._prefix = prefix

    def begin(self) -> None:
        """Connect, and sample from now on.

        Raises:
            EngineFault: the server or its process refuses.
        """
        begun = msgspec.json.decode(self._request("begin"), type=_Begun)
        if begun.error:
            raise EngineFault(begun.error)

    def drain(self) -> Waits:
        """What was observed since it was asked before.

        Raises:
            EngineFault: the process has ended.
        """
        return msgspec.json.decode(self._request("drain"), type=Waits)

    def end(self) -> Waits:
        """Stop, and what was observed last.

        Raises:
            EngineFault: the process has ended.
        """
        return msgspec.json.decode(self._request("end"), type=Waits)

    def _request(self, what: str) -> bytes:
        return self._pipe.ask(f"{self._prefix}{what}", _PATIENCE)
