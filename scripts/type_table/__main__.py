"""Ask every engine for every type and record the table: ``make types``, or ``make types ONLY=uuid,map`` for some types.

What was recorded of other types stays. All of it takes half an hour on two quiet cores.
"""

from __future__ import annotations

import json
import sys

from type_table.asked import ENGINES, table, versions
from type_table.columns import TYPES
from type_table.page import RECORDED


def main(names: list[str]) -> int:
    """Record; exit code 1 where anybody is accused."""
    recorded = json.loads(RECORDED.read_bytes()) if RECORDED.exists() else {"versions": {}, "cells": {}}
    found = table(names or list(TYPES))
    recorded["versions"] = versions(ENGINES)
    recorded["cells"] |= found
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    accused = [
        f"{name}, {engine}: {cell}"
        for name, cells in found.items()
        for engine, cell in cells.items()
        if cell.startswith("ACCUSED")
    ]
    print("\n".join(accused) or f"{len(found)} types, nobody accused")
    return 1 if accused else 0


if __name__ == "__main__":
    sys.exit(main([name for one in sys.argv[1:] for name in one.split(",") if name]))
