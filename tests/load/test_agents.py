"""Agents of a load, by records made by hand: each is judged by itself, and an honest one is not accused."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from support.load_records import EACH, interval, record, run, spec, steady_times, summary
from weigh._native import merge_intervals
from weigh.load.agents.merging import intervals_of_a_part
from weigh.load.agents.model import AgentMachine, AgentPart, AgentRead, AgentRun, Agents, Beat, ClockRead, Pong, ToAgent
from weigh.load.agents.summary import added, merged_summary
from weigh.load.fleet import clocks
from weigh.load.fleet.verify import unmerged
from weigh.load.fleet.wire import Channel, Closed
from weigh.load.gate_events import GateRecord, ReadBack
from weigh.load.results import LoadResults, load_results
from weigh.load.runs import LoadInterval
from weigh.model.errors import ExitCode

if TYPE_CHECKING:
    from weigh.load.record import LoadRecord

LENGTH = 100


def agents(count: int = 3, *, late: dict[int, float] | None = None, times: Any = None, **changed: Any) -> LoadRecord:
    """A load by so many agents, of whom the second one is changed."""
    intervals: dict[int, list[LoadInterval]] = {}
    runs = []
    for number in range(1, count + 1):
        rows = times(number) if times else steady_times(LENGTH, each=33, seed=number)
        own = [interval(at, row, late=(late or {}).get(number, 5e-6)) for at, row in enumerate(rows)]
        intervals[number] = own
        parts = tuple(
            AgentPart(
                from_s=one.from_s, to_s=one.to_s, count=one.operations[0].count, failed=0, client_cpu_s=0.01, queued=0,
                response=one.operations[0].response, lag_late=one.operations[0].lag_late,
            )
            for one in own
        )  # fmt: skip
        clock = ClockRead(monotonic_s=10.0, wall_s=1e-5, bound_s=5e-5, at=1.0)
        made = AgentRun(
            run=1, agent=number, threads=1, connections=6, before=clock,
            after=msgspec.structs.replace(clock, at=1.0 + LENGTH * EACH), gap_s=1.1, gap_at=3.0,
            summary=summary(own), machine=AgentMachine(foreign=0.0, steal=0.0), parts=parts,
        )  # fmt: skip
        runs.append(msgspec.structs.replace(made, **changed) if number == 2 else made)
    together = [
        msgspec.json.decode(
            merge_intervals([msgspec.json.encode(own[at]).decode() for own in intervals.values()]), type=LoadInterval
        )
        for at in range(LENGTH)
    ]
    read = [
        AgentRead(
            number=number, worker=f"w{number}", host=f"h{number}", machine=f"m{number}", process=number, cpus=2,
            here=False,
        )
        for number in range(1, count + 1)
    ]  # fmt: skip
    whole = record([run(together)], spec(LENGTH, agents="dask://head:8786"))
    return msgspec.structs.replace(
        whole, agents=Agents(on="dask://head:8786", agents=tuple(read)), agent_runs=tuple(runs)
    )


def why(found: LoadResults) -> dict[int, set[str]]:
    return {one.agent: {str(each.code) for each in one.reasons} for one in found.agents[1]}


def codes_of(found: LoadResults) -> set[str]:
    return {str(one.code) for one in found.findings}


def test_honest_agents_are_not_accused() -> None:
    found = load_results(agents())
    assert why(found) == {1: set(), 2: set(), 3: set()}
    assert {one for one in codes_of(found) if one.startswith("E10")} == {"E10.schedule"}
    assert not found.refused and found.exit_code() is ExitCode.OK
    assert [one.count for one in found.agents[1]] == [3300, 3300, 3300]
    # As it was asked for once, and merged.
    assert found.runs[0].whole.count == 9900


def test_an_agent_without_cpu_left_is_named_and_one_that_has_some_is_not() -> None:
    parts = agents().agent_runs[1].parts
    for share, named in ((0.95, {"E10.saturated"}), (0.85, set())):
        busy = tuple(msgspec.structs.replace(one, client_cpu_s=share * (one.to_s - one.from_s)) for one in parts)
        assert why(load_results(agents(parts=busy))) == {1: set(), 2: named, 3: set()}
        waiting = tuple(
            msgspec.structs.replace(one, client_cpu_s=0.1 * EACH, client_wait_s=(share - 0.1) * EACH) for one in parts
        )
        found = load_results(agents(parts=waiting))
        assert why(found) == {1: set(), 2: named, 3: set()}
        assert not named or "waited for a processor for 85 %" in found.runs[0].reasons[0].text


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"lost": "its worker is gone", "summary": None, "parts": ()}, "E10.lost"),
        ({"machine": AgentMachine(foreign=0.0, steal=0.0, throttled_s=2.0)}, "E10.throttled"),
        ({"machine": AgentMachine(foreign=0.4, steal=0.0)}, "E4.contended"),
        ({"summary": summary([], clock_jumps=1)}, "E10.clock"),
        ({"after": ClockRead(monotonic_s=10.2, wall_s=0.2, bound_s=5e-5, at=11.0)}, "E10.clock"),
        ({"after": ClockRead(monotonic_s=10.0, wall_s=3.0, bound_s=5e-5, at=11.0)}, "E10.clock"),
    ],
)
def test_what_is_wrong_with_one_agent_refuses_the_run_and_names_it(changed: dict[str, Any], code: str) -> None:
    found = load_results(agents(**changed))
    assert why(found) == {1: set(), 2: {code}, 3: set()}
    assert found.refused and found.exit_code() is ExitCode.INCONCLUSIVE
    assert any("agent 2 (h2)" in reason.text for reason in found.runs[0].reasons)


def test_rows_that_cannot_be_judged_for_a_lost_agent_do_not_accuse_the_server() -> None:
    for back, accused in (
        (ReadBack(run=1, unknown="agent 2 was lost"), set()),
        (ReadBack(run=1, error="connection refused"), {"L6.unread"}),
    ):
        found = load_results(msgspec.structs.replace(agents(), gate=GateRecord(read_back=(back,))))
        assert {code for code in codes_of(found) if code.startswith("L6")} == accused
        assert "A8.unchecked" in codes_of(found)


def test_a_merge_that_cannot_be_made_again_is_admitted() -> None:
    assert unmerged(agents()) == ""
    lost = unmerged(agents(lost="its worker is gone", summary=None, parts=()))
    assert "run 1 could not be made again" in lost and "agent 2" in lost


def test_one_late_agent_hides_in_merged_lateness_and_not_here() -> None:
    found = load_results(agents(10, late={2: 0.004}))
    # Of all together one request in ten is late by less than the median.
    assert found.runs[0].whole.lag_late.at(0.9).value is None or found.runs[0].whole.lag_late.value_at(0.5) < 1e-4
    assert {number for number, codes in why(found).items() if codes == {"E10.late"}} == {2}


def test_an_agent_that_stood_still_is_named_where_others_did_not() -> None:
    def paused(number: int) -> list[Any]:
        rows = steady_times(LENGTH, each=33, seed=number)
        return [row + 2.0 if number == 2 and 50 <= at < 53 else row for at, row in enumerate(rows)]

    found = agents(times=paused)
    held = [
        msgspec.structs.replace(one, lag_late=interval(at, [2.0] * 33, late=2.0).operations[0].lag_late)
        if 50 <= at < 53
        else one
        for at, one in enumerate(found.agent_runs[1].parts)
    ]  # fmt: skip
    runs = [
        msgspec.structs.replace(one, parts=tuple(held), gap_s=3.4, gap_at=5.0) if one.agent == 2 else one
        for one in found.agent_runs
    ]
    assert why(load_results(msgspec.structs.replace(found, agent_runs=tuple(runs))))[2] == {"E10.still"}
    # All of them fell silent: whoever listens did.
    silent = [msgspec.structs.replace(one, gap_s=3.4) for one in runs]
    assert why(load_results(msgspec.structs.replace(found, agent_runs=tuple(silent))))[2] == set()


def test_a_slow_path_is_told_from_a_slow_server() -> None:
    def far(number: int) -> list[Any]:
        return [row + (0.02 if number == 2 else 0.0) for row in steady_times(LENGTH, each=33, seed=number)]

    def slow_server(number: int) -> list[Any]:
        return [row + 0.02 for row in steady_times(LENGTH, each=33, seed=number)]

    assert "E10.slow" in codes_of(load_results(agents(times=far)))
    assert "E10.slow" not in codes_of(load_results(agents(times=slow_server)))


def test_a_run_whose_agents_are_not_known_does_not_count() -> None:
    found = load_results(msgspec.structs.replace(agents(), agent_runs=()))
    assert found.refused and "E10.lost" in {str(one.code) for one in found.runs[0].reasons}


def test_histograms_add_up_and_the_accounts_too() -> None:
    one, other = (interval(0, np.full(3, value)) for value in (0.001, 0.002))
    texts = [msgspec.json.encode(part).decode() for part in (one, other)]
    merged = msgspec.json.decode(merge_intervals(texts), type=LoadInterval)
    assert merged.operations[0].count == 6 and merged.client_cpu_s == pytest.approx(0.02)
    both = merged_summary([summary([one]), summary([other])])
    assert (both.scheduled, both.seconds) == (6, EACH)
    assert added({"a": 1, "b": [1, 2]}, {"a": 2, "b": [3, 4], "c": 5}) == {"a": 3, "b": [4, 6], "c": 5}
    assert (intervals_of_a_part(12.0, 0.1), intervals_of_a_part(3600.0, 1.0)) == (1, 30)


def test_messages_are_read_by_the_one_who_has_the_key_and_in_their_order() -> None:
    left, right = socket.socketpair()
    asker, agent = Channel(left, b"k" * 32, agent=False), Channel(right, b"k" * 32, agent=True)
    threading.Thread(target=agent.send, args=(Beat(("x" * 3_000_000,)),)).start()
    assert len(asker.receive(Beat, 5.0).intervals[0]) == 3_000_000
    assert asker.receive(Beat, 0.0) is None
    other = Channel(right, b"o" * 32, agent=True)
    other.send(Beat(()))
    with pytest.raises(Closed, match="key"):
        asker.receive(Beat, 5.0)
    asker.close()
    agent.close()


def test_a_sign_of_life_that_comes_late_is_no_wrong_clock() -> None:
    left, right = socket.socketpair()
    asker, agent = Channel(left, b"k" * 32, agent=False), Channel(right, b"k" * 32, agent=True)

    def answer() -> None:
        with suppress(Closed):
            while (ping := agent.receive(ToAgent, 5.0)) is not None:
                agent.send(Beat(()))
                agent.send(Pong(number=ping.number, monotonic=time.monotonic_ns(), wall=time.time_ns()))

    thread = threading.Thread(target=answer, daemon=True)
    with right:
        thread.start()
        with left:
            found = clocks.read(asker, time.monotonic())
        thread.join(5.0)
    assert abs(found.monotonic_s) <= found.bound_s
