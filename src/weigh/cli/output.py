"""What commands print: reports with colour where it helps, JSON as it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from weigh._kinds import Kind

_NARROW = 118


def print_results(kind: Kind[Any, Any], results: Any, folder: Path, *, as_json: bool, verbose: bool = False) -> None:
    """What evidence of any kind says, on stdout."""
    if as_json:
        print_json(kind.document(results, folder.resolve().name))
    else:
        print_rich((kind.whole if verbose else kind.text)(results, str(folder)))


def print_rich(renderable: RenderableType) -> None:
    """Anything with styles on stdout; NO_COLOR and a pipe take the colour away."""
    from rich.console import Console

    from weigh.render.terminal import VERBATIM

    console = Console(**VERBATIM)
    if not console.is_terminal:
        console = Console(width=_NARROW, **VERBATIM)
    # What was laid out wider, such as a path, goes on in the next line rather than being cut.
    console.print(renderable, crop=False)


def print_json(document: bytes | object) -> None:
    """One JSON document on stdout."""
    import msgspec

    body: Any = (
        document if isinstance(document, bytes) else msgspec.json.format(msgspec.json.encode(document), indent=2)
    )
    sys.stdout.buffer.write(body.rstrip(b"\n") + b"\n")
    sys.stdout.buffer.flush()
