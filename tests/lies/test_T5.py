"""T5: A measured first, B later. The evidence of such a comparison has to be forged, and shows it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from weigh.evidence import journal, store
from weigh.report import files

from .reading import SHORT, SMALL, assert_silent, contenders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commands import Run, Weigh

Turns = list[dict[str, Any]]
SEALED = (
    "environment.json", "gate.json", "journal.jsonl", "manifest.json", "report.txt", "samples.parquet", "spec.json",
    "verdicts.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def real(fresh: Callable[[], Weigh]) -> Run:
    """A short and honest run of two contenders."""
    flags = (*SMALL, *SHORT, "--operations", "eq_action,by_action")
    return fresh()("run", *contenders("duckdb", "liar?lie=none"), *flags)


@pytest.fixture
def evidence(real: Run, tmp_path: Path) -> Path:
    """A copy of its evidence under the same name."""
    return shutil.copytree(real.evidence, tmp_path / "evidence" / real.evidence.name)


def test_the_untouched_evidence_passes(real: Run, weigh: Weigh, evidence: Path) -> None:
    assert_silent(real)
    run = weigh("verify", str(evidence), "--json")
    assert run.json["passed"], run.out
    assert run.json["verification"]["samples"] == 5 * 3 * 2 * 2  # starts, arms, operations, executions
    assert run.code == 0


def first(turn: dict[str, Any]) -> dict[str, Any]:
    """The first sample of a turn."""
    sample: dict[str, Any] = turn["samples"][0]
    return sample


def one_after_the_other(turns: Turns) -> Turns:
    """All turns of the baseline first, then the other's: each block as two sessions."""
    return sorted(turns, key=lambda turn: (first(turn)["arm"].startswith("liar"), first(turn)["block"]))


def renumbered(turns: Turns) -> Turns:
    """The same, with numbers and times made to look as if they had come in that order."""
    times = sorted(sample["at"] for turn in turns for sample in turn["samples"])
    count: dict[int, int] = {}
    for turn in sorted(turns, key=lambda turn: (first(turn)["block"], first(turn)["arm"].startswith("liar"))):
        block = first(turn)["block"]
        for sample in turn["samples"]:
            sample.update(turn=count.get(block, 0), at=times.pop(0))
        count[block] = count.get(block, 0) + 1
    return sorted(turns, key=lambda turn: (first(turn)["block"], first(turn)["turn"]))


def retimed(turns: Turns) -> Turns:
    """One after the other within each block, times made to fit, numbers left as they are."""
    times = sorted(sample["at"] for turn in turns for sample in turn["samples"])
    turns = sorted(turns, key=lambda turn: (first(turn)["block"], first(turn)["arm"].startswith("liar")))
    for turn in turns:
        for sample in turn["samples"]:
            sample["at"] = times.pop(0)
    return turns


def another_session(turns: Turns) -> Turns:
    """In the order that the seed demands, but one contender's samples are of an hour before."""
    for turn in turns:
        for sample in turn["samples"]:
            sample["at"] -= 3600 * sample["arm"].startswith("liar")
    return turns


def forge(evidence: Path, order: Callable[[Turns], Turns]) -> None:
    """Rewrite the journal, derive everything from it and seal it, with weigh's own functions."""
    events = journal.read(evidence)
    turns = iter(order([event.body for event in events if event.event == "turn"]))
    bodies = [next(turns) if event.event == "turn" else event.body for event in events]
    lines = [msgspec.json.encode(journal.Event(event.event, body)) for event, body in zip(events, bodies, strict=True)]
    (evidence / journal.NAME).write_bytes(b"\n".join(lines) + b"\n")
    sealed = store.read_seal(evidence)
    store.derive(evidence)
    files.write(evidence)
    store.seal(evidence, sealed.weigh)


def test_resealing_alone_changes_nothing(weigh: Weigh, evidence: Path) -> None:
    forge(evidence, lambda turns: turns)
    assert weigh("verify", str(evidence)).code == 0


@pytest.mark.parametrize("order", [one_after_the_other, renumbered, retimed, another_session])
def test_one_after_the_other_is_found(weigh: Weigh, evidence: Path, order: Callable[[Turns], Turns]) -> None:
    forge(evidence, order)
    run = weigh("verify", str(evidence), "--json")
    assert {problem["code"] for problem in run.json["verification"]["problems"]} == {"T5.order"}
    assert run.code == 1


def test_every_file_is_sealed(evidence: Path) -> None:
    assert tuple(sorted(store.read_seal(evidence).files)) == SEALED


@pytest.mark.parametrize("name", SEALED)
def test_one_edited_byte_is_found_and_its_file_named(weigh: Weigh, evidence: Path, name: str) -> None:
    content = bytearray((evidence / name).read_bytes())
    content[len(content) // 2] ^= 1
    (evidence / name).write_bytes(content)
    run = weigh("verify", str(evidence), "--json")
    assert ("R4.hash", name) in {(p["code"], p["file"]) for p in run.json["verification"]["problems"]}
    assert run.code == 1


def test_a_file_added_or_lost_is_named(weigh: Weigh, evidence: Path) -> None:
    (evidence / "better.json").write_text("{}")
    (evidence / "gate.json").unlink()
    run = weigh("verify", str(evidence))
    assert "better.json: it was added after the seal" in run.out
    assert "gate.json: it is missing" in run.out
    assert run.code == 1
