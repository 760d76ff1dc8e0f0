"""``--html``: a report as one page."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from weigh.cli.output import say
from weigh.evidence import whole

html_option = click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write it as one HTML page; - is stdout.",
)


def write_page(path: Path, page: bytes) -> None:
    """Write a page to a file, and say so, or to standard output.

    Raises:
        OSError: it cannot be written.
    """
    if str(path) == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
        return
    whole.write(path, page)
    say(f"written: {path}", err=True)
