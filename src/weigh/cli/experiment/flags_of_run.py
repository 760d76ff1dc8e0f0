"""The flags of ``weigh run``, for commands that are experiments as well."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import click

from weigh.cli.experiment.run import run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def flags_of_run(
    elsewhere: Mapping[str, str], without: Collection[str]
) -> tuple[click.Parameter, list[click.Parameter]]:
    """The argument FILE, and the options.

    Args:
        elsewhere: by name what a flag means there, where that is more.
        without: names of flags that mean nothing there.
    """
    file, *flags = (_changed(one, elsewhere) for one in run.params if one.name not in without)
    return file, flags


def _changed(one: click.Parameter, elsewhere: Mapping[str, str]) -> click.Parameter:
    if one.name not in elsewhere:
        return one
    changed = copy.copy(one)
    assert isinstance(changed, click.Option)
    changed.help = elsewhere[one.name]
    return changed
