"""Who is compared: the contenders of weigh.toml and of the command line, checked."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.engines import engine
from weigh.engines import engine as engines
from weigh.engines.builds.resolution import is_build
from weigh.experiment.config.builds import with_builds
from weigh.experiment.config.file import ContenderTable, File, located
from weigh.experiment.config.stores import placed
from weigh.model.contender import (
    DATA_KEYS,
    Contender,
    Setting,
    Variation,
    check_pin,
    check_secrets,
    check_url,
    layout_name,
    parse_contender,
    parse_setting,
    unwritable,
)
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MOST = 256
"""Contenders of one experiment: every block starts each of them."""
NAMED = re.compile(r"[\w.-]+=[A-Za-z_][\w-]*(@|$|[+?])")
"""How a contender begins that is given a name."""


def varied_contenders(file: File | None, flags: Mapping[str, Any]) -> Varied:
    """Who is compared: as :func:`chosen_contenders`, in their stores, each once for every value of what is varied.

    Raises:
        UsageError: as there; or what is to be varied cannot be.
    """
    table = (file or File()).experiment
    baseline, store = flags.get("baseline") or table.baseline, flags.get("store") or table.store
    wanted = flags.get("vary") or table.vary
    if wanted and ((file and file.grid) or flags.get("grid")):
        raise UsageError(
            "--vary and a grid of layouts are both asked for", remedy="keep one of them, or leave out [grid]"
        )
    named = chosen_contenders(file, flags.get("contender") or (), baseline)
    made = expand(placed(named, store), baseline, [parse(text) for text in wanted])
    if len(made.contenders) > MOST:
        raise _many()
    return made


def _many() -> UsageError:
    return UsageError(
        f"more than {MOST} contenders are asked for", remedy="compare fewer at once, or vary one setting after another"
    )


def chosen_contenders(file: File | None, given: tuple[str, ...], baseline: str | None) -> tuple[Contender, ...]:
    """Who is compared, with their builds: those of the command line and the baseline, else those of weigh.toml.

    Raises:
        UsageError: nobody is named, two have one name, or there is no such build.
    """
    if len(given) + (0 if given or not file else len(file.contender)) > MOST:
        raise _many()
    named = {}
    for table in file.contender if file else []:
        contender = _from_table(table)
        if contender.name in named:
            raise _twice(contender.name)
        named[contender.name] = contender
    chosen = [named.get(text) or _from_text(text, named) for text in given] if given else list(named.values())
    if given and baseline and baseline not in (one.name for one in chosen):
        # ``--baseline main --contender pr``, or ``--baseline main=duckdb@git:main``.
        other = named.get(baseline) or (parse_contender(baseline) if NAMED.match(baseline) else None)
        if other:
            chosen.insert(0, other)
    if not chosen:
        raise UsageError(
            "no contender is named",
            remedy="add --contender duckdb --contender polars, or [[contender]] in weigh.toml, which weigh init writes",
        )
    for name, count in Counter(contender.name for contender in chosen).items():
        if count > 1:
            raise _twice(name)
        if "#" in name or not name.isprintable():
            raise UsageError(f"'{name}' cannot be a contender's name", remedy="leave out # and what cannot be printed")
    return with_builds(tuple(_located(one) for one in chosen), file.build if file else {})


def _from_text(text: str, named: Mapping[str, Contender]) -> Contender:
    """A contender of the command line, or that there is none of that name."""
    found = parse_contender(text)
    if named and text == found.engine and text not in (known := engines.installed()):
        raise UsageError(
            f"there is neither a contender of weigh.toml nor an engine '{text}'",
            remedy=nearest(text, [*named, *known]),
        )
    return found


def _located(contender: Contender) -> Contender:
    return msgspec.structs.replace(contender, settings=located(contender.settings, Path()))


def _from_table(table: ContenderTable) -> Contender:
    indexed = bool(table.version) and not is_build(table.version)
    for pin in [*table.pins, *([f"{table.engine}=={table.version}"] if indexed else [])]:
        check_pin(pin)
    check_url(table.settings)
    check_secrets(table.settings)
    for key in DATA_KEYS:
        if key in table.settings:
            raise UsageError(
                f"'{key}' is no setting of an engine",
                where="[[contender]]",
                remedy=f"write {key} = ... alongside settings",
            )
    contender = Contender(
        name=table.name or "",
        engine=table.engine,
        version=table.version,
        pins=tuple(table.pins),
        settings={name: str(value) if unwritable(value) else value for name, value in table.settings.items()},
        layout=layout_name(table.layout),
        catalog=table.catalog,
        store=table.store,
    )
    return contender if contender.name else msgspec.structs.replace(contender, name=contender.spec)


def _twice(name: str) -> UsageError:
    return UsageError(
        f"two contenders are called '{name}'",
        remedy="give one of them a name of its own: NAME=ENGINE@VERSION",
    )


THREADS = "threads"
"""This key means each engine's own setting of that kind, whatever it is called."""

_WANTED = re.compile(r"^(?:(?P<contender>.+?):)?(?P<key>[A-Za-z_][\w.]*)=(?P<values>.+)$")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """``[CONTENDER:]KEY=A,B,...`` as it was asked for; contender is empty for all."""

    contender: str
    key: str
    values: tuple[Setting, ...]


class Varied(NamedTuple):
    """The contenders of an experiment.

    Attributes:
        contenders: all that take part, every one under its own name.
        baseline: where a contender was named that is varied its first value, else as it was named.
        variations: which of them are one contender at several values.
    """

    contenders: tuple[Contender, ...]
    baseline: str | None
    variations: tuple[Variation, ...]


def parse(text: str) -> Wanted:
    """A variation from the command line or from weigh.toml.

    Raises:
        UsageError: it does not have that form, or names fewer than two different values.
    """
    match = _WANTED.match(text.strip())
    if match is None:
        raise UsageError(
            f"'{text}' is not a variation", remedy="write [CONTENDER:]KEY=A,B,..., e.g. --vary threads=1,2,4"
        )
    parsed = [parse_setting(part.strip()) for part in match["values"].split(",") if part.strip()]
    # 1 and true are equal in Python, and two settings.
    values = tuple({(type(value), value): value for value in parsed}.values())
    if len(values) < 2:
        raise UsageError(
            f"--vary: '{text}' names one value",
            remedy="name at least two: --vary threads=1,2; one alone is a setting: --contender 'duckdb?threads=2'",
        )
    return Wanted(contender=match["contender"] or "", key=match["key"], values=values)


def expand(contenders: Sequence[Contender], baseline: str | None, wanted: Sequence[Wanted]) -> Varied:
    """The contenders varied, and what became of each.

    A contender whose engine has no setting for threads takes part once, as it is.

    Args:
        contenders: as they were asked for.
        baseline: as it was asked for; None where nobody named one.
        wanted: of which contenders which setting, and its values.

    Raises:
        UsageError: a variation names no contender, sets what is set already, or varies one contender twice.
    """
    if not wanted:
        return Varied(tuple(contenders), baseline, ())
    names = [one.name for one in contenders]
    chosen: dict[str, Wanted] = {}
    for one in wanted:
        if one.contender and one.contender not in names:
            raise UsageError(f"--vary: '{one.contender}' is not a contender", remedy=nearest(one.contender, names))
        for name in [one.contender] if one.contender else names:
            if name in chosen:
                raise UsageError(
                    f"--vary: '{name}' is varied twice", remedy="vary one setting of a contender at a time"
                )
            chosen[name] = one
    made: list[Contender] = []
    variations = []
    for contender in contenders:
        members = _members(contender, chosen[contender.name]) if contender.name in chosen else None
        made += members[1] if members else [contender]
        variations += [members[0]] if members else []
    if not variations:
        raise UsageError(
            "--vary: no contender's engine has a setting for threads", remedy="vary another setting by its name"
        )
    first = {one.contender: next(iter(one.members)) for one in variations}
    _check_names(made)
    return Varied(tuple(made), first.get(baseline, baseline) if baseline else None, tuple(variations))


def _members(contender: Contender, wanted: Wanted) -> tuple[Variation, list[Contender]] | None:
    """The contender at each value; None where its engine has no such setting."""
    if wanted.key in DATA_KEYS:
        raise UsageError(
            f"--vary: '{wanted.key}' is no setting of an engine",
            remedy=f"name a contender for each: --contender '{contender.engine}?{wanted.key}={wanted.values[0]}'",
        )
    threads = engine.load(contender.engine).threads
    key = threads if wanted.key == THREADS else wanted.key
    if not key:
        if wanted.contender:
            raise UsageError(
                f"--vary: engine '{contender.engine}' has no setting for threads",
                remedy="vary another setting by its name",
            )
        return None
    if key in contender.settings:
        raise UsageError(f"--vary: '{contender.name}' sets {key} already", remedy="leave it out there")
    joined = "&" if "?" in contender.name else "?"
    members = [
        msgspec.structs.replace(
            contender,
            name=f"{contender.name}{joined}{key}={value}",
            settings={**contender.settings, key: value},
        )
        for value in wanted.values
    ]
    variation = Variation(
        contender=contender.name,
        key=key,
        threads=key == threads,
        members=dict(zip([one.name for one in members], wanted.values, strict=True)),
    )
    return variation, members


def _check_names(contenders: Sequence[Contender]) -> None:
    names = [one.name for one in contenders]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--vary: two contenders are called '{name}'", remedy="leave out the one named by hand")
