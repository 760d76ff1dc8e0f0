"""The catalogue of lies: ways in which published benchmarks have lied, and whether this version catches them."""

from __future__ import annotations

from weigh.lies import answers, data, load, machine, report, time
from weigh.lies.lie import Lie

CATALOGUE = (*answers.ROWS, *data.ROWS, *machine.ROWS, *load.ROWS, *time.ROWS, *report.ROWS)
"""What this version catches. A row is added with its liar and its honest twin, not before."""

__all__ = ["CATALOGUE", "Lie"]
