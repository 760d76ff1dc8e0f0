"""E1: a "cold" run that is served from memory."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.experiment import record as records
from weigh.experiment.verify import verify
from weigh.host import page_cache

from ..forging import Events, forge, reseal, rewrite, samples
from ..reading import SMALL, contenders, errors, reasons, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from support.command import Run, Weigh

PUT_OUT = "drop_caches" if page_cache.may_drop() else "eviction"
CODE = "E1.resident" if page_cache.may_drop() else "E1.unprivileged"


def account(run: Run, contender: str, temperature: str = "cold") -> dict[str, Any]:
    """What was found in memory and read."""
    (found,) = (one for one in run.json["cold"] if (one["contender"], one["temperature"]) == (contender, temperature))
    return found


def verdict(run: Run, contender: str, temperature: str = "cold") -> dict[str, Any]:
    """The verdict on wall time."""
    (found,) = (
        one
        for one in run.json["verdicts"]
        if (one["contender"], one["temperature"], one["metric"]) == (contender, temperature, "wall_s")
    )
    return found


def timed(run: Run, temperature: str) -> set[str]:
    """Contenders whose times are shown at a temperature."""
    return {one["contender"] for one in run.json["timings"] if one["temperature"] == temperature}


def found_in(evidence: Path) -> set[tuple[str, str]]:
    """(code, file) of what verifying finds."""
    return {(one.code, one.file) for one in verify.verify(evidence).problems}


@pytest.mark.promise("What is called cold is proven for every single execution, or there is no verdict.")
def test_who_keeps_its_data_in_memory_is_not_called_cold(cooled: Run) -> None:
    found = account(cooled, "keeps")
    assert (found["resident"], found["proven"]) == (found["pages"], 0)
    said = verdict(cooled, "keeps")
    assert said["verdict"] == "refused"
    assert said["ratio"] is None
    assert next(iter(reasons(said))) == CODE
    assert "were in memory just before the clock" in reasons(said)[CODE]
    assert "keeps" not in timed(cooled, "cold")
    (finding,) = (one for one in cooled.json["findings"] if one["code"] == CODE)
    assert (finding["contender"], finding["operation"]) == ("keeps", "unordered")


def test_the_honest_twin_is_cold_and_accounts_for_what_it_read(cooled: Run) -> None:
    found = account(cooled, "honest")
    assert (found["resident"], found["refused"]) == (0, None)
    assert found["proven"] == found["executions"] > 0
    assert found["pages"] > 0
    # What came into memory is what it read from the device, and a part of the data.
    assert 0 < found["came_in"] <= found["bytes_read"] + (256 << 10)
    assert "honest" in timed(cooled, "cold")
    assert "honest" not in {one["contender"] for one in cooled.json["findings"] if one["code"].startswith("E1")}


def test_the_life_after_it_reads_nothing_and_is_called_first(cooled: Run) -> None:
    for contender in ("honest", "keeps"):
        found = account(cooled, contender, "first")
        assert (found["bytes_read"], found["came_in"], found["refused"]) == (0, 0, None)
        assert contender in timed(cooled, "first")


@pytest.mark.promise("What the query before did not read of the files is read into memory before the clock")
def test_all_of_its_data_is_in_memory_whatever_the_cold_one_read(cooled: Run) -> None:
    states = [one for one in records.read(cooled.evidence).cache_states if one.contender == "honest"]
    first = [one for one in states if one.temperature == "first" and one.before]
    assert first
    assert all(one.before and one.before.resident == one.before.pages for one in first)
    # It was not there by itself: the cold one read a part.
    cold = [one.after for one in states if one.temperature == "cold" and one.after]
    assert any(one.resident < one.pages for one in cold)


@pytest.mark.promise("Every cold execution has a process of its own")
def test_each_execution_has_a_life_of_its_own_and_the_proof_of_it(cooled: Run) -> None:
    record = records.read(cooled.evidence)
    assert len({sample.start for sample in record.samples}) == len(record.samples)
    workers = {(one.block, one.turn, one.temperature): one for one in record.cache_states}
    for sample in record.samples:
        reading = workers[sample.block, sample.turn, sample.temperature]
        assert reading.put_out == (PUT_OUT if sample.temperature == "cold" else "")


def test_what_cannot_be_excluded_is_said(cooled: Run) -> None:
    (note,) = (one for one in cooled.json["findings"] if one["code"] == "E1.hypervisor")
    assert note["severity"] == "note"
    assert "cannot be observed from here" in note["text"]
    text = words((cooled.evidence / "report.txt").read_text())
    assert "Times, cold" in text
    assert "Times, first in a fresh life, the data in memory" in text
    assert "E1.unproven temperature not proven: 2 accounts of cold and first executions did not hold" in text


def test_all_of_it_is_computed_again_from_the_journal(cooled: Run, tmp_path: Path) -> None:
    def without_readings(events: Events) -> Events:
        return [event for event in events if event.event != "cache_state"]

    # Nobody can say any more that an execution was cold.
    evidence = shutil.copytree(cooled.evidence, tmp_path / "readings" / cooled.evidence.name)
    rewrite(evidence, without_readings)
    reseal(evidence)
    assert ("R4.figures", "verdicts.json") in found_in(evidence)

    def called_cold(events: Events) -> Events:
        for one in samples(events):
            one["temperature"] = "cold"
        return events

    evidence = shutil.copytree(cooled.evidence, tmp_path / "samples" / cooled.evidence.name)
    forge(evidence, called_cold)
    assert found_in(evidence) == {("T5.order", "journal.jsonl")}


@pytest.mark.promise("its adapter names other files as its data than it was given")
def test_files_that_are_not_those_it_was_given_are_found(weigh: Weigh) -> None:
    """What is named is evicted from the page cache before a cold execution, and looked at just before the clock."""
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=other-files"), *SMALL, "--operations", "by_action")
    assert errors(run) == {("E1.files", "liar?lie=other-files")}
    assert run.code == 1


@pytest.mark.promise("`E1.others` names no contender")
def test_whose_data_another_process_holds_is_not_named_for_it(
    weigh: Weigh, dropping: Callable[[], AbstractContextManager[None]]
) -> None:
    """The twin of the one that keeps its data: the same pages stay, and the same process is not the contender's."""
    path = weigh.folder / "t.parquet"
    pq.write_table(pa.table({"n": list(range(50_000))}), path)
    (weigh.folder / "q.sql").write_text("SELECT sum(n) AS n FROM t")
    hold = "import mmap, sys; f = open(sys.argv[1]); m = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)\n"
    hold += "sum(m[::4096]); print(flush=True); input()"
    flags = ("--temperature", "cold", "--starts", "1", "--quiet", "--json")
    with (
        dropping(),
        subprocess.Popen([sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder,
    ):
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"\n"
        run = weigh("run", "--data", str(path), "--sql", "q.sql", *contenders("duckdb=fork"), *flags)
        holder.communicate(b"\n")
    found = {(one["code"], one["contender"]) for one in run.json["findings"] if one["code"].startswith("E1")}
    assert found == {("E1.others", None), ("E1.hypervisor", None)}
    held = [one["text"] for one in run.json["findings"] if one["code"] == "E1.others"]
    assert all(f"(pid {holder.pid}) had them mapped" in text for text in held)
    assert timed(run, "cold") == set()
