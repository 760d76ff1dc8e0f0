"""weigh: benchmarks of data engines whose result can be believed.

The command is ``weigh``. From Python, :func:`open` reads the evidence that a run left, and :mod:`weigh.stats` gives the
same verdicts for numbers of your own (docs/python.md). Both are imported when they are asked for: this file loads
nothing, so that ``weigh --help`` stays fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    from weigh import stats as stats
    from weigh._evidence import Evidence as Evidence
    from weigh.model import errors as errors

__all__ = ["Evidence", "__version__", "errors", "open", "stats"]
__version__ = "0.1.0"


def open(evidence: str | os.PathLike[str]) -> Evidence:
    """Read an evidence directory, finished or not, with the earlier attempts of its experiment.

    Args:
        evidence: the directory that ``weigh run`` printed.

    Raises:
        weigh.errors.EvidenceFault: there is no such directory, it is no evidence, or it is damaged.
    """
    from pathlib import Path

    from weigh._evidence import Evidence

    return Evidence(Path(evidence))


def __getattr__(name: str) -> Any:
    import importlib

    match name:
        case "stats":
            return importlib.import_module("weigh.stats")
        case "errors":
            return importlib.import_module("weigh.model.errors")
        case "Evidence":
            return importlib.import_module("weigh._evidence").Evidence
    raise AttributeError(f"module 'weigh' has no attribute '{name}'")
