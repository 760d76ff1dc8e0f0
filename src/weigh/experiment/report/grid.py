"""The grid of layouts for people and programs: what each key does, whether keys interact, and what each cell costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.report.cold import question
from weigh.experiment.results.grid import Cell, Effect
from weigh.model import units
from weigh.model.data.grid import Level
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.verdict import VerdictName
from weigh.render import blocks, words
from weigh.render.blocks import Cell as TableCell
from weigh.render.blocks import Column, Group, Lines, Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.experiment.results.grid import GridResults
    from weigh.experiment.results.results import ExperimentResults
    from weigh.render.blocks import Block

TITLE = "Layouts"
_CELLS = ("layout", "stored", "files", "time", "CPU", "CPU / wall", "read")
_CELLS_NOTE = (
    "Time, CPU and read: sums over all operations of what one execution takes, medians. CPU / wall: cores kept busy."
)
_EFFECTS = ("operation", "effect", "ratio", "interval", "FCR", "verdict")
_EFFECTS_NOTE = (
    "Ratio of one key: with the value over with the first one, the mean over the values of all other keys. Of several "
    "keys: by what factor the ratio of one changes where the others have their values; 1 is no interaction."
)
_FACTOR = 1.5
"""From this ratio on a change is reported as a factor."""
_INTERACTIONS = 3
"""Interactions that are reported one by one."""
_CLAIMS = (VerdictName.SLOWER, VerdictName.FASTER)
_FEW_WORDS = {VerdictName.SAME: "the same", VerdictName.SMALL: "nearly the same"}


class GridDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The grid in the JSON document.

    Attributes:
        keys: keys of ``[layout]`` that are varied, with their values; the others are compared with the first of each.
        cells: contenders on layouts, for each temperature.
        effects: of wall time, then of CPU seconds, then of bytes read where they were; each over all operations first,
            then operation by operation, single keys before interactions.
        says: the same in words; the wording may change.
    """

    keys: dict[str, tuple[Level, ...]]
    cells: tuple[Cell, ...]
    effects: tuple[Effect, ...]
    says: tuple[str, ...]


def document(results: ExperimentResults) -> GridDocument | msgspec.UnsetType:
    """For programs; left out where there is no grid."""
    grid = results.grid
    if grid is None:
        return msgspec.UNSET
    return GridDocument(keys=grid.keys, cells=grid.cells, effects=grid.effects, says=tuple(sentences(results)))


def cells(results: ExperimentResults) -> list[Block]:
    """What the grid says, a row for each cell, and how to read it."""
    rows = [
        (
            question(one.contender, one.temperature),
            units.size(one.bytes),
            f"{one.files:,}" if one.files is not None else "-",
            units.seconds(one.wall_s),
            units.seconds(one.cpu_s),
            f"{one.parallelism:.2f}" if one.parallelism else "-",
            units.size(one.bytes_read) if one.bytes_read is not None else "-",
        )
        for one in (results.grid.cells if results.grid else ())
    ]
    says = Lines(list(sentences(results)), indent=2, most=1000)
    between = Lines([""], form="terminal")
    return [says, between, blocks.words(_CELLS, rows, None, _CELLS[:0:-1]), blocks.small(_CELLS_NOTE)]


def effects(results: ExperimentResults) -> list[Block]:
    """A row for each effect on wall time, and how to read it; nothing where there is none."""
    grid = results.grid
    if grid is None:
        return []
    rows = [
        Row([
            _place(one, several=len(_contenders(grid)) > 1),
            _words(one),
            units.ratio(one.ratio) if one.ratio else "",
            words.interval(one.low, one.high),
            words.interval(one.low_fcr, one.high_fcr),
            TableCell(_verdict(one), str(one.verdict)),
        ])
        for one in grid.effects
        if one.metric == HEADLINE
    ]  # fmt: skip
    columns = [Column(one, right=at in (2, 3, 4), whole=False) for at, one in enumerate(_EFFECTS)]
    table = Table(columns, [Group("", rows)], ("FCR", "interval"), label=None)
    return [table, blocks.small(_EFFECTS_NOTE)] if rows else []


def sentences(results: ExperimentResults) -> Iterator[str]:
    """What the grid says, in words; nothing where nobody was timed."""
    grid = results.grid
    if grid is None:
        return
    contenders = _contenders(grid)
    margin = results.record.spec.rules.margin
    for contender in contenders:
        for temperature in results.record.spec.temperatures:
            members = [one for one in grid.effects if (one.contender, one.temperature) == (contender, temperature)]
            whose = [contender] if len(contenders) > 1 else []
            when = [] if results.record.spec.temperature == "hot" else [temperature]
            begin = f"{', '.join((*whose, *when))}: " if whose or when else ""
            for sentence in _of_contender(members, margin):
                yield f"{begin}{sentence}."


def _contenders(grid: GridResults) -> list[str]:
    return list(dict.fromkeys(one.of for one in grid.cells))


def _of_contender(effects: Sequence[Effect], margin: float) -> Iterator[str]:
    grouped: dict[tuple[tuple[str, ...], tuple[Level, ...]], list[Effect]] = {}
    for one in effects:
        grouped.setdefault((one.keys, one.levels), []).append(one)
    for (keys, _), of_it in grouped.items():
        timed = [one for one in of_it if one.metric == HEADLINE]
        if timed and len(keys) == 1:
            yield _main(timed, margin) + _why(of_it, margin)
    for (keys, _), of_it in grouped.items():
        timed = [one for one in of_it if one.metric == HEADLINE]
        if timed and len(keys) > 1:
            yield _interaction(timed)


def _main(effects: Sequence[Effect], margin: float) -> str:
    """``20 files instead of 1: 1.8 times faster over all 9 operations (1.5 to 2.1); faster on 7, same on 2``."""
    whole = next((one for one in effects if one.operation is None), None)
    each = [one for one in effects if one.operation is not None]
    words = _words(effects[0])
    if len(each) == 1:
        return f"{words}: {_change(each[0], margin)} on {each[0].operation}"
    counted = _counted(each)
    if whole is None or whole.ratio is None:
        return f"{words}: {counted} of {len(each)} operations{_spread(each)}"
    return f"{words}: {_change(whole, margin)} over {len(each)} operations; {counted}"


def _counted(each: Iterable[Effect]) -> str:
    found: dict[str, int] = {}
    for one in each:
        found[_verdict(one)] = found.get(_verdict(one), 0) + 1
    return ", ".join(f"{name} on {number}" for name, number in found.items())


def _spread(each: Iterable[Effect]) -> str:
    """Smallest and largest ratio of the operations that differ."""
    ratios = [one.ratio for one in each if one.ratio and one.verdict in _CLAIMS]
    return f" (ratios from {min(ratios):.2f} to {max(ratios):.2f})" if ratios else ""


def _change(one: Effect, margin: float) -> str:
    """``1.8 times faster (1.5 to 2.1)``."""
    if one.ratio is None or one.low is None or one.high is None:
        return "no verdict"
    if one.verdict in _FEW_WORDS:
        return f"{_FEW_WORDS[one.verdict]} within {100 * margin:g} %"
    if one.verdict not in _CLAIMS:
        state = "open" if one.verdict is VerdictName.UNRESOLVED else "too noisy for a verdict"
        return f"{state} (ratio between {one.low:.2f} and {one.high:.2f})"
    return _in_words(one.ratio, one.low, one.high)


def _in_words(ratio: float, low: float, high: float) -> str:
    """A ratio of times with its interval."""
    word = "slower" if ratio > 1 else "faster"
    if max(ratio, 1 / ratio) >= _FACTOR:
        low, ratio, high = sorted(one if word == "slower" else 1 / one for one in (low, ratio, high))
        return f"{ratio:.2g} times {word} ({low:.2g} to {high:.2g})"
    sign = 1 if ratio > 1 else -1
    near, far = sorted(100 * sign * (end - 1) for end in (low, high))
    return f"{100 * abs(ratio - 1):.1f} % {word} ({near:.1f} to {far:.1f} %)"


def _why(effects: Sequence[Effect], margin: float) -> str:
    """What it costs in CPU seconds, and how many more of them run at once; where the time differs."""

    def of(metric: str) -> Effect | None:
        return next((one for one in effects if one.metric == metric and (one.operation is None or alone)), None)

    alone = not any(one.operation is None for one in effects)
    wall, cpu, read = (of(metric) for metric in (HEADLINE, "cpu_s", "bytes_read"))
    if wall is None or wall.verdict not in _CLAIMS or cpu is None or not cpu.ratio or not wall.ratio:
        return ""
    clauses = [f"CPU seconds {_amount(cpu, margin)}"]
    if abs(cpu.ratio / wall.ratio - 1) > margin:
        clauses.append(f"{cpu.ratio / wall.ratio:.2f} times as many cores busy")
    if read and read.ratio:
        clauses.append(f"bytes read {_amount(read, margin)}")
    return f" ({', '.join(clauses)})"


def _amount(one: Effect, margin: float) -> str:
    if one.verdict in _FEW_WORDS:
        return f"{_FEW_WORDS[one.verdict]} within {100 * margin:g} %"
    if one.verdict not in _CLAIMS:
        return "open"
    return f"{one.ratio:.2f} times"


def _interaction(effects: Sequence[Effect]) -> str:
    """``files and codec interact: on scan 20 files instead of 1 is 1.8 times faster with zstd, ... with snappy``."""
    keys = _and([one.replace("_", " ") for one in effects[0].keys])
    each = [one for one in effects if one.operation is not None] or list(effects)
    found = [one for one in each if one.verdict in _CLAIMS]
    words = " with ".join(
        _words_of(one) for one in zip(effects[0].keys, effects[0].levels, effects[0].against, strict=True)
    )
    if not found:
        none = any(one.verdict in _FEW_WORDS for one in each)
        return f"{keys} ({words}): {'no interaction that matters' if none else 'open'}; {_counted(each)}"
    reported = []
    for one in found[:_INTERACTIONS]:
        simple = (
            ", ".join(f"{_of_ratio(w.ratio, w.low, w.high)} {_at(one.keys[1], w.level)}" for w in one.within)
            or f"the ratio changes by a factor of {one.ratio:.2f}"
        )
        first = _words_of((one.keys[0], one.levels[0], one.against[0]))
        reported.append(f"on {one.operation} {first} is {simple}" if one.within else f"on {one.operation} {simple}")
    more = f"; and on {len(found) - _INTERACTIONS} more" if len(found) > _INTERACTIONS else ""
    return f"{keys} interact: {'; '.join(reported)}{more}"


def _of_ratio(ratio: float, low: float, high: float) -> str:
    if low <= 1 <= high:
        return f"not observed to differ ({low:.2f} to {high:.2f})"
    return _in_words(ratio, low, high)


def _at(key: str, level: Level) -> str:
    return f"with {_level(key, level)}"


def _place(one: Effect, *, several: bool) -> str:
    place = "all operations" if one.operation is None else one.operation
    return f"{question(place, one.temperature)}{f', {one.contender}' if several else ''}"


def _words(one: Effect) -> str:
    if len(one.keys) > 1:
        return " x ".join(f"{_level(key, level)}" for key, level in zip(one.keys, one.levels, strict=True))
    return _words_of((one.keys[0], one.levels[0], one.against[0]))


def _words_of(effect: tuple[str, Level, Level]) -> str:
    """``20 files instead of 1``."""
    key, level, against = effect
    if key == "writer":
        return f"files of {level} instead of {against}"
    plain = f"{against:,}" if isinstance(against, int) and not isinstance(against, bool) else _level(key, against)
    return f"{_level(key, level)} instead of {units.size(against) if key == 'page_size' else plain}"  # type: ignore[arg-type]


def _level(key: str, level: Level) -> str:
    noun = key.replace("_", " ")
    if isinstance(level, bool):
        return noun if level else f"no {noun}"
    if isinstance(level, tuple):
        return f"{noun} {', '.join(level)}" if level else f"no {noun}"
    if isinstance(level, str):
        return f"files of {level}" if key == "writer" else "no compression" if level == "none" else level
    if key == "files":
        return units.count(level, "file")
    if key == "row_group_rows":
        return f"row groups of {level:,} rows"
    return f"{noun} {units.size(level) if key == 'page_size' else level}"


def _verdict(one: Effect) -> str:
    """Of an interaction, ``slower`` would be read as of a layout."""
    if len(one.keys) > 1 and one.verdict in _CLAIMS:
        return "INTERACT"
    return str(one.verdict).upper()


def _and(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
