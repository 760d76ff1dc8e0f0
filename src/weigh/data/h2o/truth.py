"""What is known about db-benchmark's table: counts, sums and extremes of the integers that its rows are made of.

Sums by ``bincount`` run in doubles over integers whose sum within a run of 2^17 rows stays below 2^53: exact. Of the
regression the sums of products are kept. Medians, and groups of nearly one row, are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.data.ground_truth import Truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weigh.data.ground_truth import Cube

    Integers = NDArray[np.int64]

K = 100
_SUMMED = {
    "id1": ("v1",),
    "id1_id2": ("v1",),
    "id3": ("v1", "v3"),
    "id4": ("v1", "v2", "v3"),
    "id6": ("v1", "v2", "v3"),
    "id2_id4": ("v1", "v2", "v1v1", "v2v2", "v1v2"),
}
"""By what rows are grouped: what is summed."""


class Sums:
    """What has been drawn so far, by group.

    Args:
        many: values of the large identifiers.
    """

    def __init__(self, many: int) -> None:
        sizes = {"id1": K, "id1_id2": K * K, "id3": many, "id4": K, "id6": many, "id2_id4": K * K}
        self._cells: dict[str, dict[str, Integers]] = {
            by: {name: np.zeros(size, np.int64) for name in ("rows", *_SUMMED[by])} for by, size in sizes.items()
        }
        self._most = np.zeros(many, np.int64)
        self._least = np.full(many, 15, np.int64)
        self._largest = np.full((2, many), -1, np.int64)

    def add(self, made: Mapping[str, Integers]) -> None:
        """Count a run of rows: identifiers from 0, ``v1`` and ``v2`` one less than they are, ``v3`` in millionths."""
        v1, v2, v3 = made["v1"] + 1, made["v2"] + 1, made["v3"]
        values = {"v1": v1, "v2": v2, "v3": v3, "v1v1": v1 * v1, "v2v2": v2 * v2, "v1v2": v1 * v2}
        keys = {
            **{name: made[name] for name in ("id1", "id3", "id4", "id6")},
            "id1_id2": made["id1"] * K + made["id2"],
            "id2_id4": made["id2"] * K + made["id4"],
        }
        for by, cells in self._cells.items():
            size = len(cells["rows"])
            cells["rows"] += np.bincount(keys[by], minlength=size)
            for name in _SUMMED[by]:
                cells[name] += np.bincount(keys[by], weights=values[name], minlength=size).astype(np.int64)
        np.maximum.at(self._most, made["id3"], v1)
        np.minimum.at(self._least, made["id3"], v2)
        self._two_largest(made["id6"], v3)

    def _two_largest(self, key: Integers, value: Integers) -> None:
        order = np.lexsort((-value, key))
        ordered = key[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        second = first + 1
        second = second[
            (second < len(ordered)) & (ordered[np.minimum(second, len(ordered) - 1)] == ordered[second - 1])
        ]
        for places in (first, second):
            which, candidate = ordered[places], value[order[places]]
            one, two = self._largest[0, which], self._largest[1, which]
            self._largest[0, which] = np.maximum(one, candidate)
            self._largest[1, which] = np.maximum(two, np.minimum(one, candidate))

    def truth(self) -> Truth:
        """A cube for each grouping, without the groups that have no row; keys count from 1, as in the table."""
        cubes: dict[str, Cube] = {}
        for by, cells in self._cells.items():
            there = np.flatnonzero(cells["rows"])
            names = by.split("_")
            keys = [there + 1] if len(names) == 1 else [there // K + 1, there % K + 1]
            cubes[by] = {**dict(zip(names, keys, strict=True)), **{name: cell[there] for name, cell in cells.items()}}
            if by == "id3":
                cubes[by] |= {"most_v1": self._most[there], "least_v2": self._least[there]}
            if by == "id6":
                cubes[by] |= {"largest": self._largest[0, there], "second": self._largest[1, there]}
        return Truth(cubes)
