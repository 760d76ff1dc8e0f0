"""The ladder as it was asked for: experiments that differ in one thing."""

from __future__ import annotations

import hashlib

import msgspec

from weigh.model.contender import Variation
from weigh.model.units import Scale


class LadderPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder.

    Attributes:
        scales: one a rung, ascending; a single None for a user's own files.
        experiments: id of the experiment of each rung.
        variations: contenders that take part in several widths.
        command: the command that does it again.
    """

    scales: tuple[Scale | None, ...]
    experiments: tuple[str, ...]
    variations: tuple[Variation, ...] = ()
    command: str = ""

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the ladder (not the command)."""
        plain = msgspec.to_builtins(msgspec.structs.replace(self, command=""))
        return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:12]
