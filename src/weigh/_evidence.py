"""Opened evidence: what ``weigh.open`` returns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.experiment.results.results import experiment_results
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.verify.verify import Verification
    from weigh.model.finding import Finding
    from weigh.model.gate import Gate
    from weigh.model.spec import Spec
    from weigh.model.verdict import Tier, Timing, Verdict


class Evidence:
    """An evidence directory, read. Everything is computed from its journal, as ``weigh report`` does.

    Nothing is verified by reading: :meth:`verify` does that.

    Args:
        folder: the directory of an attempt.

    Attributes:
        path: that directory, absolute.

    Raises:
        EvidenceFault: there is no such directory, it is no evidence, or it is damaged.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh run prints the path")
        self.path = folder.resolve()
        self._attempts = tuple(files.attempts(self.path))

    def __repr__(self) -> str:
        spec = self.spec
        contenders = ", ".join(contender.name for contender in spec.contenders)
        return f"<weigh.Evidence {self.path.name}: {spec.workload}, {contenders}>"

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
        """Every execution of all attempts, one row each, with the columns of ``samples.parquet`` (docs/evidence.md).

        Untimed and failed executions are in it: measurements are those with ``run > 0`` and ``outcome = 'ok'``. Times
        are seconds, sizes bytes. The table has ``__arrow_c_stream__``: what reads the Arrow PyCapsule interface
        (DuckDB, Polars, pandas, ...) can take its buffers as they are.
        """
        import pyarrow as pa

        return pa.concat_tables([derived.sample_table(record.samples) for record in self._attempts])

    @property
    def gate(self) -> Gate | None:
        """What came of the answers, before any clock and in every timed execution; None where the gate never ended."""
        return self._conclusion.gate

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One of every operation, contender other than the baseline, and metric."""
        return self._conclusion.verdicts

    @property
    def timings(self) -> tuple[Timing, ...]:
        """Each contender by itself: one of every operation, contender and metric that may be shown."""
        return self._conclusion.timings

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What weigh has to say about the experiment, errors first."""
        return self._conclusion.findings

    @property
    def tier(self) -> Tier | None:
        """What the evidence is good for, provided that :meth:`verify` passes; None where nothing was timed."""
        return self._conclusion.tier

    def report(self) -> str:
        """The report as text, the same as ``report.txt``."""
        from weigh.experiment.report.terminal import plain

        return plain(self._conclusion, self.path.name)

    def verify(self) -> Verification:
        """Compute every hash and every printed number again, as ``weigh verify`` does; it says what is wrong.

        Raises:
            EvidenceFault: it was never sealed.
        """
        from weigh.experiment.verify.verify import verify

        return verify(self.path)

    @cached_property
    def _conclusion(self) -> ExperimentResults:
        return experiment_results(self._attempts)
