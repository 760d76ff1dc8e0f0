"""Results whose verdicts a test makes up, and those of each form that a first screen has."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec

from support import experiment_records
from weigh.evidence.sealing import End
from weigh.experiment.results.results import experiment_results
from weigh.model import codes
from weigh.model.sample import Outcome
from weigh.model.verdict import Verdict, VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults

OLD, NEW = "old", "new"
TEN = tuple(f"q{number}" for number in range(1, 11))
EVIDENCE = "runs/20261122-abcdefabcdef-1"
replace = msgspec.structs.replace


def verdict(operation: str, name: str, ratio: float | None = 1.0, contender: str = NEW, **fields: Any) -> Verdict:
    """A verdict with an interval of 2 % to each side."""
    ends = {"low": ratio / 1.02, "high": ratio * 1.02} if ratio else {}
    made: dict[str, Any] = {"confidence": 0.99, "margin": 0.05, "starts": 10, "runs": 3, "ratio": ratio, **ends}
    return Verdict(operation=operation, contender=contender, baseline=OLD, verdict=VerdictName(name), **(made | fields))


def results(verdicts: Sequence[Verdict], **fields: Any) -> ExperimentResults:
    """Results with these verdicts on wall time; the times are those of a made record."""
    operations = tuple(dict.fromkeys(one.operation for one in verdicts))
    names = (OLD, *dict.fromkeys(one.contender for one in verdicts))
    made = experiment_results([experiment_records.record(operations=operations, contenders=names)])
    wall = replace(made.headline, verdicts=tuple(verdicts))
    return replace(made, **({"analyses": {**made.analyses, "wall_s": wall}, "measured_s": 291.0} | fields))


MIXED = [
    verdict("q1", "faster", 0.775),
    verdict("q2", "slower", 1.135),
    verdict("q3", "faster", 0.7),
    *(verdict(f"q{at}", "same") for at in range(4, 9)),
    verdict("q9", "unresolved", 1.03, starts_needed=40),
    verdict("q10", "refused", 1.1, reasons=(codes.T7_UNSTABLE.reason("it varies"),)),
]
MANY = [verdict(name, "slower", 1.5 + 0.2 * at) for at, name in enumerate(TEN)]
RECORDS: dict[str, Callable[[], Record]] = {
    "six contenders": lambda: experiment_records.record(operations=TEN, contenders=experiment_records.names(6), runs=1),
    "three contenders": lambda: experiment_records.record(
        operations=TEN, contenders=experiment_records.names(3), runs=1
    ),
    "one contender": lambda: experiment_records.record(operations=TEN, contenders=(OLD,), runs=1),
    "gate": lambda: experiment_records.record(operations=TEN, samples=(), blocks=()),
    "killed": lambda: experiment_records.record(operations=TEN, contenders=(OLD, NEW), end=None),
    "interrupted before the gate": lambda: experiment_records.record(
        samples=(), blocks=(), gate=None, end=End(how="stopped", reason="interrupted")
    ),
    "nothing decided": lambda: experiment_records.record(operations=TEN, contenders=(OLD, NEW), noise=0.4),
    "too few starts": lambda: experiment_records.record(operations=TEN, contenders=(OLD, NEW), starts=2),
    "crashed": lambda: experiment_records.with_outcome(
        experiment_records.record(contenders=(OLD, NEW)), Outcome.CRASH, "q2", NEW
    ),
    "wrong later": lambda: experiment_records.with_outcome(
        experiment_records.record(contenders=(OLD, NEW)), Outcome.WRONG, "q2", NEW
    ),
}
FORMS = ("mixed", "many", *RECORDS)


@functools.cache
def form(name: str) -> ExperimentResults:
    """The results that the screen of this name is of; none is computed where no test is run."""
    if name in RECORDS:
        return experiment_results([RECORDS[name]()])
    return results({"mixed": MIXED, "many": MANY}[name])
