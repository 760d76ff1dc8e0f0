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
_SIZE = re.compile(r"(\d+)\s*(kb|mb|gb|tb|b|)", re.IGNORECASE)
_UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
"""Both servers count in powers of two."""
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
    unit = _UNITS[found[2].lower()] if found[2] else _PAGE if name == "shared_buffers" else 1
    return int(found[1]) * unit or None
