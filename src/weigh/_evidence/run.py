"""Opened evidence of runs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from weigh._evidence.any import AnyEvidence
from weigh._kinds import RUN
from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.experiment.verify.verify import Verification

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from weigh.experiment.record import Record
    from weigh.model.gate import Gate
    from weigh.model.spec import Spec
    from weigh.model.verdict import Tier, Timing, Verdict


class Evidence(AnyEvidence[ExperimentResults, Verification]):
    """The evidence of ``weigh run``, ``gate`` or ``demo``, with the earlier attempts of the same experiment."""

    _kind = RUN

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._attempts = tuple(files.attempts(self.path))

    @property
    def spec(self) -> Spec:
        """What was decided beforehand: contenders, baseline, starts, margin and the other rules."""
        return self._attempts[-1].spec

    @property
    def attempts(self) -> tuple[Record, ...]:
        """The journals of this attempt and of the earlier ones of the same experiment, oldest first."""
        return self._attempts

    @cached_property
    def samples(self) -> pa.Table:
        """Every execution of all attempts, one row each (docs/reference/evidence.md).

        Untimed and failed executions are in it: measurements are those with ``run > 0`` and ``outcome = 'ok'``. Times
        are seconds, sizes bytes. The table has ``__arrow_c_stream__``: what reads the Arrow PyCapsule interface
        (DuckDB, Polars, pandas, ...) can take its buffers as they are.
        """
        import pyarrow as pa

        return pa.concat_tables([derived.sample_table(record.samples) for record in self._attempts])

    @property
    def gate(self) -> Gate | None:
        """What came of the answers, before any clock and in every timed execution; None where the gate never ended."""
        return self._results.gate

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One of every operation, contender other than the baseline, and metric."""
        return self._results.verdicts

    @property
    def timings(self) -> tuple[Timing, ...]:
        """Each contender by itself: one of every operation, contender and metric that may be shown."""
        return self._results.timings

    @property
    def tier(self) -> Tier | None:
        """What the evidence is good for, provided that :meth:`verify` passes; None where nothing was timed."""
        return self._results.tier

    @cached_property
    def _results(self) -> ExperimentResults:
        return experiment_results(self._attempts)

    @property
    def _about(self) -> str:
        return f"{self.spec.workload}, {', '.join(one.name for one in self.spec.contenders)}"
