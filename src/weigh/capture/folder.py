"""The folder of a capture: scripts, weigh.toml, capture.json; the trace is there already."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from weigh.capture import results

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.capture.results import CaptureResults
    from weigh.capture.selection import Captured

_LEAST_RATE = 0.001


def write(place: Path, found: CaptureResults, captured: Captured) -> CaptureResults:
    """Write it.

    Args:
        place: the folder.
        found: what was found.
        captured: with the scripts.
    """
    if found.product != "redis" and captured.scripts:
        # Scripts are of SQL: commands of Redis are in the trace.
        (place / "scripts").mkdir()
        for script in captured.scripts:
            (place / "scripts" / f"{script.name}.sql").write_text(script.text, encoding="utf-8")
        (place / "weigh.toml").write_text(_toml(found, captured), encoding="utf-8")
    body = msgspec.json.format(msgspec.json.encode(found), indent=2)
    (place / results.FILE).write_bytes(body + b"\n")
    return found


def _toml(found: CaptureResults, captured: Captured) -> str:
    words = [f'  "scripts/{one.name}.sql@{one.weight}",' for one in found.scripts]
    source = f" from {', '.join(found.files)}" if found.files else ""
    lines = [
        f"# Captured{source}. Run it: weigh load . --target ...",
        "[load]",
        "workload = [",
        *words,
        "]",
        f'protocol = "{found.protocol}"',
    ]
    rate = rate_of(found)
    if rate is not None:
        lines.append(f"rate = {rate:.6g}")
    if found.arrivals is not None:
        lines.append(f'arrivals = "{found.arrivals.flag}"')
    sequences = [name for script in captured.scripts for name in script.sequences]
    if sequences:
        lines += ["", "[load.define]", *(f"{json.dumps(name)} = 0" for name in sequences)]
    return "\n".join(lines) + "\n"


def rate_of(found: CaptureResults) -> float | None:
    """Scripts a second, as they were captured; None where the source does not say for how long it counted."""
    number = sum(one.weight for one in found.scripts)
    if not found.length_s or not number:
        return None
    return max(_LEAST_RATE, number / found.length_s)
