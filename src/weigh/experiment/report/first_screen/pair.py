"""A pair: the verdicts of one contender against the baseline at one temperature, by what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.verdict import VerdictName
from weigh.verdict.refusals.disqualified import DISQUALIFYING, WITHHOLDING

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Verdict

DIFFERENT = (VerdictName.SLOWER, VerdictName.FASTER)
ALIKE = (VerdictName.SAME, VerdictName.SMALL)
OPEN = (VerdictName.UNRESOLVED, VerdictName.REFUSED)
UNSUPPORTED, FAILED = "not supported", "failed"


def loss(verdict: Verdict) -> str:
    """What became of an operation that somebody did not answer: only who was asked what it can do failed."""
    refused = any(reason.code == codes.X_UNSUPPORTED.code for reason in verdict.reasons)
    return UNSUPPORTED if refused else FAILED


@dataclass(frozen=True, slots=True)
class Pair:
    """One contender against the baseline.

    Attributes:
        contender, baseline: whose times the ratios are of.
        temperature: of the executions.
        verdicts: on wall time, in the order of the gate.
    """

    contender: str
    baseline: str
    temperature: str
    verdicts: tuple[Verdict, ...]

    def of(self, *names: VerdictName) -> tuple[Verdict, ...]:
        """Those of some names."""
        return tuple(one for one in self.verdicts if one.verdict in names)

    def lost(self, how: str) -> tuple[Verdict, ...]:
        """Those that were not answered, and why: one of ``UNSUPPORTED`` and ``FAILED``."""
        return tuple(one for one in self.of(VerdictName.ERROR) if loss(one) == how)

    @property
    def open(self) -> tuple[Verdict, ...]:
        """Those that another measurement may decide."""
        return tuple(one for one in self.verdicts if is_open(one))

    @property
    def not_compared(self) -> tuple[Verdict, ...]:
        """Those that nothing decides, because its figures are not those of the work."""
        return tuple(one for one in self.verdicts if not_compared(one))


def is_open(one: Verdict) -> bool:
    """Whether another measurement may decide it."""
    return one.verdict in OPEN and not not_compared(one)


def not_compared(one: Verdict) -> bool:
    """Whether a finding forbids to compare it: more starts decide nothing there, so it is not open."""
    forbids = DISQUALIFYING | WITHHOLDING
    return one.verdict is VerdictName.REFUSED and any(reason.code in forbids for reason in one.reasons[:1])


def pairs(results: ExperimentResults) -> tuple[Pair, ...]:
    """Every contender other than the baseline at every temperature, where there are verdicts."""
    spec = results.record.spec
    found = (
        Pair(
            one.name,
            spec.baseline,
            temperature,
            tuple(verdict for verdict in results.headline.at(temperature).verdicts if verdict.contender == one.name),
        )
        for temperature in spec.temperatures
        for one in spec.contenders
        if one.name != spec.baseline
    )
    return tuple(one for one in found if one.verdicts)
