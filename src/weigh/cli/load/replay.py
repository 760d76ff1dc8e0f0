"""Flags of ``weigh load replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable


def replay_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags that are of a replay alone."""
    flags = (
        click.option("--speed", metavar="FACTOR", help="Of a replay: how many times as fast, e.g. 0.5x, 2x, 4x [1x]."),
        click.option(
            "--read-only",
            is_flag=True,
            help="Of a replay: leave out the statements that write, and let no other write.",
        ),
        click.option(
            "--on-copy", is_flag=True, help="Of a replay by URL: the data there is a copy, and may be written."
        ),
        click.option(
            "--hide-values",
            is_flag=True,
            help="Of a replay with --answers keep: keep neither parameters nor rows, only digests of them.",
        ),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command
