"""The ground truth of netflow: counts and exact sums taken from the integers that the rows were made of.

No engine, no Arrow kernel and no floating-point addition that could round takes part. Sums by ``bincount``
run in doubles, but over integers whose sum within a run of 2^17 events stays below 2^53, so that every
partial sum is exact.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weigh.data.ground_truth import Cube, Truth
from weigh.data.netflow import pools
from weigh.data.netflow.rows import DURATION_BITS, SCORE_STEPS, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable

Counts = NDArray[np.int64]

RUN = 1 << 17
"""Largest number of events tallied at once: what keeps the sums exact."""

LOW_BITS = 26
"""Durations are summed as two integers, ``high * 2^26 + low``: their total has more than 64 bits."""

WATCHED = (3, 11, 40, 100, 200, 400, 800, 1_500)
"""Users whose denied and allowed events are also counted by the minute, for the join."""

EXTREMES = ("ts", "event_id", "bytes", "duration")
"""Columns whose smallest and largest values are kept."""

_ACTIONS, _PROTOS = len(pools.ACTIONS), len(pools.PROTOS)
_MINUTE_US = 60_000_000
_QUARTERS = 2 + 4 * 36
"""Classes of ``bytes``: negative, zero, and quarters of each binary order of magnitude."""


def _cells() -> dict[str, int]:
    return {
        "user": (len(pools.users()) + 1) * _ACTIONS * _PROTOS,
        "source": len(pools.sources()) * _ACTIONS,
        "source_bytes": len(pools.sources()),
        "target": len(pools.targets()),
        "port": 1 << 16,
        "minute": pools.MINUTES * _ACTIONS,
        "minute_bytes": pools.MINUTES * _ACTIONS,
        "score": (SCORE_STEPS + 2) * _ACTIONS,
        "group_bytes": _ACTIONS * _PROTOS,
        "group_packets": _ACTIONS * _PROTOS,
        "group_high": _ACTIONS * _PROTOS,
        "group_low": _ACTIONS * _PROTOS,
        "size": _QUARTERS,
        "size_bytes": _QUARTERS,
        "watched": pools.MINUTES * len(WATCHED) * 2,
    }


@dataclass(slots=True)
class Tally:
    """Counts and sums over events, by cell; tallies of parts add up to the tally of the whole in any order.

    Attributes:
        cells: integer arrays by name; a minute's cells are kept for the minutes that occur only.
        offsets: first cell of each array that does not begin at 0.
        extremes: smallest and largest value by action and number column.
    """

    cells: dict[str, Counts] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    extremes: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> Tally:
        """A tally of nothing, to which others are added."""
        return cls(cells={name: np.zeros(size, np.int64) for name, size in _cells().items()})

    def packed(self) -> bytes:
        """As bytes, compressed: most cells of an array are 0 or small."""
        plain = {
            "cells": {name: zlib.compress(counts.astype("<i8").tobytes(), 1) for name, counts in self.cells.items()},
            "offsets": self.offsets,
            "extremes": [[*place, *ends] for place, ends in self.extremes.items()],
        }
        return msgspec.msgpack.encode(plain)

    @classmethod
    def unpacked(cls, packed: bytes) -> Tally:
        """What ``packed`` made."""
        plain = msgspec.msgpack.decode(packed)
        return cls(
            cells={
                name: np.frombuffer(zlib.decompress(counts), "<i8").astype(np.int64)
                for name, counts in plain["cells"].items()
            },
            offsets=plain["offsets"],
            extremes={(action, column): (low, high) for action, column, low, high in plain["extremes"]},
        )

    def add(self, other: Tally) -> None:
        """Add the tally of further events to this complete one."""
        for name, counts in other.cells.items():
            offset = other.offsets.get(name, 0)
            self.cells[name][offset : offset + len(counts)] += counts
        for place, (low, high) in other.extremes.items():
            known = self.extremes.get(place, (low, high))
            self.extremes[place] = (min(known[0], low), max(known[1], high))


def tally(rows: Rows) -> Tally:
    """Count a run of at least one and at most 2^17 events."""
    if not 0 < len(rows.ts) <= RUN:
        raise ValueError(f"a run has 1 to {RUN} events, not {len(rows.ts)}")
    made = Tally()
    sizes = _cells()

    def count(name: str, cell: NDArray[np.integer], weights: NDArray[np.integer] | None = None) -> None:
        made.cells[name] = np.bincount(cell, weights, sizes[name]).astype(np.int64, copy=False)

    group = rows.action.astype(np.int64) * _PROTOS + rows.proto
    count("user", (rows.user + 1) * np.int64(_ACTIONS * _PROTOS) + group)
    source = rows.source.astype(np.int64)
    count("source_bytes", source, rows.bytes)
    source *= _ACTIONS
    source += rows.action
    count("source", source)
    count("target", rows.target)
    count("port", rows.target_port)
    count("score", (rows.score + 1) * np.int64(_ACTIONS) + rows.action)
    count("group_bytes", group, rows.bytes)
    count("group_packets", group, rows.packets)
    count("group_high", group, rows.duration >> LOW_BITS)
    count("group_low", group, rows.duration & ((1 << LOW_BITS) - 1))
    size = _size_class(rows.bytes)
    count("size", size)
    count("size_bytes", size, rows.bytes)

    minute = (rows.ts - pools.START_US) // _MINUTE_US
    first = int(minute.min())
    watched = _watched(rows)
    where = np.flatnonzero(watched >= 0)
    _count_from(made, "watched", first * len(WATCHED) * 2, minute[where] * (len(WATCHED) * 2) + watched[where])
    minute *= _ACTIONS
    minute += rows.action
    _count_from(made, "minute", first * _ACTIONS, minute)
    _count_from(made, "minute_bytes", first * _ACTIONS, minute, rows.bytes)

    for code, action in enumerate(pools.ACTIONS):
        chosen = np.flatnonzero(rows.action == code)
        if len(chosen):
            for name in EXTREMES:
                column = getattr(rows, name)[chosen]
                made.extremes[action, name] = (int(column.min()), int(column.max()))
    return made


def _count_from(
    made: Tally, name: str, offset: int, cell: NDArray[np.integer], weights: NDArray[np.integer] | None = None
) -> None:
    """Count cells from ``offset`` on, for as many as occur."""
    made.cells[name] = np.bincount(cell - offset, weights).astype(np.int64, copy=False)
    made.offsets[name] = offset


def _watched(rows: Rows) -> NDArray[np.int16]:
    """Two cells for each watched user (denied, allowed); -1 for other events."""
    cell = np.full(len(pools.users()) + 1, -1, np.int16)
    cell[np.array(WATCHED)] = np.arange(len(WATCHED)) * 2
    of_action = np.full(_ACTIONS, -(1 << 10), np.int16)
    of_action[pools.DENY], of_action[pools.ALLOW] = 0, 1
    # NULL_USER is -1 and so reads the last entry, which is nobody's.
    user = cell[rows.user]
    return np.where(user >= 0, user + of_action[rows.action], np.int16(-1))


def _size_class(bytes_: NDArray[np.int64]) -> NDArray[np.int64]:
    """0 for negative, 1 for zero, then four classes in every doubling, in order of size.

    The upper bits of a double are its exponent and the first bits of its mantissa: an order-preserving
    histogram without a logarithm. Values are below 2^36, so that the conversion is exact.
    """
    upper = bytes_.astype(np.float64).view(np.int64) >> 50
    upper -= (1023 << 2) - 2
    np.maximum(upper, bytes_ >= 0, out=upper)
    return upper


def size_bounds() -> list[int]:
    """Smallest ``bytes`` of each class."""
    quarters = [-(-(4 + part << power) // 4) for power in range(36) for part in range(4)]
    return [-1, 0, *quarters]


def truth(counted: Tally) -> Truth:
    """The cubes of a complete tally."""
    cells = counted.cells
    users: list[str | None] = [None, *pools.users()]
    cubes: dict[str, Cube] = {
        "totals": {"events": np.array([cells["target"].sum()])},
        "users": _long({"user_name": users, "action": pools.ACTIONS, "proto": pools.PROTOS}, events=cells["user"]),
        "sources": _long({"src_ip": pools.sources(), "action": pools.ACTIONS}, events=cells["source"]),
        "source_bytes": _long({"src_ip": pools.sources()}, bytes=cells["source_bytes"]),
        "targets": _long({"dst_ip": pools.targets()}, events=cells["target"]),
        "ports": _long({"dst_port": range(1 << 16)}, events=cells["port"]),
        "scores": _long(
            {"thousandths": [pools.NO_SCORE, *range(SCORE_STEPS + 1)], "action": pools.ACTIONS},
            events=cells["score"],
        ),
        "minutes": _long(
            {"minute": range(pools.MINUTES), "action": pools.ACTIONS},
            events=cells["minute"],
            bytes=cells["minute_bytes"],
        ),
        "groups": _long(
            {"action": pools.ACTIONS, "proto": pools.PROTOS},
            events=cells["user"].reshape(-1, _ACTIONS * _PROTOS).sum(axis=0),
            bytes=cells["group_bytes"],
            packets=cells["group_packets"],
            duration_high=cells["group_high"],
            duration_low=cells["group_low"],
        ),
        "sizes": _long({"low": size_bounds()}, events=cells["size"], bytes=cells["size_bytes"]),
        "watched": _long(
            {
                "minute": range(pools.MINUTES),
                "user_name": [pools.users()[user] for user in WATCHED],
                "action": [pools.ACTIONS[pools.DENY], pools.ACTIONS[pools.ALLOW]],
            },
            events=cells["watched"],
        ),
        "extremes": {
            "action": [action for action, _ in counted.extremes],
            "column": [column for _, column in counted.extremes],
            "low": np.array([low for low, _ in counted.extremes.values()], np.int64),
            "high": np.array([high for _, high in counted.extremes.values()], np.int64),
        },
        "units": {
            "start_us": np.array([pools.START_US]),
            "duration_bits": np.array([DURATION_BITS]),
            "duration_low_bits": np.array([LOW_BITS]),
            "score_steps": np.array([SCORE_STEPS]),
        },
    }
    return Truth(cubes)


def _long(axes: dict[str, Iterable[Any]], **measures: Counts) -> Cube:
    """A dense array of cells as a table that has a row for each cell in which something happened."""
    pools_ = {name: values if isinstance(values, range) else list(values) for name, values in axes.items()}
    shape = tuple(len(values) for values in pools_.values())
    happened = np.flatnonzero(np.any([counts != 0 for counts in measures.values()], axis=0))
    places = np.unravel_index(happened, shape)
    cube: Cube = {}
    for (name, values), place in zip(pools_.items(), places, strict=True):
        if isinstance(values, range):
            cube[name] = np.int64(values.start) + place * np.int64(values.step)
        elif all(isinstance(value, int) for value in values):
            cube[name] = np.array(values, np.int64)[place]
        else:
            cube[name] = [values[position] for position in place]
    for name, counts in measures.items():
        cube[name] = counts[happened]
    return cube
