"""The table of types, as Markdown, from what a run recorded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from reference.markdown import table
from type_table.casts import CASTS
from type_table.columns import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDED = Path(__file__).with_name("recorded.json")


def blocks() -> dict[str, str]:
    """The regions of docs/reference/types.md."""
    found = json.loads(RECORDED.read_bytes())
    engines = list(found["versions"])
    versions = ", ".join(
        f"{name} {version}" if "@" not in name else name for name, version in found["versions"].items()
    )
    parts = [f"Recorded with {versions}."]
    for title, types in GROUPS.items():
        rows = [
            [
                f"`{name}`",
                *(_cell(found["cells"].get(name, {}).get(engine, "")) for engine in engines),
                _cell(found["readers"].get(name, "")),
            ]
            for name in types
        ]
        parts += [f"### {title}", table(["type", *engines, "weigh's readers"], rows)]
    return {"types": "\n\n".join(parts), "casts": "\n\n".join(_casts(found["casts"], engines))}


def _casts(recorded: dict[str, dict[str, str]], engines: list[str]) -> Iterator[str]:
    for owner, columns in CASTS.items():
        kinds = [kind for of in columns.values() for kind in of]
        rows = [
            [f"`{kind}`", *(_cell(recorded.get(f"{owner}: {kind}", {}).get(engine, "")) for engine in engines)]
            for kind in kinds
        ]
        yield f"### Types of {owner}"
        yield table(["SQL type", *engines], rows)


def _cell(recorded: str) -> str:
    # The digests of rows say nothing to a reader.
    recorded = re.sub(r": x\d+s\d+:\d+:[0-9a-f]+, not x\S+", "", recorded)
    return recorded.replace("<", "&lt;").replace("|", "\\|").replace("\n", " ") if recorded else "not asked"
