"""Of a large grid, the operations that are asked again: under other settings, and on rows that nobody had seen.

Every operation is asked by itself, its answer compared between the contenders and with its own second one. What is
asked beyond that would take hours of thousands of operations that are one text with other values: it is asked of some
of each template, drawn now, so that nobody can know of which.
"""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING

from weigh.model import codes, units

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weigh.model.finding import Finding
    from weigh.model.operation import Workload

LARGE = 100
"""Operations up to which all are asked again, whatever they are."""
_LEAST = 4
"""Of each template: one alone may have the value that hides what is wrong with the others."""

Drawn = dict[str, tuple[str, ...]]
"""Names of the operations that are asked again, by their template."""


def due(operations: int) -> int:
    """How many of so many operations of one template are asked again."""
    return min(operations, max(_LEAST, math.ceil(math.sqrt(operations))))


def draw(workload: Workload) -> Drawn:
    """Which operations of each template are asked again; nothing where all are."""
    if len(workload.operations) <= LARGE:
        return {}
    chance = secrets.SystemRandom()
    return {
        template: tuple(sorted(chance.sample(names, due(len(names))), key=names.index))
        for template, names in workload.templates.items()
    }


def left_out(workload: Workload, drawn: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Names of the operations that are not asked again."""
    return frozenset(name for template, names in drawn.items() for name in workload.templates[template]).difference(
        *drawn.values()
    )


def wrong(workload: Workload, drawn: Mapping[str, tuple[str, ...]]) -> str:
    """Why nobody can have drawn this; empty where somebody can."""
    templates = workload.templates
    for template, names in drawn.items():
        there = templates.get(template, ())
        fit = len(workload.operations) > LARGE and there and set(names) <= set(there)
        if not fit or len(set(names)) != due(len(there)):
            return (
                f"{units.count(len(set(names)), 'operation')} of template {template} are said to have been asked "
                f"again, and of {len(there)} there must be {due(len(there))}"
            )
    missing = sorted(templates.keys() - drawn.keys())
    return f"no operation of template {missing[0]} is said to have been asked again" if drawn and missing else ""


def findings_of(workload: Workload, drawn: Drawn) -> list[Finding]:
    """What is not asked, in words; nothing where everything is."""
    if not drawn:
        return []
    templates = workload.templates
    sizes = {(len(names), len(templates[template])) for template, names in drawn.items()}
    if len(sizes) == 1:
        ((some, all_),) = sizes
        how = f"{some} of {all_} operations of each of {units.count(len(drawn), 'template')}"
    else:
        some, all_ = sum(map(len, drawn.values())), sum(len(templates[template]) for template in drawn)
        how = f"{some} of {all_} operations of {len(drawn)} templates, at least {_LEAST} of each,"
    return [
        codes.X_DRAWN.finding(
            text=f"{how} were drawn and asked again under other settings and on rows that nobody had seen; the answers "
            f"of all {len(workload.operations):,} were compared",
            remedy=f"nothing is wrong; with up to {LARGE} --operations each of them is asked again",
        )
    ]
