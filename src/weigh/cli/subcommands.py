"""A group of commands whose help has a whole sentence of each."""

from __future__ import annotations

import click

_SENTENCE = 200
"""Characters of one; click cuts it at the end of a line."""


class Subcommands(click.Group):
    """Commands below one of weigh."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click does, without cutting what a command does."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(_SENTENCE)) for name, one in found if one and not one.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
