"""``weigh run --precision``: it ends by the width of the intervals, and a kill changes nothing about it.

What the machine does to the widths is not in our hands: one target is so wide that every interval is within it, the
other so narrow that none is.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually, workers
from weigh.evidence import journal
from weigh.experiment import record as records

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

pytestmark = pytest.mark.usefixtures("no_orphans")

EXPERIMENT = (
    "run", "--contender", "a=liar?lie=none", "--contender", "b=liar?lie=none", "--scale", "1K",
    "--operations", "by_action,by_proto", "--rounds", "2", "--runs", "2",
)  # fmt: skip
WIDE, NARROW = ("--precision", "10000%"), ("--precision", "0.0001%")


def verified(weigh: Weigh, folder: Path) -> records.Record:
    """The record of an attempt that passes."""
    found = weigh("verify", str(folder), "--json")
    assert (found.code, found.json["verification"]["problems"]) == (0, [])
    return records.read(folder)


@pytest.mark.promise("So an operation is retired after 10 starts at the earliest.")
@pytest.mark.long
def test_it_ends_when_every_interval_is_narrow_enough(weigh: Weigh) -> None:
    run = weigh(*EXPERIMENT, *WIDE)
    assert run.code in (0, 1, 3), run.err
    record = verified(weigh, run.evidence)
    assert len(record.blocks) == 10, "ten starts are the least, however narrow the intervals are"
    assert [look.stop for look in record.looks] == ["", "", "", "", "", "reached"]
    assert "measuring: at least 10 starts of 2 rounds of 2 runs" in run.err
    assert "after 10 starts: 2 of 2 operations are done" in run.err
    assert "reached on 2 of 2 operations, after 10 starts by_action, by_proto" in " ".join(
        weigh("report", str(run.evidence), "--notes").out.split()
    )


def killed(weigh: Weigh, event: str, number: int) -> None:
    """Run until the n-th event of a kind is written, and kill."""
    running = weigh.start(*EXPERIMENT, *NARROW, "--starts", "10", "--quiet", "--resume")
    line = f'{{"event":"{event}"'

    def written() -> bool:
        return any(path.read_text().count(line) >= number for path in weigh.folder.glob("runs/*/journal.jsonl"))

    eventually(lambda: written() or running.poll() is not None)
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=120)
    eventually(lambda: not workers(weigh.folder))


@pytest.mark.long
def test_a_kill_changes_nothing_and_the_next_attempt_adds_its_starts(weigh: Weigh) -> None:
    killed(weigh, "look", 2)
    before = next(weigh.folder.glob("runs/*/journal.jsonl")).read_bytes()
    killed(weigh, "turn", 50)
    run = weigh(*EXPERIMENT, *NARROW, "--starts", "10", "--resume", "--json")
    assert run.code in (0, 1, 3), run.err
    assert (run.evidence / journal.NAME).read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    record = verified(weigh, run.evidence)
    assert record.resumed
    assert [look.block for look in record.looks] == list(range(4, 10)), "one look after each block, none twice"
    assert [look.stop for look in record.looks] == [""] * 5 + ["starts"]
    turns = {(one.block, one.turn) for one in record.samples}
    assert len(turns) == 10 * 2 * 2 * 3, "of two operations in two rounds by three arms: none lost, none twice"
    said = {finding["code"]: finding["text"] for finding in run.json["findings"]}
    assert "reached on 0 of 2 operations" in said["T1.precision"]
    assert "after 10 starts" in said["T1.wide"]

    again = weigh(*EXPERIMENT, *NARROW, "--starts", "10", "--json")
    second = max(weigh.folder.glob("runs/*-*-*"), key=lambda path: int(path.name.rsplit("-", 1)[1]))
    first_look = verified(weigh, second).looks[0]
    assert {one.starts for one in first_look.widths} == {15}, "the starts of the first attempt count"
    assert {one["starts"] for one in again.json["verdicts"] if one["metric"] == "wall_s"} == {20}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--precision", "-2%"), "precision = -0.02 is not positive"),
        (("--precision", "narrow"), "narrow is not a fraction"),
        (("--precision", "2%", "--starts", "9"), "starts = 9 is too small with a precision"),
    ],
)
def test_what_cannot_be_asked_for(weigh: Weigh, flags: tuple[str, ...], said: str) -> None:
    run = weigh(*EXPERIMENT, *flags)
    assert (run.code, said in run.err) == (2, True), run.err


def test_one_contender_has_no_ratio(weigh: Weigh) -> None:
    run = weigh("run", "--contender", "duckdb", "--precision", "2%")
    assert run.code == 2
    assert "a precision is that of a ratio" in run.err
