"""E6: contenders given different cores, threads, memory or places to spill."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from weigh.host import cgroup

from ..reading import ONCE, contenders, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

CORES = len(os.sched_getaffinity(0))
LIMIT = 1 << 30
FLAGS = ("--scale", "1K", *ONCE, "--operations", "by_action", "--quiet", "--json")


@pytest.fixture(scope="session")
def shares(fresh: Callable[[], Weigh]) -> Run:
    """An honest pair, one that takes a thread more, one that spills to memory, and one declared to be small."""
    named = (
        "base=liar?lie=none",
        "twin=liar?lie=none",
        "more=liar?lie=extra-thread",
        "elsewhere=liar?lie=spill-elsewhere",
        "declared=liar?lie=none&threads=1&memory_limit=1GB&temp_directory=/dev/shm/weigh-declared",
    )
    return fresh()("run", *contenders(*named), *FLAGS)


@pytest.fixture(scope="session")
def bounded(fresh: Callable[[], Weigh]) -> Run:
    """Two contenders on one CPU and with a gigabyte, one that gives itself more, and one that gives a thread more."""
    named = ("base=liar?lie=none", "twin=fork", "wide=liar?lie=extra-cpu", "thread=liar?lie=extra-cpu-thread")
    return fresh()("run", *contenders(*named), *FLAGS, "--affinity", "0", "--memory-limit", "1G")


def _may_raise_its_priority() -> bool:
    """Whether a process of this user may: root may, where nobody took it away (CAP_SYS_NICE)."""
    code = (
        "import os; os.setpriority(os.PRIO_PROCESS, 0, -5); os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="session")
def preferred(fresh: Callable[[], Weigh]) -> Run:
    """An honest pair, one that sets its nice value, and one that makes itself a real-time process."""
    if not _may_raise_its_priority():
        pytest.skip("only root may raise its own priority")
    named = ("base=liar?lie=none", "twin=liar?lie=none", "nice=liar?lie=extra-nice", "real=liar?lie=extra-real-time")
    return fresh()("run", *contenders(*named), *FLAGS)


def said(run: Run, contender: str) -> dict[str, dict[str, Any]]:
    """What is reported of parity, by code."""
    found = [one for one in run.json["findings"] if one["contender"] == contender]
    return {one["code"]: one for one in found if one["code"].startswith("E6")}


def parity(run: Run, contender: str) -> dict[str, Any]:
    """What a contender had."""
    return next(one for one in run.json["parity"] if one["contender"] == contender)


@pytest.mark.promise(
    "Every difference from the baseline is named with both values.",
    "Any other is a warning, and the result is suggestive.",
)
def test_a_thread_more_is_named_with_both_values(shares: Run) -> None:
    found = {one["text"]: one["severity"] for one in shares.json["findings"] if one["contender"] == "more"}
    assert found[f"it has {CORES + 1} threads, the baseline base {CORES}"] == "warning"
    assert found[f"its lives had {CORES} and {CORES + 1} threads"] == "warning"
    assert "E6.threads" in {reason["code"] for reason in shares.json["tier"]["reasons"]}


def test_a_spill_to_another_place_is_named(shares: Run) -> None:
    found = said(shares, "elsewhere")
    assert set(found) == {"E6.spill"}
    assert found["E6.spill"]["severity"] == "warning"
    assert "/dev/shm/weigh-liar-" in found["E6.spill"]["text"]
    assert "tmpfs" in found["E6.spill"]["text"]


def test_the_honest_twin_is_not_accused(shares: Run) -> None:
    assert not said(shares, "twin")
    assert not said(shares, "base")


@pytest.mark.promise(
    "A difference that is declared in either contender's settings, as `threads=1` against "
    "`threads=2`, is what you compare, and a note."
)
def test_what_was_declared_is_what_is_compared(shares: Run) -> None:
    found = said(shares, "declared")
    assert {"E6.threads", "E6.memory", "E6.spill"} <= set(found)
    assert {one["severity"] for one in found.values()} == {"note"}
    assert parity(shares, "declared")["declared"] == ["threads", "memory", "spill"]


def test_parity_is_in_every_report(shares: Run) -> None:
    report = words((shares.evidence / "report.txt").read_text())
    page = (shares.evidence / "report.html").read_text()
    assert "CPU / wall" in report
    assert "<h3>Parity</h3>" in page
    assert set(parity(shares, "more")["parallelism"]) == {"by_action"}


def test_the_same_for_all_and_read_back(bounded: Run) -> None:
    for name in ("base", "twin"):
        assert parity(bounded, name)["cpus"] == [0]
        # DuckDB does not count the CPUs that it is allowed.
        assert [(one["code"], one["severity"]) for one in said(bounded, name).values()] == (
            [("E6.threads", "note")] if CORES > 1 else []
        )
    assert bounded.json["bounds"] == {"affinity": [0], "memory_bytes": LIMIT, "expect_storage": None}
    if cgroup.usable():
        assert {one["group"] for one in bounded.json["parity"]} == {LIMIT}
    else:
        assert "1024" in parity(bounded, "twin")["memory"] or "1.0 GiB" in parity(bounded, "twin")["memory"]


@pytest.mark.skipif(CORES < 2, reason="one CPU: there is no other to take")
def test_one_that_gives_itself_more_cpus_is_named(bounded: Run) -> None:
    found = said(bounded, "wide")["E6.affinity"]
    assert found["severity"] == "warning"
    assert found["text"] == f"it runs on CPUs 0-{(os.cpu_count() or 1) - 1}; 0 was asked for all"


@pytest.mark.skipif(CORES < 2, reason="needs a CPU more than one")
def test_a_thread_that_left_its_cpus_is_named(bounded: Run) -> None:
    assert "E6.affinity" in said(bounded, "thread")
    assert "E6.affinity" not in said(bounded, "twin")
    assert parity(bounded, "thread")["threads_seen"] > 1


@pytest.mark.promise("`E6.priority` | its threads computed with another priority than it was started with")
@pytest.mark.parametrize(("who", "what"), [("nice", "nice -5"), ("real", "SCHED_FIFO 1")])
def test_a_priority_that_it_gave_itself_is_named(preferred: Run, who: str, what: str) -> None:
    found = said(preferred, who)["E6.priority"]
    assert found["severity"] == "warning"
    assert found["text"] == f"it is scheduled with {what}, started with nice 0"
    assert parity(preferred, who)["priority"] == f"{what}, started with nice 0"
    assert "E6.priority" in {reason["code"] for reason in preferred.json["tier"]["reasons"]}
    assert not said(preferred, "twin")
    assert parity(preferred, "twin")["priority"] == ""


def test_more_than_there_is_cannot_be_asked_for(weigh: Weigh) -> None:
    cpus = weigh("gate", "--contender", "duckdb", *FLAGS[:2], "--quiet", "--affinity", "8000")
    assert cpus.code == 2
    assert "affinity 8000: weigh itself may only use the CPUs" in cpus.err
    memory = weigh("gate", "--contender", "duckdb", *FLAGS[:2], "--quiet", "--memory-limit", "900T")
    assert memory.code == 2
    assert "limits nothing" in memory.err
