"""Environments of contenders, really made."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from weigh.engines import environment

if TYPE_CHECKING:
    from pathlib import Path


IMPORTED = """
import sys
from pathlib import Path
import duckdb
kept = [one.__cached__ for name, one in sys.modules.items() if name.split(".")[0] == "duckdb" and one.__spec__.cached]
print(len(kept) > 10, [path for path in kept if not Path(path).exists()])
"""


def test_what_is_installed_is_compiled_before_any_life_begins(tmp_path: Path) -> None:
    """A life writes no bytecode: what is missing here would be compiled at each start."""
    made = environment.ensure(["duckdb==2.0.0"], tmp_path)
    said = subprocess.run([str(made.python), "-IBc", IMPORTED], capture_output=True, text=True, check=True)
    assert said.stdout == "True []\n"
