"""``[grid]`` and the flags of ``weigh layout``, made into contenders that cross every layout completely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec

from weigh.data.layout import knobs
from weigh.engines import engine
from weigh.model import units
from weigh.model.contender import layout_name
from weigh.model.data.grid import Factor, Grid, cell_name, laid_out
from weigh.model.errors import UsageError, nearest
from weigh.model.spec import OF_EVERY_FORMAT, Codec, Format, LayoutSpec, Writer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.contender import Contender
    from weigh.model.data.grid import Level

Crossing = dict[str, tuple["Level", ...]]
"""Levels by key of ``[layout]``; one level alone is the same for all cells."""

_NAMED = {"format": Format, "writer": Writer, "codec": Codec}
_MOST = 64
"""Contenders of one experiment: more than a person reads, and than alternate in a block that is short enough."""


class Crossed(NamedTuple):
    """What becomes of an experiment.

    Attributes:
        contenders: every contender with every layout.
        layouts: the layouts by name.
        grid: which of them is which.
    """

    contenders: tuple[Contender, ...]
    layouts: dict[str, LayoutSpec]
    grid: Grid


def parse(key: str, text: str) -> tuple[Level, ...]:
    """Levels of one key from the command line: ``1,20``; of columns several are joined by +, and ``none`` is no column.

    Raises:
        UsageError: one of them is no value of that key.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise UsageError(f"{flag(key)} names no value", remedy=f"name several: {flag(key)} A,B")
    return tuple(_level(key, part) for part in parts)


def flag(key: str) -> str:
    """How a key of ``[layout]`` is written on the command line."""
    return f"--{key.replace('_', '-')}"


def crossing(table: Mapping[str, Sequence[Any]], flags: Mapping[str, tuple[Level, ...]]) -> Crossing:
    """The levels of every key, in the order of ``[layout]``; a flag wins over the file.

    Raises:
        UsageError: a value is none of its key, or is named twice.
    """
    found = {}
    for field in msgspec.structs.fields(LayoutSpec):
        levels = flags.get(field.name) or table.get(field.name) or ()
        if levels:
            found[field.name] = tuple(_checked(field, level) for level in levels)
    for key, levels in found.items():
        if len({(type(one), one) for one in levels}) < len(levels):
            raise UsageError(f"the grid names one value of {key} twice", remedy="name each once")
    return found


def cross(contenders: Sequence[Contender], layout: LayoutSpec, wanted: Crossing, *, loads: bool = False) -> Crossed:
    """Every contender with every combination of the levels.

    Args:
        contenders: as they were asked for.
        layout: what the grid leaves open.
        wanted: levels by key.
        loads: whether loading is measured, and not queries.

    Raises:
        UsageError: there is one layout alone; a contender has a layout of its own, or reads none; the grid is larger
            than one experiment can be.
    """
    for one in contenders:
        if one.layout:
            raise UsageError(
                f"contender {one.name} has the layout '{one.layout}', and the grid gives it one",
                remedy=f"leave out layout={one.layout}",
            )
        if engine.load(one.engine).copies and not loads:
            raise UsageError(
                f"contender {one.name} answers from a copy that it has loaded: no layout of files reaches its queries",
                remedy="leave it out; weigh engines says which engines read Parquet in place",
            )
    factors = tuple(Factor(key=key, levels=levels) for key, levels in wanted.items() if len(levels) > 1)
    if not factors:
        raise UsageError(
            "one layout is no grid",
            remedy="name several values: --files 1,20 --codec zstd,snappy; or write [grid] into weigh.toml",
        )
    _refuse_holes(wanted)
    base = laid_out(layout, {key: levels[0] for key, levels in wanted.items()})
    cells = list(Grid(factors=factors, members={}).cells)
    if len(cells) * len(contenders) > _MOST:
        raise UsageError(
            f"the grid has {units.count(len(cells), 'layout')} for {units.count(len(contenders), 'contender')}, "
            f"more than {_MOST} in one experiment",
            remedy="vary fewer keys, or fewer values of each",
        )
    # What [layout] says of Parquet is reported of the cells of Parquet.
    layouts = {layout_name(cell_name(cell)): laid_out(base, cell).normal for cell in cells}
    made = {
        one.name: [
            msgspec.structs.replace(one, name=name if len(contenders) == 1 else f"{one.name}/{name}", layout=name)
            for name in layouts
        ]
        for one in contenders
    }
    return Crossed(
        contenders=tuple(member for members in made.values() for member in members),
        layouts=layouts,
        grid=Grid(
            factors=factors, members={name: tuple(one.name for one in members) for name, members in made.items()}
        ),
    )


def _refuse_holes(wanted: Crossing) -> None:
    """Refuse what no layout of Vortex can have: a grid with a hole tells no effect from another.

    Raises:
        UsageError: the grid has layouts of Vortex, and a key of Parquet.
    """
    others = [key for key in wanted if key not in OF_EVERY_FORMAT]
    if others and "vortex" in wanted.get("format", ()):
        raise UsageError(
            f"the grid has layouts of Vortex, and {', '.join(others)}, which {'is' if len(others) == 1 else 'are'} "
            "Parquet's alone",
            remedy=f"leave out vortex from --format or {' and '.join(map(flag, others))}; of both there are --files "
            "and --sort",
        )


def _level(key: str, text: str) -> Level:
    if key in ("dictionary", "bloom_filters", "statistics", "sort"):
        if text == "none":
            return () if key == "sort" else False
        text = text.replace("+", ",")
        value = knobs.parse(key, text)
        return tuple(value) if isinstance(value, tuple | list) else value
    value = knobs.parse(key, text)
    assert isinstance(value, str | int | bool)
    return value


def _checked(field: msgspec.structs.FieldInfo, level: Any) -> Level:
    """A level as the key of ``[layout]`` takes it."""
    try:
        found = msgspec.convert(level, field.type)
    except msgspec.ValidationError as error:
        known = get_args(_NAMED.get(field.name))
        if known:
            raise UsageError(f"there is no {field.name} '{level}'", remedy=nearest(str(level), known)) from None
        raise UsageError(
            f"{field.name} = {level}: {str(error).split(' - at')[0].replace('str', 'string')}",
            where="the grid",
            remedy="see [layout] in docs/reference/weigh-toml.md",
        ) from None
    assert isinstance(found, str | int | bool | tuple)
    return found
