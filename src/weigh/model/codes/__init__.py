"""The registry of codes: whatever weigh has to say about an experiment carries one of these, and no other.

The part before the point is the id of a lie (:mod:`weigh.lies`), ``M`` (how another metric moved with the time) or
``X`` (what is no lie of anybody). ``weigh lies``, the page of all findings and the explanations at the end of every
report are made from here.
"""

from __future__ import annotations

from weigh.model.codes import answers, data, environment, load, metrics, others, reports, times
from weigh.model.codes.answers import *  # noqa: F403
from weigh.model.codes.code import Entry, Graded
from weigh.model.codes.data import *  # noqa: F403
from weigh.model.codes.environment import *  # noqa: F403
from weigh.model.codes.load import *  # noqa: F403
from weigh.model.codes.metrics import *  # noqa: F403
from weigh.model.codes.others import *  # noqa: F403
from weigh.model.codes.reports import *  # noqa: F403
from weigh.model.codes.times import *  # noqa: F403

_FAMILIES = (answers, data, environment, load, metrics, reports, times, others)

REGISTRY: dict[str, Entry] = {
    one.code: one for family in _FAMILIES for one in vars(family).values() if isinstance(one, Entry)
}
"""All codes, family by family, in the order of their modules."""


def knob(name: str) -> Graded:
    """The code of a knob (:mod:`weigh.host.knobs`)."""
    found = REGISTRY.get(f"E5.{name}")
    return found if isinstance(found, Graded) else environment.E5_UNKNOWN
