"""Findings and readings of the sampler that must be in a journal, because of what else is in it (R4).

Most findings are the word of a probe that left nothing else behind: whoever removes one of those and makes the chain
and the seal anew is found by nobody but a signature. These here follow from what he would have to remove as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.experiment.results.data import catalogs
from weigh.model import codes
from weigh.model.data.catalog import FORMATS
from weigh.model.sample import Outcome, Samples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.record import Record

_SLACK = 0.5
"""Seconds without a reading at the edges of what was watched: the sampler's own pace, and a busy machine."""


def departures(record: Record) -> Iterator[str]:
    """What is missing, the first of each kind."""
    codes_named = {one.code for one in record.findings}
    if any(one.digests != record.manifests[0].digests for one in record.manifests):
        yield "its layouts hold different rows, and nobody measures that"
    yield from _catalogs(record)
    environment = record.environment
    if environment is not None and environment.knobs is not msgspec.UNSET:
        owed = (finding for knob in environment.knobs for finding in knob.findings)
        if (missing := next((one for one in owed if one not in record.findings), None)) is not None:
            yield f"a setting of the machine was read that makes {missing.code}, and the finding is gone"
    if any(one.blocks for one in record.resumed) and codes.X_RESUMED.code not in codes_named:
        yield f"the attempt was resumed, and {codes.X_RESUMED.code} is gone"
    if record.plan is not None and record.plan.serial and codes.X_SERIAL.code not in codes_named:
        yield f"the arms lived one after another, and {codes.X_SERIAL.code} is gone"
    if codes.X_SAMPLER.code not in codes_named:
        yield from _unwatched(record)


def _catalogs(record: Record) -> Iterator[str]:
    """Catalogs that were read back, and what must have been reported of them."""
    changed = any(one.code.startswith("D8.") for one in record.findings)
    for one in record.spec.contenders:
        reads = [read for read in record.catalogs if read.contender == one.name]
        manifest = record.manifest_of(one.name)
        if one.catalog not in FORMATS or manifest is None:
            continue
        whole = record.end is not None and record.end.how == "complete"
        missing = {"before", *(["after"] if whole else [])} - {read.when for read in reads}
        if missing and record.environment is not None:
            yield f"{one.name} reads through a catalog, and what that lists ({', '.join(sorted(missing))}) is gone"
        owed = catalogs.findings(reads, manifest, changed=changed)
        if (gone := next((finding for finding in owed if finding not in record.findings), None)) is not None:
            yield f"the catalog of {one.name} was read back, which makes {gone.code}, and the finding is gone"


def _unwatched(record: Record) -> Iterator[str]:
    """Turns during which the sampler saw nothing although it saw something before and after them."""
    moments = [moment for watch in record.watches for moment in watch.moments]
    if not moments:
        return
    samples = Samples.of(record.samples)
    at = samples.floats("at") + np.nan_to_num(samples.floats("wall_s"), nan=0.0) / 2
    begins, ends = (np.array([getattr(moment, name) for moment in moments]) for name in ("at", "end"))
    place = np.searchsorted(begins, at, side="right") - 1
    last = np.where(place >= 0, ends[place], begins[0] - _SLACK)
    code, outcomes = samples.coded("outcome")
    well = np.array([one is Outcome.OK for one in outcomes], dtype=np.bool_)[code]
    alone = well & ((at > last + _SLACK) | ((place < 0) & (at < last)))
    unseen = samples.groups("block", "turn", among=alone)
    # What was observed in a turn is written before the turn: no kill comes between them.
    if unseen:
        block, turn = min(unseen)
        yield f"nothing was observed during turn {turn} of block {block}, which the sampler watched: readings are gone"
