"""Effects of a grid of layouts by SQL: which are printed, and the tables that ``grid.sql`` computes them from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.model.data.grid import Level
from weigh.recount import student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weigh.model.data.grid import Grid

QUERY = "FROM grid_effect ORDER BY ALL;"
"""What is asked of the view that the script makes."""


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the effect of a key at one value of another."""

    level: Level
    ratio: float
    low: float
    high: float


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of an effect in verdicts.json."""

    contender: str
    operation: str | None
    metric: str
    temperature: str
    keys: tuple[str, ...]
    levels: tuple[Level, ...]
    against: tuple[Level, ...]
    ratio: float | None
    low: float | None
    high: float | None
    starts: int
    within: tuple[Within, ...] = ()

    @property
    def place(self) -> str:
        """For people: ``20 of files on by_action of duckdb, wall_s``."""
        cold = "" if self.temperature == "hot" else f" ({self.temperature})"
        values = " x ".join(f"{level} of {key}" for key, level in zip(self.keys, self.levels, strict=True))
        return f"{values} on {self.operation or 'all operations'}{cold} of {self.contender}, {self.metric}"


class PrintedGrid(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the grid in verdicts.json."""

    effects: tuple[Effect, ...]


class Wanted(NamedTuple):
    """A figure with an interval that is computed again.

    Attributes:
        place: for people.
        row: what was printed: ratio, low, high, and of an effect starts.
        effect: that it belongs to.
        at: value at which the second key is held; None where it is the effect itself.
    """

    place: str
    row: Effect | Within
    effect: Effect
    at: Level | None


def wanted(effects: Iterable[Effect]) -> list[Wanted]:
    """Every effect that has a figure, and those of its first key at the values of its second."""
    found = []
    for one in effects:
        if one.ratio is not None:
            found.append(Wanted(one.place, one, one, None))
            found += [Wanted(f"{one.place}, with {inner.level}", inner, one, inner.level) for inner in one.within]
    return found


def script(
    grid: Grid,
    effects: Sequence[Effect],
    shares: Mapping[str, float],
    confidence: float,
    blocks: int,
    text: Callable[[str], str],
) -> str:
    """The SQL that computes the effects; it stands behind ``figures.sql``.

    Args:
        grid: of the experiment.
        effects: those that were printed.
        shares: part of the error rates that the figures of an operation had.
        confidence: level of the intervals.
        blocks: at most so many starts an effect has.
        text: a literal of SQL.
    """
    keys = [one.key for one in grid.factors]

    def values(levels: Iterable[Level]) -> str:
        return f"[{', '.join(text(msgspec.json.encode(level).decode()) for level in levels)}]"

    cells = [
        f"({text(origin)}, {text(member)}, {values(cell.values())})"
        for origin, members in grid.members.items()
        for member, cell in zip(members, grid.cells, strict=True)
    ]
    rows, parts = [], set()
    for number, (_, _, one, at) in enumerate(wanted(effects)):
        operations = [one.operation] if one.operation is not None else _family(one, effects)
        share = min((shares.get(name, 1.0) for name in operations), default=1.0)
        parts.add(share)
        # At a value of the second key it is the effect of the first alone.
        places = [keys.index(key) + 1 for key in one.keys[: 1 if at is not None else None]]
        second = "NULL, NULL" if at is None else f"{keys.index(one.keys[1]) + 1}, {values((at,))}[1]"
        named = f"[{', '.join(map(text, operations))}]"
        rows.append(
            f"({number}, {text(one.contender)}, {text(one.metric)}, {text(one.temperature)}, {share!r}::DOUBLE, "
            f"{places}, {values(one.levels[: len(places)])}, {values(one.against[: len(places)])}, {second}, {named})"
        )
    spread = [
        f"({freedom}, {share!r}::DOUBLE, {student_t.quantile(1 - (1 - confidence) * share, freedom)!r}::DOUBLE)"
        for share in sorted(parts)
        for freedom in range(1, max(blocks, 2))
    ]
    return "\n".join(
        (
            f"CREATE TEMP TABLE cell(origin, member, levels) AS VALUES {', '.join(cells)};\n",
            "CREATE TEMP TABLE asked(\n"
            "    id INTEGER, origin VARCHAR, metric VARCHAR, temperature VARCHAR, share DOUBLE, keys INTEGER[],\n"
            "    levels VARCHAR[], against VARCHAR[], held INTEGER, held_at VARCHAR, operations VARCHAR[]\n"
            ");",
            f"INSERT INTO asked VALUES {', '.join(rows)};\n" if rows else "",
            "CREATE TEMP TABLE spread(freedom INTEGER, share DOUBLE, quantile DOUBLE);",
            f"INSERT INTO spread VALUES {', '.join(spread)};\n" if spread else "",
            Path(__file__).with_name("grid.sql").read_text(),
        )
    )


def _family(one: Effect, effects: Iterable[Effect]) -> list[str]:
    """The operations that an effect over all of them is the mean of."""
    kind = one.contender, one.metric, one.temperature
    found = (other.operation for other in effects if (other.contender, other.metric, other.temperature) == kind)
    return [name for name in dict.fromkeys(found) if name is not None]
