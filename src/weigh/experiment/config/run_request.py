"""The request: how an experiment is carried out. What it is, its spec says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.config.user_data import OwnFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What does not define an experiment, and is asked for all the same.

    Attributes:
        root: folder of all evidence.
        command: the command that reproduces it, for the report.
        measure: False ends after the gate.
        answers: file of pinned answers, the first witness.
        pin: where to write the answers that agreed.
        trust: with ``pin``, name of a contender whose answers are all pinned, whoever agreed.
        resume: continue the latest attempt where it was killed or interrupted; begin where there is none, and do
            nothing where it is complete.
        own: the user's own data and queries, for the workload ``sql``.
        shrink: make small reproducers of what diverged in the gate.
        corrupt: ask again, after the gate, over a copy of the data with one flipped bit.
        least: where the budget is too small for the least that can be measured, measure that, and do not refuse.
        same_engine: measure contenders of different version that are one engine all the same: an A/A.
    """

    root: Path
    command: str
    measure: bool = True
    answers: Path | None = None
    pin: Path | None = None
    trust: str | None = None
    resume: bool = False
    own: OwnFiles | None = None
    shrink: bool = False
    corrupt: bool = False
    least: bool = False
    same_engine: bool = False
