"""DuckDB with a habit, which the setting ``odd`` names. Runs in the worker."""

from __future__ import annotations

from importlib import import_module
from typing import Any

ODD = {
    "plain": "base.Engine",
    "compiles": "habits.Compiles",
    "maps": "files.Maps",
    "direct": "files.Direct",
    "reads-ahead": "files.ReadsAhead",
    "in-file": "files.InFile",
    "keeps-code": "habits.KeepsCode",
    "pool": "threads.Pool",
    "connections": "threads.Connections",
    "collects": "threads.Collects",
    "joins": "threads.Joins",
    "child": "children.Child",
    "asks-version": "children.AsksVersion",
    "prints": "habits.Prints",
    "warns": "habits.Warns",
    "closes-slowly": "habits.ClosesSlowly",
    "late-import": "habits.LateImport",
    "arena": "habits.Arena",
    "signals": "habits.Signals",
    "switches": "habits.Switches",
    "zone": "habits.Zone",
    "starts-slowly": "habits.StartsSlowly",
    "fails-some": "habits.FailsSome",
    "wide-integers": "forms.WideIntegers",
    "dictionaries": "forms.Dictionaries",
    "large-text": "forms.LargeText",
    "views": "forms.Views",
    "decimal-text": "forms.DecimalText",
    "decimal-double": "forms.DecimalDouble",
    "nanoseconds": "forms.Nanoseconds",
    "zoned": "forms.Zoned",
    "months": "forms.Months",
    "uuid-bytes": "forms.UuidBytes",
    "one-row-batches": "forms.OneRowBatches",
    "empty-batches": "forms.EmptyBatches",
    "no-batches": "forms.NoBatches",
    "shuffled": "forms.Shuffled",
    "one-name": "forms.OneName",
    "structs": "forms.Nullable",
}
"""Module and class of each habit."""


def Engine(settings: dict[str, Any], scratch: str) -> Any:
    """What the worker opens."""
    module, _, name = ODD[settings.get("odd", "plain")].partition(".")
    return getattr(import_module(f".{module}", __name__), name)(settings, scratch)
