"""Turns as the journal keeps them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from weigh.evidence import timeline, turns
from weigh.model.answer import GateStatus
from weigh.model.clock_coverage import TurnCpu
from weigh.model.errors import EvidenceFault
from weigh.model.gate import Check, Gate
from weigh.model.sample import Outcome, Sample
from weigh.model.units import whole

KEY = ("new", "q", "only")
GATE = Gate(
    operations=(),
    checks=tuple(
        Check(operation="q", case="only", contender="new", status=GateStatus.AGREED, digest=digest)
        for digest in ("", "x1", "x2")
    ),
    truth=True,
)
DIGESTS = turns.established(GATE)


def sample(run: int, **changes: Any) -> Sample:
    said: dict[str, Any] = {
        "attempt": 3, "block": 1, "start": 2, "turn": 4, "round": 1, "run": run, "arm": "new", "contender": "new",
        "operation": "q", "case": "only", "outcome": Outcome.OK, "wall_s": whole(0.01462964 + run), "cpu_s": 0.02104,
        "round_trip_s": whole(0.01500493 + run), "round_trip_cpu_s": 0.021316716, "prepare_s": 0.000289101,
        "prepare_cpu_s": 0.000208351, "release_s": 0.00021483, "release_cpu_s": 0.000168311, "answer_s": 0.000579804,
        "answer_cpu_s": 0.000431474, "rows": 1, "digest": "x1", "peak_memory": 101072896, "bytes_read": 0,
        "bytes_written": 0, "major_faults": 0, "at": whole(57.752455412 + run),
    }  # fmt: skip
    return Sample(**{**said, **changes})


def cpu(**changes: Any) -> TurnCpu:
    said: dict[str, Any] = {
        "block": 1, "start": 2, "turn": 4, "arm": "new", "contender": "new", "operation": "q", "case": "only",
        "executions": 2, "used": 0.0432, "inside": 0.042633432, "reported_inside": 0.04208, "asides": 0.001071299,
        "before_s": 0.087217378,
    }  # fmt: skip
    return TurnCpu(**{**said, **changes})


def written(turn: turns.Turn) -> dict[str, Any]:
    """The body of the event, as plain JSON."""
    body: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(turns.pack(turn, 3, DIGESTS)))
    return body


def test_the_first_digest_that_the_gate_names_counts() -> None:
    assert DIGESTS == {KEY: "x1"}


def test_an_ordinary_turn_says_what_only_it_knows() -> None:
    turn = turns.Turn(samples=(sample(0), sample(1)), cpu=(cpu(),), moments=timeline.Columns(cost=5))
    body = written(turn)
    assert body == {
        "run": [0, 1], "block": 1, "start": 2, "turn": 4, "round": 1, "arm": "new", "operation": "q", "rows": 1,
        "peak_memory": 101072896, "wall": [14629640, 1014629640], "cpu": 21040000, "round_trip": [15004930, 1015004930],
        "round_trip_cpu": 21316716, "prepare": 289101, "prepare_cpu": 208351, "release": 214830, "release_cpu": 168311,
        "answer": 579804, "answer_cpu": 431474, "at": [57752455412, 58752455412],
        "families": [{"used": 43200000, "before_wall": 87217378}], "watch": {"cost": 5},
    }  # fmt: skip
    assert turns.unpack(body, 3, DIGESTS) == turn


OTHERS = {
    "salted": ((sample(0, salt=7, case="other", digest="x9", prepare_s=0.1), sample(1)), (cpu(asides=0.001071299),)),
    "duet": (
        (sample(0), sample(0, arm="old#2", contender="old", start=3, digest="y"), sample(1)),
        (cpu(), cpu(arm="old#2", contender="old", start=3, executions=1)),
    ),
    "cold": (
        (sample(1, temperature="cold"), sample(2, temperature="first", start=3)),
        (cpu(executions=1), cpu(start=3, executions=1, first=True, exact=False)),
    ),
    "changed answer": ((sample(0), sample(1, outcome=Outcome.WRONG, digest="x2", detail="one row")), (cpu(),)),
    "no digest taken": ((sample(0), sample(1, digest="")), (cpu(reported_inside=None, inside=0.5, asides=0.0),)),
    "failed": (
        (
            sample(0),
            Sample(
                attempt=3, block=1, start=2, turn=4, run=1, arm="new", contender="new", operation="q", case="only",
                outcome=Outcome.CRASH, detail="it died", at=1.5,
            ),
        ),
        (),
    ),
    "elsewhere": ((sample(0, cpu_s=None, bytes_read=None, reported_s=0.25, build=1),), (cpu(reported_inside=None),)),
    "reported": (
        (sample(0, queue_s=0.5, scanned_bytes=7, credits=0.125, cached=False), sample(1, billed_bytes=9, cached=True)),
        (cpu(),),
    ),
    "named as an arm": ((sample(0, arm="a#2", contender="a#2"),), ()),
    "another writer": ((sample(0, attempt=1, contender="renamed"),), (cpu(contender="new", start=9),)),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_every_turn_comes_back_as_it_was(name: str) -> None:
    samples, families = OTHERS[name]
    turn = turns.Turn(samples=samples, cpu=families)
    assert turns.unpack(written(turn), 3, DIGESTS) == turn


def test_an_answer_other_than_the_gate_s_is_written_out() -> None:
    """A3: what is left out is never read as another digest than the gate's."""
    body = written(turns.Turn(samples=(sample(0), sample(1, digest="x2"))))
    assert body["digest"] == [None, "x2"]
    assert [one.digest for one in turns.unpack(body, 3, DIGESTS).samples] == ["x1", "x2"]
    with pytest.raises(msgspec.ValidationError, match="the gate established no answer of new q only"):
        turns.unpack(body, 3, {})


@pytest.mark.parametrize(
    "change",
    [
        {"wall": [1]}, {"arm": ["new"]}, {"digest": ["x1", "x1", "x1"]}, {"at": None}, {"wall": "long"},
        {"outcome": "fine"}, {"run": [0] * (turns.MOST + 1)}, {"families": [{"start": 8}]}, {"wall": 10**400},
        {"run": 0}, {"watch": 1},
    ],
)  # fmt: skip
def test_what_no_turn_says_is_refused(change: dict[str, Any]) -> None:
    body = written(turns.Turn(samples=(sample(0), sample(1)), cpu=(cpu(),)))
    with pytest.raises((EvidenceFault, msgspec.ValidationError)):
        turns.unpack({**body, **change}, 3, DIGESTS)


def test_a_time_that_no_clock_tells_is_none() -> None:
    body = written(turns.Turn(samples=(sample(0, reported_s=float("inf")), sample(1, reported_s=float("nan")))))
    assert "said" not in body


@pytest.mark.parametrize(("column", "attempts"), [(1, [1, 1]), ([3, 1], [3, 1])])
def test_an_execution_of_another_attempt_stays_one(column: int | list[int], attempts: list[int]) -> None:
    """Also where it is the attempt that a sample has when nothing is reported."""
    body = written(turns.Turn(samples=(sample(0), sample(1)))) | {"attempt": column}
    assert [one.attempt for one in turns.unpack(body, 3, DIGESTS).samples] == attempts


def test_an_answer_that_was_not_digested_stays_so() -> None:
    body = written(turns.Turn(samples=(sample(0), sample(1)))) | {"digest": ""}
    assert [one.digest for one in turns.unpack(body, 3, DIGESTS).samples] == ["", ""]


def test_a_turn_of_no_execution_has_none() -> None:
    body = written(turns.Turn(samples=(sample(0), sample(1)))) | {
        name: [] for name in ("run", "wall", "round_trip", "at", "arm", "operation")
    }
    assert turns.unpack(body, 3, DIGESTS).samples == ()
