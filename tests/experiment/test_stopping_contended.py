"""Stopping on precision where others use the machine: what would have no verdict goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from support.sessions import packed
from support.stopping_attempts import HONEST, LOUD, PLAN, QUIET, SPEC, Told, attempt, problems, starts
from weigh.evidence import journal
from weigh.evidence.journal import Journal
from weigh.experiment.interim_look import InterimLook
from weigh.experiment.measure.stopping import Stopping
from weigh.experiment.results.precision import precision_findings

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.record import Record
    from weigh.model.sample import Sample


def light(sample: Sample) -> float:
    """Others disturb one contender on the quiet operation in the first ten blocks, by a little more than is allowed."""
    return 0.059 if (sample.operation, sample.contender) == (QUIET, "b") and sample.block < 10 else 0.0


@pytest.mark.promise(
    "An operation with contention that is too uneven for a verdict goes on after it is narrow, until "
    "its two sides are within the bound or a limit ends it."
)
def test_what_others_disturbed_goes_on_until_they_are_outweighed() -> None:
    record = attempt(others=light)
    said = {look.block: (look.narrow, look.contended, look.retired) for look in record.looks}
    assert said[8] == ((QUIET,), (), ())
    assert said[9] == said[10] == ((QUIET,), (QUIET,), ())
    assert said[11] == ((QUIET,), (), (QUIET,)), "ten disturbed turns of twelve are less than 5 % in all"
    assert problems(record) == []
    told = {one.code: one.text for one in precision_findings.precision(record.samples, SPEC, record.looks)}
    assert (
        "others used the CPU unevenly, by more than 5.0 %, on quiet, which went on for it by 2 blocks"
        in told["T1.precision"]
    )
    assert "others used" not in next(precision_findings.precision(HONEST.samples, SPEC, HONEST.looks)).text


@pytest.mark.long
@pytest.mark.promise(
    "An operation with contention that is too uneven for a verdict goes on after it is narrow, until "
    "its two sides are within the bound or a limit ends it."
)
@pytest.mark.parametrize("who", ["a", "b"])
def test_what_others_never_leave_alone_is_measured_to_the_limit(who: str) -> None:
    spec = msgspec.structs.replace(SPEC, precision=0.5)
    busy = attempt(spec, others=lambda one: 0.5 if (one.operation, one.contender) == (QUIET, who) else 0.0)
    assert (len(busy.blocks), busy.looks[-1].stop) == (16, "starts")
    assert busy.looks[-1].contended == (QUIET,)
    assert starts(busy, LOUD) == 10, "nobody disturbed that"
    allowed = msgspec.structs.replace(spec, contention=0.6)
    calm = attempt(allowed, others=lambda one: 0.5)
    assert (len(calm.blocks), calm.looks[-1].stop) == (10, "reached")
    assert problems(busy) == problems(calm) == []


def test_the_protocol_asks_what_the_sampler_saw(tmp_path: Path) -> None:
    record, told = attempt(others=light), Told()
    resumed = Stopping(SPEC, (), Journal(tmp_path), told)
    whole = [one for one in record.looks if one.block <= 8]
    seen = dict(zip(_turns(record), record.watches, strict=True))
    resumed.restore(
        [one for one in record.samples if one.block <= 8],
        whole,
        [watch for (block, _), watch in seen.items() if block <= 8],
    )
    for block in (9, 10, 11):
        for turn, watch in seen.items():
            if turn[0] == block:
                resumed.add([one for one in record.samples if (one.block, one.turn) == turn], packed(watch))
        resumed.look(block, (LOUD, QUIET), PLAN, record.looks[block - 4].at)
    looks = [msgspec.convert(event.body, InterimLook) for event in journal.read(tmp_path)]
    assert looks == list(record.looks[5:8])
    assert (
        "narrow enough, but going on because others used the CPU unevenly, by more than 5.0 %: quiet" in told.lines[0]
    )
    assert len(told.lines) == 2, "said once, and when it is over"


def _turns(record: Record) -> list[tuple[int, int]]:
    return list(dict.fromkeys((one.block, one.turn) for one in record.samples))
