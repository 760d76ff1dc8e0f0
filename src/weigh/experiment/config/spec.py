"""weigh.toml and the flags, made into a spec. Every mistake is named with its place and its nearest right word."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import msgspec

from weigh import workloads
from weigh.data.generator import dataset_scale
from weigh.engines import engine
from weigh.experiment.config import given_files, prices
from weigh.experiment.config import grid as grids
from weigh.experiment.config.builds import built_once
from weigh.experiment.config.contenders import NAMED, varied_contenders
from weigh.experiment.config.file import File
from weigh.experiment.config.named_files import hash_of
from weigh.experiment.config.stores import stores
from weigh.model.contender import (
    Contender,
    layout_name,
)
from weigh.model.data.storage import KINDS, Kind
from weigh.model.errors import UsageError, nearest
from weigh.model.resources import parse_cpus
from weigh.model.rules import FULL_STARTS, Rules, Typical
from weigh.model.spec import BUDGET, MOST_STARTS, NARROW, QUICK, LayoutSpec, Rule, Spec, Temperature
from weigh.model.units import parse_duration, parse_fraction, parse_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from weigh.experiment.config.user_data import UserFiles
    from weigh.model.units import Scale


def make_spec(
    file: File | None,
    flags: Mapping[str, Any],
    read: Callable[[], UserFiles | None] = lambda: None,
    *,
    adaptive: bool = True,
) -> Spec:
    """The spec that a weigh.toml and flags ask for; a flag wins over the file.

    Args:
        file: weigh.toml, if there is one.
        flags: values of the command line by name; None where a flag was not given.
        read: gets the user's own data and queries, for the workload ``sql``. Nothing is read and converted for an
            experiment that cannot be: all that does not depend on them comes first.
        adaptive: whether it is measured until it is decided, where neither starts nor a precision are asked for.

    Raises:
        UsageError: they contradict themselves, or ask for something that does not exist.
    """
    tables = file or File()
    table, layouts = tables.experiment.with_flags(flags), tables.layouts
    contenders, baseline, _ = varied_contenders(file, flags)
    crossed = _crossed(tables, flags.get("grid"), contenders, loads=table.ingest)
    if crossed:
        contenders, layouts, baseline_of = crossed.contenders, crossed.layouts, crossed.grid.members
        # The first cell of whom the user names.
        baseline = baseline_of[baseline][0] if baseline in baseline_of else baseline
    rules = Rules(
        margin=_positive("margin", parse_fraction(table.margin, "margin")),
        confidence=_level("confidence", parse_fraction(table.confidence, "confidence")),
        typical=Typical.CONTRAST,
        pooled=True,
        skewed=True,
        unspent=True,
    )
    temperature = _temperature(table.temperature, table.precision)
    # Nothing was asked for: measure until it is decided.
    adaptive = adaptive and len(contenders) > 1 and temperature != "cold" and table.starts is None
    precision = _precision(table.precision, contenders, NARROW * rules.margin if adaptive else None)
    spec = partial(
        Spec,
        workload=table.workload,
        seed=_seed(table.seed),
        contenders=contenders,
        baseline=_baseline(baseline, contenders, given=bool(flags.get("baseline"))),
        baseline_declared=baseline is not None,
        starts=_starts(table.starts, precision),
        runs=_counted("runs", table.runs),
        rounds=_counted("rounds", table.rounds),
        duet=_duet(table.duet, contenders, temperature, grid=crossed is not None),
        temperature=temperature,
        budget=_budget(table.budget, precision, quick=table.quick),
        quick=table.quick or msgspec.UNSET,
        timeout=_time("timeout", table.timeout),
        operations=_named(table.operations),
        on_divergence=table.on_divergence,
        truth=table.truth,
        answers=hash_of(table.answers),
        layouts=_layouts(contenders, layouts),
        grid=crossed.grid if crossed else msgspec.UNSET,
        stores=stores(contenders, tables.store),
        rules=rules,
        rule=_rule(table.rule),
        precision=precision,
        contention=_contention(table.contention),
        affinity=_affinity(table.affinity),
        memory_limit=_memory_limit(table.memory_limit),
        expect_storage=_storage(table.expect_storage),
        ingest=_ingest(table.ingest, table.duet, temperature, table.answers),
        price=(price := prices.declared(tables.price, flags.get("price") or (), contenders)),
        spend=prices.budget(table.spend, price, duet=table.duet),
        reported=any(one.remote and engine.of(one).statistics for one in contenders) or msgspec.UNSET,
    )
    user_files = read()
    return spec(
        name=table.name or _called(user_files, (flags or {}).get("data")),
        scale=_scale(table.workload, table.scale, user_files),
        layout=_layout(tables.layout, None if crossed else user_files),
        user_data=user_files.content() if user_files else None,
    )


def _crossed(
    tables: File, flags: Mapping[str, Any] | None, contenders: tuple[Contender, ...], *, loads: bool
) -> grids.Crossed | None:
    """What ``[grid]`` and its flags make of the contenders; None where nobody asks for a grid."""
    if tables.grid is None and flags is None:
        return None
    built_once(contenders, "a grid")
    plain = {key: value for key, value in msgspec.structs.asdict(tables.grid).items() if value} if tables.grid else {}
    return grids.cross(contenders, _layout(tables.layout), grids.crossing(plain, flags or {}), loads=loads)


def _baseline(name: str | None, contenders: tuple[Contender, ...], *, given: bool) -> str:
    """The baseline's name; ``given`` on the command line, and not by weigh.toml."""
    where = "" if given else "[experiment] of weigh.toml"
    names = [contender.name for contender in contenders]
    if name is None:
        return names[0]
    if name not in names and NAMED.match(name):
        name = name.partition("=")[0]
    if name not in names:
        raise UsageError(f"the baseline '{name}' is not a contender", where=where, remedy=nearest(name, names))
    if given and len(names) == 1:
        # Otherwise a job that named one side twice would be green for ever.
        raise UsageError(
            f"the baseline '{name}' is the only contender: nothing is compared with it",
            remedy="name the other side with --contender, or leave out --baseline",
        )
    return name


def _temperature(text: str, precision: float | str | None) -> Temperature:
    known = get_args(Temperature)
    if text not in known:
        raise UsageError(f"there is no temperature '{text}'", remedy=nearest(text, known))
    if text != "hot" and precision is not None:
        raise UsageError(
            f"a precision is that of hot times, and the temperature is '{text}'",
            remedy="say how many --starts instead, or measure hot and cold in two experiments",
        )
    return cast("Temperature", text)


def _rule(text: str | None) -> Rule | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    if text is None:
        return msgspec.UNSET
    known = get_args(Rule)
    if text not in known:
        raise UsageError(f"there is no rule '{text}'", remedy=nearest(text, known))
    return cast("Rule", text)


def _layout(layout: LayoutSpec, user_files: UserFiles | None = None) -> LayoutSpec:
    if user_files and layout != LayoutSpec():
        raise UsageError(
            "your own files are read as they are by whoever names no layout: [layout] is not for them",
            remedy='call it [layout.NAME], and give a contender layout = "NAME": it reads a copy in that form',
        )
    _at_least("layout.files", layout.files, 1)
    if layout.row_group_rows is not None:
        _at_least("layout.row_group_rows", layout.row_group_rows, 1)
    return layout


def _layouts(contenders: Sequence[Contender], known: Mapping[str, LayoutSpec]) -> dict[str, LayoutSpec]:
    """Those that a contender names: others change nothing, and do not enter the id."""
    for name in known:
        if not layout_name(name):
            raise UsageError(f"[layout.{name}] is [layout] itself", remedy="give it another name")
    wanted = {one.layout: one.name for one in contenders if one.layout}
    for name, contender in wanted.items():
        if name not in known:
            raise UsageError(
                f"there is no layout '{name}'",
                where=f"contender {contender}",
                remedy=nearest(name, known) if known else f"write a table [layout.{name}] into weigh.toml",
            )
    return {name: _layout(layout) for name, layout in known.items() if name in wanted}


def _seed(value: int) -> int:
    if not 0 <= value < 1 << 63:
        raise UsageError(f"seed = {value} is out of range", remedy="give a number from 0 to 2^63 - 1")
    return value


OWN_LADDER = "a ladder of them is --vary KEY=A,B,..."
"""What can be varied where no scale can."""


def _scale(workload: str, wanted: str | float | None, user_files: UserFiles | None) -> Scale | None:
    """A scale in the unit of the workload's data; a user's own files are as large as they are."""
    if user_files is None:
        return dataset_scale(workloads.load(workload).dataset, wanted)
    if wanted is not None:
        raise UsageError(f"scale = {wanted}: your own files have no scale", remedy=f"leave it out; {OWN_LADDER}")
    return None


def _precision(
    value: float | str | None, contenders: tuple[Contender, ...], usual: float | None
) -> float | msgspec.UnsetType:
    """Left out where the number of starts is fixed."""
    if value is None:
        return msgspec.UNSET if usual is None else usual
    if len(contenders) < 2:
        raise UsageError("a precision is that of a ratio, and there is one contender", remedy="name another contender")
    return _positive("precision", parse_fraction(value, "precision"))


def _contention(value: float | str | None) -> float | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    return msgspec.UNSET if value is None else _positive("contention", parse_fraction(value, "contention"))


def _affinity(value: str | None) -> tuple[int, ...] | msgspec.UnsetType:
    return msgspec.UNSET if value is None else parse_cpus(value)


def _memory_limit(value: str | int | None) -> int | msgspec.UnsetType:
    return msgspec.UNSET if value is None else parse_size(str(value))


def _storage(value: str | None) -> Kind | msgspec.UnsetType:
    if value is None:
        return msgspec.UNSET
    if value not in KINDS:
        raise UsageError(f"there is no storage '{value}'", remedy=nearest(value, KINDS))
    return cast("Kind", value)


def _starts(value: int | None, precision: float | msgspec.UnsetType) -> int:
    if precision is msgspec.UNSET:
        return _at_least("starts", FULL_STARTS if value is None else value, 1)
    if value is not None and value < FULL_STARTS:
        raise UsageError(
            f"starts = {value} is too small with a precision",
            remedy=f"at least {FULL_STARTS}: below that a narrow interval is as likely luck",
        )
    return MOST_STARTS if value is None else value


def _counted(name: str, value: int | None) -> int | msgspec.UnsetType:
    """Left out where it is to be chosen."""
    return msgspec.UNSET if value is None else _at_least(name, value, 1)


def _called(user_files: UserFiles | None, data: Sequence[str] | None) -> str:
    """What people call their own data by, or a suite without any: its folder."""
    if user_files is None:
        return ""
    if data:
        return given_files.called(data)
    return Path(user_files.written).expanduser().resolve().name if user_files.written else ""


def _budget(text: str | None, precision: float | msgspec.UnsetType, *, quick: bool) -> float | None:
    """Where sampling stops by itself there is one: what scatters too much would be measured for ever."""
    if text is None and quick:
        return QUICK
    if text is None:
        return None if precision is msgspec.UNSET else BUDGET
    return None if text == "none" else _time("budget", text)


def _duet(
    wanted: bool, contenders: tuple[Contender, ...], temperature: Temperature, *, grid: bool
) -> bool | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    if not wanted:
        return msgspec.UNSET
    if grid:
        raise UsageError(
            "a duet measures each contender with the baseline alone, and the effects of a grid need all cells together",
            remedy="leave out the duet",
        )
    if len(contenders) < 2:
        raise UsageError("a duet is one of two contenders, and there is one", remedy="name another contender")
    if temperature != "hot":
        raise UsageError(
            f"a duet is measured hot, and the temperature is '{temperature}'", remedy="leave out one of the two"
        )
    for one in contenders:
        if one.remote:
            raise UsageError(
                f"a duet holds each side to CPUs of its own, and the server of {one.name} is not started by weigh",
                remedy="let weigh start it, or leave out --duet",
            )
    return True


def _ingest(wanted: bool, duet: bool, temperature: Temperature, answers: str | Path | None) -> bool | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    if not wanted:
        return msgspec.UNSET
    if duet:
        raise UsageError("loading is measured alone: two loads share one disk", remedy="leave out --duet")
    if temperature != "hot":
        raise UsageError(
            f"loading is measured with the Parquet files in memory, and the temperature is '{temperature}'",
            remedy="leave out --temperature",
        )
    if answers is not None:
        raise UsageError(
            "what is loaded is compared with the rows of the files, and pinned answers are to queries",
            remedy="leave out --answers",
        )
    return True


def _named(operations: Iterable[str]) -> tuple[str, ...]:
    """What is no text in UTF-8 cannot be written down, and is the name of nothing."""
    for name in operations:
        if not name.isprintable():
            raise UsageError(f"there is no operation {name!a}", remedy="weigh workloads lists them")
    return tuple(operations)


def _at_least(name: str, value: int, least: int) -> int:
    if value < least:
        raise UsageError(f"{name} = {value} is too small", remedy=f"at least {least}")
    return value


def _time(name: str, text: str) -> float:
    value = parse_duration(text)
    if value <= 0:
        raise UsageError(f"{name} = {text} is no time", remedy="give one above 0, such as 90s")
    return value


def _positive(name: str, value: float) -> float:
    if not 0 < value < float("inf"):
        raise UsageError(f"{name} = {value:g} is not positive", remedy="give a number above 0")
    return value


def _level(name: str, value: float) -> float:
    if not 0.5 < value < 1:
        raise UsageError(f"{name} = {value:g} is not a confidence level", remedy="give a fraction such as 0.99")
    return value
