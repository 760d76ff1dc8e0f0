"""The spec of an experiment: everything that was decided before it ran. Its hash is the experiment's id."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from weigh.model.contender import Contender
from weigh.model.units import Rows, Seconds

Temperature = Literal["hot", "cold", "both"]
Writer = Literal["duckdb", "pyarrow"]
Codec = Literal["zstd", "snappy", "lz4", "gzip", "none"]

MIN_STARTS = 5
"""Below this number of fresh starts there is no verdict (statistics.md §2)."""
FULL_STARTS = 10
"""From this number of fresh starts on a claim can be conclusive."""


class LayoutSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One physical form of a dataset, as asked for. One layout for all contenders: the same bytes."""

    writer: Writer = "duckdb"
    codec: Codec = "zstd"
    files: int = 1
    row_group_rows: Rows = 122_880


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """The error rates and bounds of the verdicts, in one place; every report prints them.

    Attributes:
        margin: the smallest change that matters, as a fraction, declared beforehand.
        confidence: level of the interval that answers "is there a difference?".
        fdr: false discovery rate over the session for "does it matter?" (Benjamini-Yekutieli).
        equivalence: error rate of SAME (two one-sided tests).
        unstable: smallest detectable effect above which an operation is refused as unstable.
    """

    margin: float = 0.03
    confidence: float = 0.99
    fdr: float = 0.05
    equivalence: float = 0.05
    unstable: float = 0.10


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """An experiment, complete and in normal form.

    Attributes:
        name: for people.
        workload: name of the workload (entry point ``weigh.workloads`` or ours).
        scale: rows of the dataset, or the scale factor times the generator's base.
        seed: of the data, of the order of turns, of the choice of literals.
        contenders: at least one; names are unique.
        baseline: name of the contender that the others are compared with.
        baseline_declared: whether the user named it; only then a SLOWER sets the exit code.
        starts: fresh starts of every arm (blocks).
        runs: timed executions in a turn.
        temperature: ``hot`` is all that this version measures.
        budget: seconds that the measuring phase may take; None is no limit.
        timeout: seconds after which one execution is ended and recorded as timed out.
        operations: names of the operations to run; empty means all.
        on_divergence: ``operation`` goes on with the rest, ``stop`` ends the run.
        truth: whether the dataset's ground truth is a witness.
        answers: BLAKE3 of the file of pinned answers, the first witness; empty without one.
        layout: one physical form, for all contenders.
        rules: error rates and bounds of the verdicts.
    """

    workload: str
    contenders: tuple[Contender, ...]
    baseline: str
    name: str = ""
    scale: Rows = 1_000_000
    seed: int = 42
    baseline_declared: bool = False
    starts: int = FULL_STARTS
    runs: int = 3
    temperature: Temperature = "hot"
    budget: Seconds | None = None
    timeout: Seconds = 120.0
    operations: tuple[str, ...] = ()
    on_divergence: Literal["operation", "stop"] = "operation"
    truth: bool = True
    answers: str = ""
    layout: LayoutSpec = LayoutSpec()
    rules: Rules = Rules()

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the experiment (not its name)."""
        plain = msgspec.to_builtins(msgspec.structs.replace(self, name=""))
        text = msgspec.json.encode(plain, order="deterministic")
        return hashlib.sha256(text).hexdigest()[:12]

    def contender(self, name: str) -> Contender:
        """The contender of that name; the name is known to exist."""
        return next(contender for contender in self.contenders if contender.name == name)
