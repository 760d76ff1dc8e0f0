"""Ask every engine for every type and record the table: ``make types``, or ``make types ONLY=uuid,map`` for some types.

``ONLY=casts`` asks for the SQL types alone, ``ONLY=readers`` weigh's readers. What was recorded of others stays. All of
it takes half an hour on two quiet cores.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from type_table.answers import ENGINES, LOADERS, READERS, Cells, cast, groups, readers, versions
from type_table.casts import CASTS
from type_table.columns import TYPES
from type_table.page import RECORDED


def main(names: list[str]) -> int:
    """Record; exit code 1 where anybody is accused who was not before, 2 where a name is no type."""
    if unknown := [name for name in names if name not in (*TYPES, "casts", "readers")]:
        print(f"error: no type is called {', '.join(unknown)}: there are {', '.join(TYPES)}", file=sys.stderr)
        return 2
    recorded: dict[str, Any] = {"versions": {}, "cells": {}, "casts": {}, "readers": {}}
    if RECORDED.exists():
        recorded |= json.loads(RECORDED.read_bytes())
    recorded["versions"] = versions(ENGINES)
    accused: list[str] = []
    known = sum(cell.startswith("ACCUSED") for of in recorded["cells"].values() for cell in of.values())

    def record(part: str, found: Cells) -> None:
        for name, cells in found.items():
            before = recorded[part].setdefault(name, {})
            new = {engine: cell for engine, cell in cells.items() if not before.get(engine, "").startswith("ACCUSED")}
            accused.extend(f"{name}, {engine}: {cell}" for engine, cell in new.items() if cell.startswith("ACCUSED"))
            before.update(cells)
        RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")

    types = [name for name in names if name in TYPES] or ([] if names else list(TYPES))
    if not names or "readers" in names:
        recorded["readers"] = {name: readers(name) for name in TYPES}
    for engines in (READERS, LOADERS):
        for found in groups(types, engines):
            record("cells", found)
    for engine in CASTS if not names or "casts" in names else ():
        record("casts", {f"{engine}: {kind}": cells for kind, cells in cast(engine).items()})
    record("cells", {})
    print("\n".join(accused) or f"nobody is accused but the {known} of before")
    return 1 if accused else 0


if __name__ == "__main__":
    sys.exit(main([name for one in sys.argv[1:] for name in one.split(",") if name]))
