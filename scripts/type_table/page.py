"""The table of types, as Markdown, from what a run recorded."""

from __future__ import annotations

import json
from pathlib import Path

from reference.markdown import table
from type_table.columns import GROUPS

RECORDED = Path(__file__).with_name("recorded.json")
_WORDS = {"agreed": "", "alone": "nobody to compare with"}


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
            [f"`{name}`", *(_cell(found["cells"].get(name, {}).get(engine, "")) for engine in engines)]
            for name in types
        ]
        parts += [f"### {title}", table(["type", *engines], rows)]
    return {"types": "\n\n".join(parts)}


def _cell(said: str) -> str:
    return said.replace("<", "&lt;").replace("\n", " ") if said else "not asked"
