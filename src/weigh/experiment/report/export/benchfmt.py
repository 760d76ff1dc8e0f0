"""Go's benchmark format, as benchstat reads it (golang.org/design/14313-benchmark-format).

A line is one start of a contender on one operation: the median of its timed executions. Executions of one start are no
independent samples, and a line each would have benchstat believe that they are. The second arm of a baseline that took
part twice stands under a name of its own: ``benchstat -col contender`` shows what no difference looks like.
"""

from __future__ import annotations

import re
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from weigh.experiment.report.export.exported import operation
from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.experiment.report.export.exported import Exported
    from weigh.model.sample import Sample

_UNITS = {"wall_s": "sec/op", "cpu_s": "cpu-sec/op", "peak_memory": "peak-RSS-bytes"}
_UNFIT = re.compile(r"[^\w.()=,:@?&+-]+")
"""What a name cannot have: it ends at the first space, and slashes divide it."""


def write(exported: Exported) -> bytes:
    """The whole file: configuration, then arm by arm its starts in the order in which they were made."""
    record = exported.results.record
    scale = f" {units.scale(record.spec.scale)}" if record.spec.scale is not None else ""
    lines = [f"workload: {one_line(record.spec.workload)}{scale}", f"evidence: {one_line(exported.evidence)}"]
    arms: dict[str, dict[tuple[int, int], dict[str, list[Sample]]]] = {}
    # benchstat compares with the first arm that it reads.
    for sample in sorted(exported.samples, key=lambda one: one.arm != record.spec.baseline):
        if sample.timed and exported.includes(sample.contender):
            starts = arms.setdefault(sample.arm, defaultdict(lambda: defaultdict(list)))
            starts[sample.attempt, sample.start][operation(sample)].append(sample)
    # Those of all contenders, so that the files of two of them call an operation the same.
    written = _names(sorted({operation(one) for one in exported.samples}))
    for arm, starts in arms.items():
        lines += ["", f"contender: {one_line(arm)}"]
        # Which start a line is of is no configuration: benchstat would make a table of each.
        lines += [
            _line(written[name], samples) for _, found in sorted(starts.items()) for name, samples in found.items()
        ]
    return "\n".join([*lines, ""]).encode()


def _line(name: str, samples: list[Sample]) -> str:
    values = {
        unit: [value for one in samples if (value := getattr(one, field)) is not None] for field, unit in _UNITS.items()
    }
    figures = " ".join(f"{median(found):.9g} {unit}" for unit, found in values.items() if found)
    return f"BenchmarkOperation/{name} {len(samples)} {figures}"


def _names(operations: Iterable[str]) -> dict[str, str]:
    """Every operation as the form can name it: two that would be called the same are distinguished by a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in operations:
        plain, number = _UNFIT.sub("_", name), 1
        called = plain
        while called in taken:
            number += 1
            called = f"{plain}.{number}"
        taken.add(called)
        found[name] = called
    return found
