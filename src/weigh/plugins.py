"""What a plug-in may import of weigh: an engine or a workload of somebody else's (docs/reference/plugins.md).

An engine, by the entry point ``weigh.engines``::

    Engine       what weigh must know about it; Switch, ResultCache, CatalogReader and Objects are parts of it

A workload, by the entry point ``weigh.workloads``::

    WorkloadSource  what the entry point names: builds a workload, and knows its answers
    Workload        operations and the dataset they need
    Operation       one named query, with the Case it is asked with and the Filter it has
    ResultSchema    what a right answer looks like, Column by Column
    Cubes           the ground truth that literals and answers are computed from

What runs alongside the engine, in its own environment, imports :mod:`weigh_worker` and nothing of weigh. Errors are in
``weigh.errors``. Every other path of weigh is its own affair and moves without notice.
"""

from __future__ import annotations

from weigh.engines.engine import CatalogReader, Engine, Objects, ResultCache, Switch
from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Filter, Operation, Workload
from weigh.workloads import Cubes, WorkloadSource

__all__ = [
    "Case",
    "CatalogReader",
    "Column",
    "Cubes",
    "Engine",
    "Filter",
    "Objects",
    "Operation",
    "ResultCache",
    "ResultSchema",
    "Switch",
    "Workload",
    "WorkloadSource",
]
