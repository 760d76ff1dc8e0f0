"""Interrupted, killed, or not alone: the evidence is intact, and no process is left."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually, journalled, workers
from weigh.experiment import record as records
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from support.command import Weigh
    from weigh.model import contender

pytestmark = pytest.mark.usefixtures("no_orphans")

LONG = (
    "run", "--contender", "a=fork@2.0.0", "--contender", "b=fork@1.5.5", "--scale", "1K", "--quiet",
    "--operations", "by_action,by_proto",
)  # fmt: skip


def evidence(folder: Path) -> Path:
    (found,) = (folder / "runs").iterdir()
    return found


@pytest.mark.long
def test_an_interrupt_while_the_gate_waits_for_an_answer(weigh: Weigh) -> None:
    running = weigh.start(
        "gate", "--contender", "liar?lie=hang", "--scale", "1K", "--operations", "by_action", "--timeout", "1h",
        "--quiet",
    )  # fmt: skip
    eventually(journalled(weigh.folder, "manifest"))
    eventually(lambda: workers(weigh.folder))
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (130, "")
    assert "error: interrupted\n  what was measured until then is kept in runs/" in err
    assert "Traceback" not in err
    assert weigh("verify", str(evidence(weigh.folder))).code == 0
    report = weigh("report", str(evidence(weigh.folder))).out
    assert "Not complete: interrupted. The gate was not reached" in report


@pytest.mark.promise("A second one exits 2 and names the process, command and time of the first.")
def test_termination_while_measuring_and_a_second_run_before_it(weigh: Weigh) -> None:
    running = weigh.start(*LONG, "--starts", "500")
    eventually(journalled(weigh.folder, "turn"))

    second = weigh(*LONG, "--out", "other")
    assert (second.code, second.out) == (2, "")
    assert (
        f"a measurement is already going on this machine: process {running.pid} (weigh run netflow, since "
        in second.err
    )
    assert not (weigh.folder / "other").exists()

    running.terminate()
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (143, "")
    assert "interrupted" in err
    verified = weigh("verify", str(evidence(weigh.folder)), "--json")
    assert (verified.code, verified.json["passed"]) == (0, True)
    assert verified.json["verification"]["samples"] > 0
    assert "Not complete: interrupted." in weigh("report", str(evidence(weigh.folder))).out


@pytest.mark.promise(
    "When weigh dies, its worker processes die with it.",
    (
        "Killing weigh loses at most the turn in flight; a torn last line is ignored, and `weigh report` "
        "reads what is there."
    ),
)
def test_kill_9_of_weigh(weigh: Weigh) -> None:
    running = weigh.start(*LONG, "--starts", "500")
    eventually(journalled(weigh.folder, "turn"))
    assert workers(weigh.folder)
    running.kill()
    running.communicate(timeout=120)
    eventually(lambda: not workers(weigh.folder))
    folder = evidence(weigh.folder)
    assert records.read(folder).samples
    report = weigh("report", str(folder))
    assert report.code == 0
    assert "Not complete: it was killed, or is still running." in " ".join(report.out.split())
    verify = weigh("verify", str(folder))
    assert verify.code == 2
    assert "there is no seal" in verify.err
    assert "`weigh report`" in verify.err


@pytest.mark.promise(
    (
        "In the measurement one failure makes that contender's operation an ERROR, and it is not tried "
        "again: leaving failures out would keep only the lucky executions."
    ),
    "Other contenders go on.",
)
def test_kill_9_of_a_worker(weigh: Weigh) -> None:
    """Each of b's two turns of a block takes long enough to be killed before its last one."""
    running = weigh.start(*LONG, "--starts", "2", "--rounds", "1", "--runs", "100")
    eventually(journalled(weigh.folder, "turn"))
    python = {one.name: one.environment for one in _environment(weigh.folder)}
    for pid in workers(weigh.folder):
        if python["b"] in (Path("/proc") / str(pid) / "cmdline").read_text():
            os.kill(pid, signal.SIGKILL)
    out, err = running.communicate(timeout=240)
    assert running.returncode == 3, "two starts carry no verdict"
    assert "Traceback" not in err
    record = records.read(evidence(weigh.folder))
    (crash,) = [sample for sample in record.samples if sample.outcome is not Outcome.OK]
    assert (crash.outcome, crash.contender) == (Outcome.CRASH, "b")
    assert "signal SIGKILL" in crash.detail
    done = {
        (sample.block, sample.arm, sample.operation) for sample in record.samples if sample.timed and sample.run == 100
    }
    everything = {(block, arm, op) for block in (0, 1) for arm in ("a", "a#2") for op in ("by_action", "by_proto")}
    assert everything <= done, "the others went on"
    assert "1 failed:" in out
    assert weigh("verify", str(evidence(weigh.folder))).code == 0


def _environment(folder: Path) -> tuple[contender.ContenderRead, ...]:
    found = records.read(evidence(folder)).environment
    assert found is not None
    return found.contenders
