"""``weigh layout``."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import click

from weigh.cli.experiment.run import carry_out, run
from weigh.cli.keys import Key, alternatives, flags_of, key
from weigh.experiment.config.tables import GridTable
from weigh.model.spec import LayoutSpec

_FORMS = {
    **dict.fromkeys(("dictionary", "bloom_filters", "statistics"), ": each on, off, or columns joined by +"),
    "page_size": ", e.g. 64K,1M",
    "sort": ": each none, or columns joined by +",
}


def _varied(name: str) -> Key:
    """A key of a layout, as a flag that takes several values."""
    ((element,),) = (get_args(one) for one in alternatives(GridTable, name))
    choices = f": {', '.join(get_args(element))}" if get_origin(element) is Literal else ""
    metavar = "on,off" if element is bool else "A,B,..."
    return key(GridTable, name, metavar, usual=LayoutSpec, also=_FORMS.get(name, choices))


_ELSEWHERE = {
    "baseline": "Name of the contender whose first layout the others are compared with [the first contender].",
}
"""Flags of `run` that mean a little more here."""


@click.command()
def layout(**flags: Any) -> None:
    """Run one experiment over every combination of layouts, and tell the effect of each key from the others'.

    Give at least one key several values: every combination is written from the same rows, which is proven by digest,
    and every contender reads each of them, all in the same blocks. The first values of all are the baseline.
    """
    from weigh.experiment.config import grid

    given = {name: flags.pop(name) for name in GridTable.__struct_fields__}
    carry_out(**flags, grid={name: grid.parse(name, text) for name, text in given.items() if text is not None})


_file, _flags = flags_of(run, _ELSEWHERE, without=("duet", "vary", "why"))
layout.params = [_file, *map(_varied, GridTable.__struct_fields__), *_flags]
