"""What is to happen while a load goes on, as part of a spec."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Nemesis = Literal["kill", "pause", "partition", "latency", "full-disk", "slow-disk", "clock"]
"""A fault, by the name that Jepsen's nemeses have."""
NEMESES: tuple[Nemesis, ...] = get_args(Nemesis)
LINKED = ("partition", "latency")
"""Those that are made by a proxy between load and server."""
DISKS = ("full-disk", "slow-disk")
"""Those that need the server's data on a file system of its own."""


class Disturbances(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What happens in every run; one of the three.

    Attributes:
        nemeses: faults, each once a run.
        during: statements that are executed one after another, once in every block.
        name: of the statements, for people.
        kill, start: commands for a server of the user's, as of :class:`weigh.load.spec.Crashes`.
    """

    nemeses: tuple[Nemesis, ...] = ()
    during: tuple[str, ...] = ()
    name: str = ""
    kill: str = ""
    start: str = ""
