"""Right answers to db-benchmark's questions, by addition of what was counted while the data was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from weigh.workloads import Cubes

    Cube = Mapping[str, Any]

_MILLIONTHS = 1_000_000
_DIGITS = {"id1": 3, "id2": 3, "id3": 10}
"""Of identifiers that are text."""


def expected(operation: str, truth: Cubes) -> pa.Table | None:
    """The answer to one question; None where it is not known."""
    import pyarrow as pa

    made = _ANSWERS.get(operation)
    if made is None:
        return None
    by, columns = made
    cube = truth[by]
    found = columns(cube)
    if not found:
        return None
    keys = {} if "id6" in found else {name: _identifiers(name, cube[name]) for name in by.split("_")}
    return pa.table({**keys, **found})


def _identifiers(name: str, values: Any) -> Any:
    digits = _DIGITS.get(name)
    return values if digits is None else [f"id{value:0{digits}}" for value in values.tolist()]


def _means(cube: Cube) -> dict[str, Any]:
    rows = cube["rows"]
    return {"v1": cube["v1"] / rows, "v2": cube["v2"] / rows, "v3": cube["v3"] / rows / _MILLIONTHS}


def _largest(cube: Cube) -> dict[str, Any]:
    there = cube["second"] >= 0
    values = np.concatenate([cube["largest"], cube["second"][there]])
    return {"id6": np.concatenate([cube["id6"], cube["id6"][there]]), "largest2_v3": values / _MILLIONTHS}


def _regression(cube: Cube) -> dict[str, Any]:
    """The square of the correlation, from exact sums of integers; nothing where a group has no spread.

    Engines have NULL or NaN for those, which no witness decides.
    """
    n = cube["rows"]
    shared = n * cube["v1v2"] - cube["v1"] * cube["v2"]
    spread = (n * cube["v1v1"] - cube["v1"] ** 2), (n * cube["v2v2"] - cube["v2"] ** 2)
    if not all(one.all() for one in spread):
        return {}
    return {"r2": (shared / spread[0]) * (shared / spread[1])}


_ANSWERS: dict[str, tuple[str, Callable[[Cube], dict[str, Any]]]] = {
    "q1": ("id1", lambda cube: {"v1": cube["v1"]}),
    "q2": ("id1_id2", lambda cube: {"v1": cube["v1"]}),
    "q3": ("id3", lambda cube: {"v1": cube["v1"], "v3": cube["v3"] / cube["rows"] / _MILLIONTHS}),
    "q4": ("id4", _means),
    "q5": (
        "id6",
        lambda cube: {"id6": cube["id6"], "v1": cube["v1"], "v2": cube["v2"], "v3": cube["v3"] / _MILLIONTHS},
    ),
    "q7": ("id3", lambda cube: {"range_v1_v2": cube["most_v1"] - cube["least_v2"]}),
    "q8": ("id6", _largest),
    "q9": ("id2_id4", _regression),
}
