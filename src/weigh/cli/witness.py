"""``weigh witness``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli.output import print_json, say
from weigh.cli.subcommands import Subcommands

DEFAULT_PORT = 8788


@click.group(cls=Subcommands)
def witness() -> None:
    """Keep the heads of others' journals, so that nobody can make them anew afterwards.

    A witness is told hashes, and nothing of what was measured. It belongs on another host, of somebody else.

    \b
    weigh witness serve --host 0.0.0.0                        # there
    weigh run ... --anchor http://there:8788                  # here
    weigh verify latest --witness http://there:8788           # anywhere
    """


@witness.command()
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="That it listens on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, metavar="N", help="0 takes any."
)
@click.option(
    "--log",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("witness.jsonl"),
    show_default=True,
    metavar="FILE",
    help="Where anchors are kept; it only grows.",
)
def serve(host: str, port: int, path: Path) -> None:
    """Receive anchors until Ctrl-C, and give them to whoever asks.

    There is no password: whoever reaches it may add anchors, and nobody can change or remove one. Encryption is that of
    a proxy before it.
    """
    from weigh.evidence.anchoring.server import Witness

    server = Witness(host, port, path)
    address, bound = server.server_address[:2]
    say(f"witness at http://{address!s}:{bound}, log {path}; Ctrl-C ends it", err=True)
    try:
        server.serve_forever()
    finally:
        server.server_close()


@witness.command("list")
@click.argument("place", metavar="PLACE")
@click.option("--experiment", metavar="ID", default="", help="Only that one; a git remote needs it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/witness/1).")
def listed(place: str, experiment: str, as_json: bool) -> None:
    """Print the anchors that PLACE has: http://HOST:PORT, git:REPOSITORY or a log."""
    from weigh.evidence.anchoring import places
    from weigh.evidence.anchoring.server import SCHEMA

    anchors = places.place(place).read(experiment)
    if as_json:
        print_json({"schema": SCHEMA, "anchors": anchors})
        return
    for one in anchors:
        say(f"{one.at}  {one.experiment} attempt {one.attempt}, line {one.line:,}: {one.head}")
