"""weigh's own DuckDB adapter, which then uses the CPU for a share of the time that it took. Runs in the worker.

Version, settings, query and answer are those of ``duckdb``: with ``weigh.slower=0`` nothing is left of the difference
but two looks at the clock.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import Any

SLOWER = "weigh.slower"
"""By how much, as a fraction."""


def _duckdb() -> Any:
    """The module of weigh's adapter, from its file: weigh itself cannot be imported here."""
    path = Path(__file__).resolve().parents[2] / "src" / "weigh" / "engines" / "duckdb" / "adapter.py"
    spec = importlib.util.spec_from_file_location("weigh_duckdb_adapter", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no adapter module at {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_Base: Any = _duckdb().Engine


class Engine(_Base):  # type: ignore[misc]
    """DuckDB, slower by ``weigh.slower``."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__({name: value for name, value in settings.items() if name != SLOWER}, scratch)
        self.by = float(settings.get(SLOWER, 0.0))

    def settings(self) -> dict[str, dict[str, Any]]:
        """DuckDB's, and by how much it is slower."""
        return {**super().settings(), SLOWER: {"value": self.by, "default": 0.0}}

    def run(self) -> int:
        """Execute, then spin for that share of the time that it took."""
        began = time.perf_counter_ns()
        rows: int = super().run()
        taken = time.perf_counter_ns() - began
        until = began + taken + int(self.by * taken)
        while time.perf_counter_ns() < until:
            pass
        return rows
