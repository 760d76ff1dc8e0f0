"""weigh: benchmarks of data engines whose result can be believed.

The command is ``weigh``. From Python, :func:`open` reads the evidence that a run, a ladder or a load left, and
:mod:`weigh.stats` gives the same verdicts for numbers of your own (docs/guide/python.md). Engines and workloads of
others import :mod:`weigh.plugins` (docs/reference/plugins.md). All are imported when they are asked for: this file
loads nothing, so that ``weigh --help`` stays fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh._version import __version__ as __version__

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from weigh import stats as stats
    from weigh.kinds.evidence import AnyEvidence as AnyEvidence
    from weigh.kinds.evidence import Evidence as Evidence
    from weigh.kinds.evidence import LoadComparisonEvidence as LoadComparisonEvidence
    from weigh.kinds.evidence import LoadEvidence as LoadEvidence
    from weigh.kinds.ladder_evidence import LadderEvidence as LadderEvidence
    from weigh.kinds.ladder_evidence import LoadLadderEvidence as LoadLadderEvidence
    from weigh.kinds.reproduction_evidence import ReproductionEvidence as ReproductionEvidence
    from weigh.kinds.streams_evidence import StreamsEvidence as StreamsEvidence
    from weigh.model import errors as errors

__all__ = [
    "AnyEvidence",
    "Evidence",
    "LadderEvidence",
    "LoadComparisonEvidence",
    "LoadEvidence",
    "LoadLadderEvidence",
    "ReproductionEvidence",
    "StreamsEvidence",
    "__version__",
    "errors",
    "open",
    "run",
    "stats",
]


def open(
    evidence: str | os.PathLike[str],
) -> (
    Evidence
    | LadderEvidence
    | LoadLadderEvidence
    | LoadEvidence
    | LoadComparisonEvidence
    | ReproductionEvidence
    | StreamsEvidence
):
    """Read an evidence directory of any kind, finished or not.

    Args:
        evidence: the directory that ``weigh run``, ``ladder`` or ``load`` printed; ``latest`` is the newest of
            ``runs``, ``DIR/latest`` that of DIR. A run is read with the earlier attempts of its experiment.

    Returns:
        :class:`Evidence` of ``run``, ``gate`` and ``demo``, :class:`LadderEvidence` of ``ladder``,
        :class:`LoadLadderEvidence` of ``ladder --load``, :class:`LoadEvidence` of ``load``,
        :class:`LoadComparisonEvidence` of ``load`` with several contenders, :class:`ReproductionEvidence` of
        ``reproduce``, :class:`StreamsEvidence` of ``run --streams``; what they share is :class:`AnyEvidence`.

    Raises:
        weigh.errors.EvidenceFault: there is no such directory, it is no evidence, or it is damaged.
    """
    from pathlib import Path

    from weigh.kinds.opened import opened
    from weigh.model.errors import with_remedies

    with with_remedies():
        return opened(Path(evidence))


def run(contender: str | Sequence[str] = (), **arguments: Any) -> Evidence:
    """Carry out an experiment, as ``weigh run`` does, and open its evidence (docs/guide/python.md).

    Args:
        contender: who is compared; one, or several.
        arguments: ``data`` (files, or frames by table), ``sql`` (files, or texts by question), ``out``, ``progress``,
            and every flag of ``weigh run`` by its name with _ for -.

    Raises:
        weigh.errors.WeighError: as ``weigh run`` fails.
    """
    from weigh.kinds.measuring import run as measured
    from weigh.model.errors import with_remedies

    with with_remedies():
        return measured(contender, **arguments)


def __getattr__(name: str) -> Any:
    import importlib

    match name:
        case "stats":
            return importlib.import_module("weigh.stats")
        case "errors":
            return importlib.import_module("weigh.model.errors")
        case name if name in __all__ and name.endswith("Evidence"):
            return getattr(importlib.import_module("weigh.kinds.opened"), name)
    raise AttributeError(f"module 'weigh' has no attribute '{name}'")
