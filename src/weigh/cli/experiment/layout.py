"""``weigh layout``."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin

import click

from weigh.cli.experiment.run import carry_out, run
from weigh.cli.keys import Key, alternatives, flags_of, key
from weigh.model.spec import LayoutSpec

_FORMS = {
    **dict.fromkeys(("dictionary", "bloom_filters", "statistics"), ": each on, off, or columns joined by +"),
    "page_size": ", e.g. 64K,1M",
    "sort": ": each none, or columns joined by +",
}


def _varied(name: str) -> Key:
    """A key of a layout, as a flag that takes several values."""
    kinds = alternatives(LayoutSpec, name)
    choices = [value for one in kinds if get_origin(one) is Literal for value in get_args(one)]
    also = f"; any of {', '.join(choices)}" if choices else _FORMS.get(name, "")
    return key(LayoutSpec, name, "on,off" if kinds == {bool} else "A,B,...", type=str, also=also)


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

    given = {name: flags.pop(name) for name in LayoutSpec.__struct_fields__}
    carry_out(**flags, grid={name: grid.parse(name, text) for name, text in given.items() if text is not None})


_file, _flags = flags_of(run, _ELSEWHERE, without=("command", "output", "duet", "streams", "vary", "why"))
layout.params = [_file, *map(_varied, LayoutSpec.__struct_fields__), *_flags]
