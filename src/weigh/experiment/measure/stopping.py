"""Stopping: which operations are still measured, how often, and when it is enough. Asked between blocks only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from weigh.evidence import timeline
from weigh.experiment.results.analysis import observed
from weigh.experiment.results.precision import precision
from weigh.model import units
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.rules import FULL_STARTS
from weigh.model.spec import CONTENTION
from weigh.verdict.timings import median_logs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.evidence.journal import Journal
    from weigh.evidence.timeline import Columns
    from weigh.experiment.interim_look import InterimLook, Width
    from weigh.experiment.record import Record
    from weigh.model.machine.timeline import Watch
    from weigh.model.progress import Progress
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

_FIRST_WORD = 3
"""Blocks after which it is reported who takes longer; nothing follows from it."""
_EVERY = 10
"""Blocks after which something is reported, though nothing happened."""


class Stopping:
    """Stops on precision or on the budget.

    Args:
        spec: with a precision.
        earlier: records of earlier attempts of the experiment; the verdict reads them too.
        journal: receives every look.
        progress: receives messages between blocks.
    """

    def __init__(self, spec: Spec, earlier: Sequence[Record], journal: Journal, progress: Progress) -> None:
        self._spec = spec
        self._earlier = [sample for record in earlier for sample in record.samples]
        self._watches: dict[int, list[Watch]] = {record.attempt: list(record.watches) for record in earlier}
        self._journal = journal
        self._progress = progress
        self._samples: list[Sample] = []
        self._watched: list[Watch] = []
        self._looks: list[InterimLook] = []

    def restore(self, samples: Iterable[Sample], looks: Iterable[InterimLook], watches: Iterable[Watch] = ()) -> None:
        """Go on with an attempt that was killed: what was decided stays decided."""
        self._samples += samples
        self._looks += looks
        self._watched += watches

    def add(self, samples: Iterable[Sample], columns: Columns | None = None) -> None:
        """A turn was measured, and this is what the sampler saw of it."""
        self._samples += samples
        self._watched += [timeline.unpack(columns)] if columns else []

    @property
    def stopped(self) -> bool:
        """Whether sampling has ended."""
        return bool(self._looks and self._looks[-1].stop)

    @property
    def retired(self) -> frozenset[str]:
        """Operations that are measured no more."""
        return precision.retired(self._looks)

    def rounds(self, planned: int, operations: Iterable[str]) -> dict[str, int]:
        """Turns of every arm in the next block, of each operation."""
        return precision.rounds_due(planned, self._looks, operations)

    def look(self, block: int, live: Sequence[str], plan: precision.Plan, at: float) -> None:
        """Look at what there is after a block, once.

        Args:
            block: that has ended, from 0.
            live: operations that were measured in it and are not wrong.
            plan: as it was before the first block.
            at: seconds since the measurement began.

        Raises:
            DiskFull: the journal cannot be written.
        """
        if block + 1 == _FIRST_WORD:
            so_far = standing([*self._earlier, *self._samples], self._spec)
            self._progress.say(f"so far, undecided: {so_far}")
        if block + 1 < precision.FIRST_LOOK or not live or (self._looks and self._looks[-1].block >= block):
            return
        found = precision.look(
            self._samples,
            self._earlier,
            spec=self._spec,
            plan=plan,
            live=live,
            before=self._looks,
            block=block,
            at=at,
            watches=self._watches | dict.fromkeys({one.attempt for one in self._samples}, self._watched),
        )
        news = set(found.contended) - set(self._looks[-1].contended if self._looks else ())
        self._journal.append("look", found)
        self._looks.append(found)
        if len(self._looks) == 1 or news or found.retired or found.stop or (block + 1) % _EVERY == 0:
            self._progress.say(self._sentence(found))

    def expected(self, most: int) -> int:
        """Blocks that will probably be needed in all."""
        if not self._looks:
            return min(FULL_STARTS, most)
        last = self._looks[-1]
        missing_starts = max(
            (one.needed - one.starts for one in last.widths if one.needed), default=1 if last.contended else 0
        )
        return min(last.block + 1 + missing_starts, most)

    @property
    def progress_line(self) -> str:
        """What the bar says: how wide the widest interval is, and how long it will go on."""
        text = f"measuring to ±{units.percent(math.expm1(precision.target(self._spec)))}"
        if not self._looks:
            return text
        last = self._looks[-1]
        widest = self._widest([one for one in last.widths if one.operation not in last.retired])
        if widest is None or last.stop:
            return text
        return f"{text}, {widest.operation} is at {_half(widest)}, {self._left(last)}"

    def _left(self, last: InterimLook) -> str:
        """How long it goes on at most: until the widest is narrow, or the budget is spent."""
        blocks = max((one.needed - one.starts for one in last.widths if one.needed), default=1)
        seconds = blocks * last.next_s
        if self._spec.budget is not None:
            seconds = min(seconds, max(self._spec.budget - last.at, 0.0))
        return f"about {units.seconds(seconds)} to go"

    def _sentence(self, found: InterimLook) -> str:
        live = {one.operation for one in found.widths}
        target = units.percent(math.expm1(precision.target(self._spec)))
        done = f"{len(self.retired)} of {len(self.retired | live)} operations are done"
        text = f"after {units.count(found.block + 1, 'start')}: {done}"
        widest = self._widest([one for one in found.widths if one.operation not in found.retired])
        if widest is not None:
            needed = f", about {widest.needed} starts are needed" if widest.needed else ""
            half = _half(widest) if widest.half is None else f"±{_half(widest)}"
            text += f"; the widest interval is {half}, of {widest.operation}; the aim is ±{target}{needed}"
        if found.contended and not found.stop:
            bound = units.percent(self._spec.contention or CONTENTION)
            names = ", ".join(found.contended)
            text += f"; narrow enough, but going on because others used the CPU unevenly, by more than {bound}: {names}"
        return text

    @staticmethod
    def _widest(widths: Iterable[Width]) -> Width | None:
        return max(widths, key=lambda one: math.inf if one.half is None else one.half, default=None)


def standing(samples: Iterable[Sample], spec: Spec) -> str:
    """Who takes longer in the medians until now: for people who wait, and read by nobody else."""
    names = [one.name for one in spec.contenders]
    table = observed(samples, HEADLINE, names)
    logs, base = median_logs(table), names.index(spec.baseline)
    sentences = []
    for number, name in enumerate(names):
        if number == base:
            continue
        cases = logs[:, number] - logs[:, base]
        if np.isnan(cases).all():
            sentences.append(f"{name} has no times yet")
            continue
        ratio = float(np.exp(np.nanmean(cases)))
        longer = int((cases > 0).sum()) if ratio >= 1 else int((cases < 0).sum())
        how, factor = ("longer", ratio) if ratio >= 1 else ("less", 1 / ratio)
        of = f"{longer} of {units.count(int(np.isfinite(cases).sum()), 'operation')}"
        sentences.append(f"{name} takes {how} than {spec.baseline} on {of}, {factor:.2f} times in the mean")
    return "; ".join(sentences)


def _half(one: Width) -> str:
    return "no width yet" if one.half is None else units.percent(math.expm1(one.half))
