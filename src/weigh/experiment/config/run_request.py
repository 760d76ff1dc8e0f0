"""The request: how an experiment is carried out. What it is, its spec says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weigh.experiment.config.user_data import UserFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What does not define an experiment, and is asked for all the same.

    Attributes:
        root: folder of all evidence.
        command: the command that reproduces it, for the report.
        measure: False ends after the gate.
        answers: file of pinned answers, the first witness.
        pin: keep the answers that agreed with a witness in FILE, for ``--answers``.
        trust: with ``pin``, keep all answers of this contender; you vouch for them.
        resume: go on with the latest attempt where it was killed or interrupted. It begins where there is none, and
            does nothing where it is complete.
        user_files: the user's own data and queries, for the workload ``sql``.
        shrink: whether a divergence in the gate is reduced to a small example, 60 seconds each.
        corrupt: ask again over a copy of the data with one flipped bit, and note who raises, and who answers otherwise.
        least: where the budget is too small for the least that can be measured, measure that, and do not refuse.
        same_engine: measure two versions that load one and the same engine all the same, as an A/A, and do not refuse.
        reuse_gate: take answers from a gate of the last 24 hours where files, engines, questions and weigh are the
            same, and ask some again; every timed answer is compared all the same.
        place: folder of generated data that was made by parts, which is read where it lies; empty for the cache.
        plan: print what would be asked, of whom, how often, how long and for how much, and ask nothing.
        anchor: where the head of the journal's chain is kept while it goes on: ``https://HOST:PORT`` of a witness,
            ``git:REPOSITORY``, or ``tsa:https://HOST`` of an authority of RFC 3161 (docs/guide/witness.md).
        locks: of contenders by name, every package with its exact version, in the place of what is resolved now.
        digests: row digest that each table must have, in a reproduction; others are refused before anything is asked.
    """

    root: Path
    command: str
    measure: bool = True
    answers: Path | None = None
    pin: Path | None = None
    trust: str | None = None
    resume: bool = False
    user_files: UserFiles | None = None
    shrink: bool = False
    corrupt: bool = False
    least: bool = False
    same_engine: bool = False
    reuse_gate: bool = False
    place: str = ""
    plan: bool = False
    anchor: tuple[str, ...] = ()
    locks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    digests: Mapping[str, str] | None = None
