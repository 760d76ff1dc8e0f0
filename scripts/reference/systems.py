"""The region of docs/reference/systems.md: the profile of every system that is reached by URL, as it declares it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from reference.markdown import code, prose, table
from weigh.engines.remote import NAMES
from weigh.engines.remote.adapter import profile_named
from weigh.engines.remote.adapter.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

_WAYS = {
    "load": "`load`: tables of weigh's own",
    "exists": "`exists`: tables that are there",
    "external": "`external`: over files (`weigh.place`)",
}


def blocks() -> dict[str, str]:
    """A table of all, and a section for each."""
    profiles = [profile_named(name) for name in sorted(NAMES)]
    rows = [(f"[`{one.name}`](#{one.name})", _client(one), _tried(one)) for one in profiles]
    parts = [table(("system", "client", "run"), rows), *(_section(one) for one in profiles)]
    return {"systems": "\n\n".join(parts)}


def _tried(one: Profile) -> str:
    return "**written from documentation, never run**" if one.never_run else "yes"


def _client(one: Profile) -> str:
    return code(one.client[0]) if one.client else "yours"


def _section(one: Profile) -> str:
    rows = [
        ("run", _tried(one)),
        ("client", ", ".join(map(code, one.client)) or "the packages that the contender names"),
        ("its data", "; ".join(_WAYS[way] for way in one.ways)),
        ("arguments of the client", ", ".join(map(code, one.options)) or ("all settings" if one.by_driver else "none")),
        ("password", ", ".join(map(code, (*one.secrets, *(f"{key}*" for key in one.keys)))) or "`weigh.secret`"),
        ("cache of results", _caches(one)),
        ("set in every session", _pairs(one.session)),
        ("size, shown always", ", ".join(map(code, one.sizes)) or "nothing to read"),
        ("its own report of an execution", _reports(one)),
        ("optimisations switched off in the gate", "; ".join(one.switches) or "none"),
        ("SQL dialect", code(one.dialect) if one.dialect else "standard"),
        ("lineage in the gate", code(one.lineage) if one.lineage else f"unknown: {code('weigh.lineage')}"),
        ("queries abandoned at a time-out", _abandoned(one)),
        ("terms", one.terms or "none known"),
    ]
    form, about = one.about, prose(inspect.getdoc(type(one)) or "")
    return f"## {one.name}\n\n{form[0].upper()}{form[1:]}. {about}.\n\n{table(('what', 'how'), rows)}"


def _caches(one: Profile) -> str:
    if one.caches is None:
        return "not known (`A9.unknown`)"
    return (
        "; ".join(f"{code(name)} off: {' or '.join(map(code, off))}" for name, off in one.caches.items()) or "has none"
    )


def _pairs(values: Mapping[str, str]) -> str:
    return ", ".join(code(f"{name} = {value}") for name, value in values.items()) or "nothing"


def _reports(one: Profile) -> str:
    return "yes" if type(one).statistics is not Profile.statistics else "nothing"


def _abandoned(one: Profile) -> str:
    return "ended in the system" if type(one).mark is not Profile.mark else "left to the system"
