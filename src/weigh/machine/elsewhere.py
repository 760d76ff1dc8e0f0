"""A "local disk" that turned out to be something else (E2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes

if TYPE_CHECKING:
    from weigh.model.codes.code import Graded
    from weigh.model.data.storage import Place

_ELSEWHERE = {
    "memory": (codes.E2_MEMORY, "memory: no figure says anything about a device"),
    "network": (codes.E2_NETWORK, "a file system over the network, not a disk of this machine"),
    "network-disk": (codes.E2_NETWORK, "a volume over the network that looks like a disk of this machine"),
    "overlay": (codes.E2_OVERLAY, "layers of a container: on what they lie cannot be observed from inside"),
    "host": (codes.E2_HOST, "a folder of the machine under this one"),
}


def elsewhere(place: Place) -> tuple[Graded, str] | None:
    """The code of what a place is instead of a disk of this machine, and in words; None of a disk."""
    return _ELSEWHERE.get(place.kind)
