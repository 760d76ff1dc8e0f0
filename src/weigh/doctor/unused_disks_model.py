"""Disks that nobody uses, and what an examination of storage found."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.doctor.read_rates_model import Rates
from weigh.model.data.storage import Device, Place


class Spare(msgspec.Struct, frozen=True, kw_only=True):
    """A disk that is not mounted.

    Attributes:
        device: the disk.
        state: ``blank``: may be taken; ``signed``: it bears something; ``unreadable``: that cannot be determined.
        why: what was found, or why it cannot be determined; empty of a blank one.
    """

    device: Device
    state: Literal["blank", "signed", "unreadable"]
    why: str = ""


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """What ``weigh doctor storage`` found.

    Attributes:
        places: on what the path lies, and weigh's own folders.
        rates: how fast it is read there; None with ``--no-rates``.
        spares: disks that are not mounted.
        script: shell lines that would make storage of the blank ones; empty where there is none.
    """

    places: tuple[Place, ...]
    rates: Rates | None
    spares: tuple[Spare, ...]
    script: str
