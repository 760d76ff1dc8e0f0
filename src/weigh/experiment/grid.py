"""The grid before it is made: whether every cell of it can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.layout import parquet
from weigh.experiment.config.grid import flag
from weigh.model import units
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.model.data.grid import Grid, Level
    from weigh.model.spec import Spec


def check(spec: Spec, generator: str) -> None:
    """Refuse a grid with a cell that its writer cannot make: a grid with a hole tells no effect from another.

    Args:
        spec: the experiment.
        generator: name of the generator of the data.

    Raises:
        UsageError: there is one; the remedy names values whose absence leaves a whole grid.
    """
    if not spec.grid:
        return
    members = next(iter(spec.grid.members.values()))
    cells = dict(zip(members, spec.grid.cells, strict=True))
    wrong: dict[str, UsageError] = {}
    for name in cells:
        try:
            parquet.check(spec.layouts[spec.contender(name).layout], generator)
        except UsageError as error:
            wrong[name] = error
    if not wrong:
        return
    name, first = next(iter(wrong.items()))
    raise UsageError(
        f"{units.count(len(wrong), 'layout')} of {len(cells)} in the grid cannot be made: {first.what}",
        where=f"layout {spec.contender(name).layout}",
        # Where no cell can be made it is not a value of the grid that is wrong.
        remedy=(len(wrong) < len(cells) and _leave_out(spec.grid, [cells[one] for one in wrong])) or first.remedy,
    )


def _leave_out(grid: Grid, wrong: Iterable[dict[str, Level]]) -> str:
    """Values that every impossible cell has; where there is none, values with which no cell is possible."""
    wrong = list(wrong)
    every = [(one.key, level) for one in grid.factors for level in one.levels]
    common = [(key, level) for key, level in every if all(cell[key] == level for cell in wrong)]
    if common:
        return f"leave out {' or '.join(_level(*one) for one in common)}"
    cells = list(grid.cells)
    hopeless = [(key, level) for key, level in every if all(cell in wrong for cell in cells if cell[key] == level)]
    return f"leave out {' and '.join(_level(*one) for one in hopeless)}" if hopeless else ""


def _level(key: str, level: Level) -> str:
    """As it is written on the command line."""
    text = {True: "on", False: "off"}[level] if isinstance(level, bool) else str(level)
    if isinstance(level, tuple):
        text = "+".join(level) or "none"
    return f"{text} from {flag(key)}"
