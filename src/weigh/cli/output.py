"""What commands print: reports with colour where it helps, JSON as it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weigh.report.conclusion import Conclusion

_NARROW = 118


def print_report(conclusion: Conclusion, evidence: str) -> None:
    """The report on stdout; NO_COLOR and a pipe take the colour away."""
    from rich.console import Console

    from weigh.report.terminal import VERBATIM, report

    console = Console(**VERBATIM)
    if not console.is_terminal:
        console = Console(width=_NARROW, **VERBATIM)
    console.print(report(conclusion, evidence))


def print_json(document: bytes | object) -> None:
    """One JSON document on stdout."""
    import msgspec

    body: Any = (
        document if isinstance(document, bytes) else msgspec.json.format(msgspec.json.encode(document), indent=2)
    )
    sys.stdout.buffer.write(body.rstrip(b"\n") + b"\n")
    sys.stdout.buffer.flush()
