"""The grid: layouts that are crossed completely, so that the effect of each key can be told from that of others."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_Layout = TypeVar("_Layout", bound=msgspec.Struct)
Level = str | int | bool | tuple[str, ...]
"""A value of a key of ``[layout]``."""


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """A key of ``[layout]`` that is varied.

    Attributes:
        key: its name.
        levels: its values, at least two; the others are compared with the first.
    """

    key: str
    levels: tuple[Level, ...]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Every combination of the levels of all factors, for every contender.

    Attributes:
        factors: at least one; the last one varies fastest over the cells.
        members: by contender as it was asked for, the contenders that it became: one for each cell, in their order.
    """

    factors: tuple[Factor, ...]
    members: dict[str, tuple[str, ...]]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each factor has."""
        return tuple(len(one.levels) for one in self.factors)

    @property
    def cells(self) -> Iterator[dict[str, Level]]:
        """The level of every factor, by key, of each cell in order."""
        keys = [one.key for one in self.factors]
        for levels in product(*(one.levels for one in self.factors)):
            yield dict(zip(keys, levels, strict=True))


def laid_out(layout: _Layout, cell: dict[str, Level]) -> _Layout:
    """The layout of a cell: another one with the levels of the cell put in."""
    return msgspec.structs.replace(layout, **cell)


def cell_name(cell: dict[str, Level]) -> str:
    """``files20.zstd``: a name of a layout that tells the levels apart."""
    return ".".join(_level(key, level) for key, level in cell.items())


def _level(key: str, level: Level) -> str:
    short = {"row_group_rows": "groups"}.get(key, key.replace("_", "-"))
    if key in ("format", "writer", "codec"):
        return str(level)
    if isinstance(level, bool):
        return short if level else f"no-{short}"
    if isinstance(level, tuple):
        return f"{short}-{'-'.join(level) or 'none'}"
    return f"{short}{level}"
