"""Who is compared: the contenders of weigh.toml and of the command line, checked."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.engines import engine as engines
from weigh.engines.builds.asked import is_build
from weigh.experiment.config import vary
from weigh.experiment.config.builds import with_builds
from weigh.experiment.config.file import ContenderTable, File
from weigh.experiment.config.stores import placed
from weigh.model.contender import DATA_KEYS, Contender, check_pin, check_url, layout_name, parse_contender, unwritable
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.experiment.config.vary import Varied

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
    made = vary.expand(placed(named, store), baseline, [vary.parse(text) for text in wanted])
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
        raise UsageError("no contender is named", remedy="add --contender duckdb, or [[contender]] in weigh.toml")
    for name, count in Counter(contender.name for contender in chosen).items():
        if count > 1:
            raise _twice(name)
        if "#" in name or not name.isprintable():
            raise UsageError(f"'{name}' cannot be a contender's name", remedy="leave out # and what cannot be printed")
    return with_builds(tuple(chosen), file.build if file else {})


def _from_text(text: str, named: Mapping[str, Contender]) -> Contender:
    """A contender of the command line, or that there is none of that name."""
    found = parse_contender(text)
    if named and text == found.engine and text not in (known := engines.installed()):
        raise UsageError(
            f"there is neither a contender of weigh.toml nor an engine '{text}'",
            remedy=nearest(text, [*named, *known]),
        )
    return found


def _from_table(table: ContenderTable) -> Contender:
    indexed = bool(table.version) and not is_build(table.version)
    for pin in [*table.pins, *([f"{table.engine}=={table.version}"] if indexed else [])]:
        check_pin(pin)
    check_url(table.settings)
    for key in DATA_KEYS:
        if key in table.settings:
            raise UsageError(
                f"'{key}' is no setting of an engine",
                where="[[contender]]",
                remedy=f"write {key} = ... beside settings",
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
