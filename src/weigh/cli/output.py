"""What commands print. Every text goes to the terminal through here, and no control code of others goes with it.

Names, messages and values come from evidence, data files and engines that others made: what a terminal would obey is
shown instead. Reports have the same door in :class:`weigh.render.terminal.ReportConsole`.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from weigh.model.text import visible

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from weigh._kinds import Kind

_NARROW = 118
_CLEAR = "\r\x1b[2K"
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\n]")


def say(text: object = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """A text on standard output, or on standard error.

    Args:
        text: one or several lines.
        err: whether on standard error.
        nl: whether the line ends with it.
        style: as of ``click.style``.
    """
    click.secho(visible(str(text)), err=err, nl=nl, **style)


def clear_line() -> None:
    """Take away what a bar of progress drew."""
    click.echo(_CLEAR, nl=False, err=True)


def print_results(kind: Kind[Any, Any], results: Any, folder: Path, *, as_json: bool, verbose: bool = False) -> None:
    """What evidence of any kind says, on stdout."""
    if as_json:
        print_json(kind.document(results, folder.resolve().name))
    else:
        print_rich((kind.whole if verbose else kind.text)(results, str(folder)))


def print_rich(renderable: RenderableType) -> None:
    """Anything with styles on stdout; NO_COLOR and a pipe take the colour away."""
    from weigh.render.terminal import ReportConsole

    console = ReportConsole()
    if not console.is_terminal:
        console = ReportConsole(width=_NARROW)
    # What was laid out wider, such as a path, goes on in the next line rather than being cut.
    console.print(renderable, crop=False)


def print_json(document: bytes | object) -> None:
    """One JSON document on stdout; in its strings, what a terminal would obey is escaped."""
    import msgspec

    body = document if isinstance(document, bytes) else msgspec.json.format(msgspec.json.encode(document), indent=2)
    text = _UNPRINTABLE.sub(_escaped, body.decode(errors="replace").rstrip("\n"))
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stdout.buffer.flush()


def _escaped(found: re.Match[str]) -> str:
    """A character of a JSON string as JSON escapes it, unless it is printable."""
    import json

    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1].replace("\x7f", "\\u007f")
