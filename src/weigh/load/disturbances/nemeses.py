"""The faults there are, and what they need."""

from __future__ import annotations

from typing import get_args

from weigh.load.spec import Nemesis

NEMESES: tuple[Nemesis, ...] = get_args(Nemesis)
LINKED = ("partition", "latency")
"""Those that are made by a proxy between load and server."""
DISKS = ("full-disk", "slow-disk")
"""Those that need the server's data on a file system of its own."""
