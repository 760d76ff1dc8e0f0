"""Comparisons: whether two experiments ask the same of the same engines, whatever they call them (T8). Pure.

Of loads see ``weigh.history.load_comparison``.

The id of an experiment is the hash of all that defines it. Who runs until it is green changes what matters least: the
seed, the number of starts, a name, or a commit that reaches no program.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from weigh.history.entry import digested

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.model.contender import Contender

_DIGITS = 16


def identities(record: Record) -> dict[str, str]:
    """What each contender is, by name: equal for the same engine with the same settings on the same form of the data.

    Several that are alike, and are compared with the baseline, keep their names: each has verdicts of its own.
    """
    found = {one.name: _identity(one, record) for one in record.spec.contenders}
    base = record.spec.baseline
    builds = Counter(build for name, build in found.items() if name != base)
    return {name: f"{own} {name}" if builds[own] > 1 and name != base else own for name, own in found.items()}


def comparison(record: Record) -> str:
    """The hash of what is asked of whom; not of the seed, of how often and how long, or of names.

    The margin is part of it: what is slower than by 1 % may be no slower than by 5 %.
    """
    spec, who = record.spec, identities(record)
    # Left-out values have no JSON.
    plain = msgspec.to_builtins(spec)
    identity = {
        key: plain.get(key)
        for key in ("workload", "scale", "own", "temperature", "duet", "affinity", "memory_limit", "ingest")
    }
    return digested([identity, spec.rules.margin, who[spec.baseline], sorted(who.values())])[:_DIGITS]


def _identity(one: Contender, record: Record) -> str:
    reads = record.environment.contenders if record.environment else ()
    read = next((read for read in reads if read.name == one.name), None)
    # Two revisions may be one program.
    built = read.build.sha256 if read and read.build is not msgspec.UNSET else ""
    release = built or one.version or (read.package or read.version if read else "")
    layout = record.spec.layouts.get(one.layout, record.spec.layout)
    form = [msgspec.to_builtins(layout), one.catalog, one.store]
    return digested([one.engine, release, one.pins, dict(one.settings), form])[:_DIGITS]
