"""The setting of a server that limits what it holds in its own memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.model.units import Bytes

SETTINGS = {
    "mariadb:embedded": "innodb_buffer_pool_size",
    "postgres:embedded": "shared_buffers",
    "valkey:embedded": "maxmemory",
}
"""By the target without its version."""
_SIZE = re.compile(r"(\d+)\s*(kb|mb|gb|tb|[bkmgt]|)", re.IGNORECASE)
_UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
"""All of them count in powers of two."""
_LETTERS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
"""Of MariaDB alone: in Valkey they are powers of ten, and PostgreSQL has none."""
_PAGE = 8192
"""Bytes of PostgreSQL's unit, where a setting has none."""


def in_bytes(name: str, text: str) -> Bytes | None:
    """Such a setting in bytes; None where it is none, or no limit.

    Args:
        name: of the setting.
        text: its value, as a user writes it or the server says it.
    """
    found = _SIZE.fullmatch(text.strip().strip("'"))
    if found is None:
        return None
    letter = found[2].lower()
    units = _LETTERS if name == "innodb_buffer_pool_size" else _UNITS
    unit = units.get(letter) if letter else _PAGE if name == "shared_buffers" else 1
    if unit is None:
        return None
    return int(found[1]) * unit or None
