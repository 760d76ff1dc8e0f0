"""What a differential profile found, before it has a form."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.experiment.profile.counters import CounterChange
from weigh.experiment.profile.plans import OperatorChange
from weigh.experiment.profile.stacks import Functions
from weigh.model.units import Seconds

LEAST = 0.01
"""Share of an execution below which a change is shown on the page alone."""


class ProfiledChange(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of one contender against the baseline.

    The seconds of operators, functions and counters were taken under profilers: they say where time goes, and are no
    measurement. What was measured is ``ratio``, ``before_s`` and ``after_s``.

    Attributes:
        operation: its name.
        case: that was executed: of several timed ones that with the largest change.
        baseline: name of one side.
        contender: name of the other.
        verdict: on wall time; None where there is none.
        ratio: contender over baseline, as the verdict has it; None where there is none, or it was refused.
        before_s: median seconds of an execution by the baseline, as measured; None where nobody was timed.
        after_s: the same of the contender.
        profiled_executions: of each side under the engine's own profiler.
        profiled_s: seconds of an execution by the baseline and by the contender while Python frames were sampled.
        operators: in the order of the contender's plan; None where one side tells none.
        operators_lack: what an engine's profiler does not tell, and why; empty where it tells all.
        counters: that moved by more than executions scatter, the largest factor first.
        functions: of Python's frames, and of all code.
        blocks: median seconds of (baseline, contender) in each block in which both were measured.
        folder: with the profiles, the stacks and the drawings, in the folder of the whole.
        failed: why a side could not be profiled; empty where it could.
    """

    operation: str
    case: str
    baseline: str
    contender: str
    verdict: str | None
    ratio: float | None
    before_s: Seconds | None
    after_s: Seconds | None
    profiled_executions: int = 0
    profiled_s: tuple[Seconds, Seconds] = (0.0, 0.0)
    operators: tuple[OperatorChange, ...] | None = None
    operators_lack: str = ""
    counters: tuple[CounterChange, ...] = ()
    functions: tuple[Functions, ...] = ()
    blocks: tuple[tuple[Seconds, Seconds], ...] = ()
    folder: str = ""
    failed: str = ""

    @property
    def least_s(self) -> Seconds:
        """Seconds that are worth a line."""
        return LEAST * max(self.profiled_s)


class WhyResults(msgspec.Struct, frozen=True, kw_only=True):
    """The whole.

    Attributes:
        schema: of the JSON document.
        evidence: name of the directory with the measurement.
        notice: what every report on its workload must say.
        notes: what differs from the measurement, licences, and what a reader must know.
        changes: the largest first.
        left_out: operations that changed as well and were not profiled, by contender.
    """

    schema: Literal["weigh/why/1"] = "weigh/why/1"
    evidence: str
    notice: str = ""
    notes: tuple[str, ...] = ()
    changes: tuple[ProfiledChange, ...] = ()
    left_out: dict[str, tuple[str, ...]] = {}
