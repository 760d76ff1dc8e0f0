"""``--vary``: contenders put in several times, with one setting at several values.

All of them take part in one experiment. They alternate in the same blocks, so that any two of them have a ratio with an
interval; widths that were measured one after another would have none (T5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.engines import engine
from weigh.model.contender import DATA_KEYS, Contender, Setting, parse_setting
from weigh.model.errors import UsageError, nearest
from weigh.model.variation import Variation

if TYPE_CHECKING:
    from collections.abc import Sequence

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
