"""E10: one bad agent among several: late, held back, stopped, lost, with a wrong clock; merged with the others."""

from __future__ import annotations

import base64
import json
import signal
import time
import zlib
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.command import RAN, Run
from weigh.load import record as load_record
from weigh.load.fleet import verify as fleet
from weigh_liars.resp_proxy import Proxy

from ..agents import AGENTS, cluster
from ..loading import HONEST_CODES
from ..throttle import held_back

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Weigh
    from weigh.load.agents.model import AgentPart, AgentRun
    from weigh.load.record import LoadRecord

LOAD = ("load", *AGENTS, "--quiet", "--json")
SAID = {*HONEST_CODES, "E10.schedule"}
"""Of every load by agents: how even a schedule that is not Poisson's is."""
BUSY = {"E10.late", "E10.refused"}
"""The tests alongside it may keep an agent from being in time."""


def why(run: Run) -> dict[int, set[str]]:
    """Codes of the reasons of each agent."""
    return {one["agent"]: {each["code"] for each in one["reasons"]} for one in run.json["runs"][0]["agents"]}


def accused(run: Run) -> set[str]:
    return {code for code in run.codes - SAID if not code.startswith("E5.")}


def while_it_runs(weigh: Weigh, *arguments: str, do: Callable[[], object]) -> Run:
    """A load during which something happens."""
    process = weigh.start(*arguments)
    try:
        until = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < until:
            if any('"event":"interval"' in path.read_text() for path in weigh.folder.glob("runs/*/journal.jsonl")):
                do()
                break
            time.sleep(0.05)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert "Traceback" not in err, err
    return Run(process.returncode, out, err, weigh.folder)


def repacked(record: LoadRecord, pack: Callable[[bytes], bytes]) -> LoadRecord:
    """What it says of each agent, with the histograms packed by *pack*."""

    def text(histogram: str) -> str:
        content = base64.b64decode(histogram)
        plain = pack(zlib.decompress(content[8:]))
        return base64.b64encode(content[:4] + len(plain).to_bytes(4, "big") + plain).decode()

    def parts(run: AgentRun) -> tuple[AgentPart, ...]:
        return tuple(msgspec.structs.replace(one, response=text(one.response)) for one in run.parts)

    runs = tuple(msgspec.structs.replace(run, parts=parts(run)) for run in record.agent_runs)
    return msgspec.structs.replace(record, agent_runs=runs)


@pytest.mark.promise("each agent is judged by itself")
def test_honest_agents_are_not_accused_and_their_merge_is_made_again(weigh: Weigh) -> None:
    run = weigh(*LOAD, "--agents", "local:3", "--duration", "2s")
    assert run.code in RAN, run.err
    assert not accused(run) - BUSY, run.json["findings"]
    agents = run.json["runs"][0]["agents"]
    assert [one["agent"] for one in agents] == [1, 2, 3]
    # One schedule of 150 a second for 2 s, dealt in turn; every row was read when it was over.
    assert sum(one["count"] for one in agents) == run.json["runs"][0]["requests"]["answered"] == 300
    assert [one["count"] for one in agents] == [100, 100, 100]
    [back] = run.json["answers"]["read_back"]
    assert (back["read"], back["wrong"], back["missing"]) == (2000, 0, 0)
    assert run.json["runs"][0]["operations"][0]["wrong"] == 0
    verified = weigh("verify", str(run.evidence))
    assert verified.code == 0 and "could not be made again" not in verified.out, verified.out
    # Another version may pack the same values of an agent otherwise, and other values are found.
    record = load_record.read(run.evidence)
    other = repacked(record, zlib.compress)
    assert other != record
    assert not list(fleet.problems(run.evidence, other))
    assert list(fleet.problems(run.evidence, repacked(record, lambda plain: zlib.compress(plain[:-1] + b"\x7e"))))
    # A merged figure that was edited is found, and so is an agent's.
    journal = run.evidence / "agents" / "2" / "journal.jsonl"
    journal.write_text(journal.read_text().replace('"in_flight":0', '"in_flight":9', 1))
    assert weigh("verify", str(run.evidence)).code == 1
    # One that cannot be read is a problem like others, and no mistake of who asks.
    journal = run.evidence / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    damaged = [line.replace("HISTFAAAA", "XISTFAAAA", 1) if '"agent":2' in line else line for line in lines]
    assert damaged != lines
    journal.write_text("".join(damaged))
    verified = weigh("verify", str(run.evidence))
    assert verified.code == 1 and "a histogram is damaged" in verified.out, verified.out + verified.err


@pytest.mark.long
def test_a_cluster_of_honest_agents_is_not_accused(weigh: Weigh, tmp_path: Path) -> None:
    with cluster(tmp_path, "none", "none", "none") as dask:
        run = weigh(*LOAD, "--agents", dask.place, "--duration", "6s", "--arrivals", "poisson")
    assert run.code in RAN, run.err
    # Poisson arrivals stay what they are wherever the clocks are.
    assert not accused(run) - BUSY and "E10.schedule" not in run.codes


@pytest.mark.long
@pytest.mark.parametrize(("lie", "code"), [("late", "E10.late"), ("set", "E10.clock"), ("fast", "E10.clock")])
def test_an_agent_whose_times_are_its_own_is_named_and_the_run_refused(
    weigh: Weigh, tmp_path: Path, lie: str, code: str
) -> None:
    with cluster(tmp_path, "none", lie, "none") as dask:
        run = weigh(*LOAD, "--agents", dask.place, "--duration", "5s")
    assert run.code == 3, run.err
    liar = _numbered(run, lie)
    assert code in why(run)[liar], run.json["runs"][0]["agents"]
    # The tests alongside it may hold the honest ones back too, and never so long.
    assert all(code not in codes - BUSY for number, codes in why(run).items() if number != liar)
    agents = {one["agent"]: one for one in run.json["runs"][0]["agents"]}
    assert lie != "late" or agents[liar]["late_p90"] == max(one["late_p90"] for one in agents.values())
    _refused(run)


@pytest.mark.long
def test_a_wrong_wall_clock_is_named_and_spoils_no_time(weigh: Weigh, tmp_path: Path) -> None:
    with cluster(tmp_path, "none", "wall", "none") as dask:
        run = weigh(*LOAD, "--agents", dask.place, "--duration", "4s")
    assert run.code in RAN, run.err
    [found] = [one for one in run.json["findings"] if one["code"] == "E10.wall"]
    assert f"agent {_numbered(run, 'wall')} " in found["text"] and "5.00 s ahead" in found["text"]
    assert not {code for codes in why(run).values() for code in codes} - BUSY


@pytest.mark.long
def test_an_agent_that_was_stopped_for_a_while_is_named(weigh: Weigh, tmp_path: Path) -> None:
    with cluster(tmp_path, "none", "none", "none") as dask:

        def stop() -> None:
            dask.workers[1].send_signal(signal.SIGSTOP)
            time.sleep(3.5)
            dask.workers[1].send_signal(signal.SIGCONT)

        run = while_it_runs(weigh, *LOAD, "--agents", dask.place, "--duration", "9s", do=stop)
    assert run.code == 3, run.err
    named = [number for number, codes in why(run).items() if "E10.still" in codes]
    assert named == [_numbered(run, "1-none")]
    _refused(run)


@pytest.mark.long
def test_an_agent_that_was_killed_ends_the_run_and_is_named(weigh: Weigh, tmp_path: Path) -> None:
    with cluster(tmp_path, "none", "none", "none") as dask:
        run = while_it_runs(weigh, *LOAD, "--agents", dask.place, "--duration", "20s", do=dask.workers[2].kill)
        # It is not done again by another one: what it offered would be offered twice.
        assert dask.workers[0].poll() is None and dask.workers[1].poll() is None
    assert run.code == 3, run.err
    named = [number for number, codes in why(run).items() if "E10.lost" in codes]
    assert named == [_numbered(run, "2-none")]
    _refused(run)
    assert run.json["runs"][0]["requests"]["scheduled"] < 150 * 20
    # What it wrote went with it, so the rows prove nothing; the server is not accused of that.
    assert not {code for code in run.codes if code.startswith("L6")}
    [back] = run.json["answers"]["read_back"]
    assert back["read"] is None and "was lost" in back["detail"]
    verified = weigh("verify", str(run.evidence))
    assert verified.code == 0 and "could not be made again" in verified.out


@pytest.mark.long
def test_an_agent_whose_cpu_is_taken_away_is_named_and_in_the_same_group_without_a_limit_it_is_not(
    weigh: Weigh, fresh: Callable[[], Weigh], tmp_path: Path
) -> None:
    flags = [*LOAD, "--connections", "12", "--duration", "8s", "--rate", "600"]
    with cluster(tmp_path, "none", "none", "none") as dask, held_back(dask.workers[0].pid) as limit:
        twin = fresh()(*flags, "--agents", dask.place)
        run = while_it_runs(weigh, *flags, "--agents", dask.place, do=limit)
    starved = {"E10.throttled", "E10.saturated"}
    named = {number for number, codes in why(run).items() if codes & {*starved, "E10.lost", "E10.still"}}
    liar = _numbered(run, "0-none")
    assert named == {liar}, run.json["runs"][0]["agents"]
    if "E10.lost" not in why(run)[liar]:
        assert starved <= why(run)[liar]
        [agent] = [one for one in run.json["runs"][0]["agents"] if one["agent"] == liar]
        # It computed hardly ever: it wanted to.
        assert agent["cpu"] < 0.5 < agent["waited"]
    _refused(run)
    assert twin.code in RAN, twin.err
    assert not starved & {code for codes in why(twin).values() for code in codes}, twin.json["runs"][0]["agents"]


@pytest.mark.long
def test_a_write_that_is_lost_behind_one_agent_is_found(weigh: Weigh, tmp_path: Path, valkey: str) -> None:
    with Proxy(valkey, "none") as honest, Proxy(valkey, "forgets") as lying:
        flags = [*LOAD, "--target", honest.url, "--duration", "4s"]
        with cluster(tmp_path, "none", f"proxied:{lying.port}", "none") as dask:
            run = weigh(*flags, "--agents", dask.place)
        with cluster(tmp_path, "none", f"proxied:{honest.port}", "none") as dask:
            twin = weigh(*flags, "--agents", dask.place, "--seed", "43")
    assert run.code == 1 and "L6.wrong" in run.codes
    # Read over a connection that nobody lies on, with what all agents' acknowledged writes must have left.
    [back] = run.json["answers"]["read_back"]
    assert back["wrong"] > 0
    assert twin.code in RAN, twin.err
    assert not {code for code in twin.codes if code.startswith("L6")}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ycsb-d"], "inserts"),
        (["ycsb-a", "--connections", "2"], "2 connections for 3 agents"),
        (["ycsb-a", "--max-in-flight", "1"], "raise --max-in-flight"),
        (["ycsb-a", "--find-rate", "p99<=20ms"], "--agents and --find-rate do not go together"),
        (["ycsb-a", "--crash", "1"], "--agents and --crash do not go together"),
        (["ycsb-a", "--target", "sqlite:embedded"], "--agents share a server"),
    ],
)
@pytest.mark.long
def test_what_agents_cannot_share_is_refused_by_name(weigh: Weigh, arguments: list[str], said: str) -> None:
    target = [] if "--target" in arguments else ["--target", "valkey:embedded"]
    run = weigh("load", *arguments, *target, "--rate", "100", "--duration", "1s", "--agents", "local:3")
    assert run.code == 2 and said in run.err, run.err


def test_more_agents_than_the_most_frequent_keys_can_be_dealt_to_are_refused_before_they_are_started(
    weigh: Weigh,
) -> None:
    flags = ["--target", "valkey:embedded", "--rate", "480", "--duration", "5s", "--agents", "local:24"]
    few = weigh("load", "ycsb-a", *flags, "--quiet")
    assert few.code == 2 and "16 connections for 24 agents" in few.err, few.err
    dealt = weigh("load", "ycsb-a", *flags, "--connections", "24")
    assert dealt.code == 2 and "requestdistribution=uniform" in dealt.err, dealt.err
    assert "cluster: " not in dealt.err


def _numbered(run: Run, name: str) -> int:
    """The agent on the worker of that name."""
    agents: list[dict[str, Any]] = run.json["runs"][0]["agents"]
    [found] = [one["agent"] for one in agents if name in one["worker"].partition(" ")[0]]
    return int(found)


def _refused(run: Run) -> None:
    assert run.json["tier"]["name"] == "inadmissible"
    assert run.json["runs"][0]["verdict"] == "refused" and run.json["runs"][0]["rate_achieved"] is None
    report = (run.evidence / "report.txt").read_text()
    assert "REFUSED" in report and "E10." in report
    assert json.loads((run.evidence / "load.json").read_text())["reasons"]
