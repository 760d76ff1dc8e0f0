"""``weigh schema``."""

from __future__ import annotations

import click

from weigh.cli.output import print_json, say


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
def schema(name: str | None) -> None:
    """Print the JSON Schema of a document, such as weigh/1 of `weigh run --json`; without NAME the names there are."""
    from weigh.cli.catalogue import schemas
    from weigh.model.errors import UsageError, nearest

    if name is None:
        for one in schemas.DOCUMENTS:
            say(one)
        return
    if name not in schemas.DOCUMENTS:
        raise UsageError(f"there is no schema '{name}'", remedy=nearest(name, schemas.DOCUMENTS))
    print_json(schemas.schema(name))
