"""Opened evidence of runs and loads: what ``weigh.open`` returns, one class for each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Generic

import msgspec

from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.experiment.verify.verify import Verification
from weigh.kinds.kind import Found, Kind, Results
from weigh.kinds.rows import Rows
from weigh.kinds.table import LOAD, LOAD_COMPARISON, RUN, kind_of
from weigh.load import record as load_record
from weigh.load.comparison.report import files as comparison_files
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.load.comparison.verify import LoadComparisonVerification
from weigh.load.results import LoadResults, load_results
from weigh.load.verify import LoadVerification
from weigh.model.errors import EvidenceFault
from weigh.render.terminal import plain_text

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from weigh.experiment.record import Record
    from weigh.load.activity.kinds import RunActive
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.comparison.figures import BlockRun
    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.comparison.spec import LoadComparisonSpec
    from weigh.load.comparison.verdicts import LoadVerdict
    from weigh.load.record import LoadRecord
    from weigh.load.results import Group
    from weigh.load.spec import LoadSpec
    from weigh.load.waits.analysis import RunWaited
    from weigh.model.finding import Finding
    from weigh.model.gate import Gate
    from weigh.model.spec import Spec
    from weigh.model.verdict import Tier, Timing, Verdict
    from weigh.streams.spec import StreamsSpec


class AnyEvidence(ABC, Generic[Results, Found]):
    """An evidence directory, read: what all kinds have. Everything is computed anew, as ``weigh report`` does.

    Nothing is verified by reading: :meth:`verify` does that.

    Args:
        folder: the directory.

    Attributes:
        path: that directory, absolute.

    Raises:
        EvidenceFault: there is no such directory, it is no evidence or that of another kind, or it is damaged.
    """

    _kind: ClassVar[Kind[Any, Any]]

    def __init__(self, folder: Path) -> None:
        found = kind_of(folder)
        if found is not self._kind:
            raise EvidenceFault(
                f"it is {found.noun}, and not {self._kind.noun}",
                where=str(folder),
                remedy="weigh.open opens evidence of every kind",
            )
        self.path = folder.resolve()

    def __repr__(self) -> str:
        return f"<weigh.{type(self).__name__} {self.path.name}: {self._about}>"

    @property
    def kind(self) -> str:
        """``run``, ``ladder`` or ``load``: the command that left it."""
        return self._kind.name

    @property
    @abstractmethod
    def spec(self) -> Spec | LoadSpec | LoadComparisonSpec | StreamsSpec:
        """What was decided beforehand."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What weigh has to say about it, errors first; of a ladder those of its rungs, then what it shows itself."""
        return self._results.findings

    @property
    @abstractmethod
    def tier(self) -> Tier | None:
        """What the evidence is good for, provided that :meth:`verify` passes; None where nothing was timed."""

    def document(self) -> dict[str, Any]:
        """The report as plain data, the same as ``weigh report --json`` (docs/reference/json.md)."""
        made = msgspec.json.encode(self._kind.document(self._results, self.path.name))
        plain: dict[str, Any] = msgspec.json.decode(made)
        return plain

    def report(self) -> str:
        """The report as text; of a run and a load the same as ``report.txt``."""
        return plain_text(self._kind.whole(self._results, self.path.name))

    def html(self) -> str:
        """The report as one page, the same as ``weigh report --html``."""
        return self._kind.html(self.path).decode()

    def _repr_html_(self) -> str:
        """The first screen, for notebooks."""
        return f"<pre>{escape(plain_text(self._kind.text(self._results, self.path.name)))}</pre>"

    def verify(self) -> Found:
        """Compute every hash and every printed number again, as ``weigh verify`` does; it says what is wrong.

        Raises:
            EvidenceFault: it was never sealed.
        """
        found: Found = self._kind.verify(self.path)
        return found

    @property
    @abstractmethod
    def _results(self) -> Results: ...

    @property
    @abstractmethod
    def _about(self) -> str: ...


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
    def verdicts(self) -> Rows[Verdict]:
        """One of every operation, contender other than the baseline, and metric."""
        return Rows(self._results.verdicts)

    @property
    def timings(self) -> Rows[Timing]:
        """Each contender by itself: one of every operation, contender and metric that may be shown."""
        return Rows(self._results.timings)

    @property
    def tier(self) -> Tier | None:
        """What the evidence is good for, provided that :meth:`verify` passes; None where nothing was timed."""
        return self._results.tier

    @cached_property
    def _results(self) -> ExperimentResults:
        return experiment_results(self._attempts)

    @property
    def _about(self) -> str:
        return f"{self.spec.title}, {', '.join(one.name for one in self.spec.contenders)}"


class LoadEvidence(AnyEvidence[LoadResults, LoadVerification]):
    """The evidence of ``weigh load``."""

    _kind = LOAD

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._record = load_record.read(self.path)

    @property
    def spec(self) -> LoadSpec:
        """What was decided beforehand: workload, target, arrivals, connections, duration."""
        return self._record.spec

    @property
    def record(self) -> LoadRecord:
        """Its journal: the target as it described itself, and every run with the histograms of its intervals."""
        return self._record

    @property
    def runs(self) -> tuple[RunFigures, ...]:
        """The figures of every run. The first is that of the headline; times are seconds."""
        return self._results.runs

    @property
    def groups(self) -> tuple[Group, ...]:
        """Repeats of one kind of run, with the interval between them."""
        return self._results.groups

    @property
    def waits(self) -> dict[int, RunWaited]:
        """What the server's sessions waited for, by the number of the run; of those that were sampled."""
        return self._results.waits

    @property
    def activity(self) -> dict[int, RunActive]:
        """What the server did besides answering, likewise; with the kinds that are blamed for spikes."""
        return self._results.activity

    @property
    def tier(self) -> Tier:
        """What the evidence is good for, provided that :meth:`verify` passes."""
        return self._results.tier

    @cached_property
    def _results(self) -> LoadResults:
        return load_results(self._record)

    @property
    def _about(self) -> str:
        return f"{self.spec.workload}, {self.spec.target}"


class LoadComparisonEvidence(AnyEvidence[LoadComparisonResults, LoadComparisonVerification]):
    """The evidence of ``weigh load`` with several contenders, with the earlier attempts of the same comparison."""

    _kind = LOAD_COMPARISON

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._attempts = tuple(comparison_files.history(self.path))

    @property
    def spec(self) -> LoadComparisonSpec:
        """What was decided beforehand: contenders, baseline, blocks, what is offered, margin and the other rules."""
        return self._attempts[-1].spec

    @property
    def attempts(self) -> tuple[LoadComparisonRecord, ...]:
        """The journals of this attempt and of the earlier ones, oldest first, each with a load record of every arm."""
        return self._attempts

    @property
    def verdicts(self) -> Rows[LoadVerdict]:
        """One of every figure and contender other than the baseline."""
        return Rows(self._results.verdicts)

    @property
    def runs(self) -> tuple[BlockRun, ...]:
        """The figures of every run of every arm, with its block."""
        return self._results.runs

    @property
    def tier(self) -> Tier:
        """What the evidence is good for, provided that :meth:`verify` passes."""
        return self._results.tier

    @cached_property
    def _results(self) -> LoadComparisonResults:
        return load_comparison_results(self._attempts)

    @property
    def _about(self) -> str:
        return f"{self.spec.load.workload}, {', '.join(one.name for one in self.spec.contenders)}"
