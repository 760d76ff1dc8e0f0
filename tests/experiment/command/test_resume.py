"""``--resume`` after a kill at any moment: nothing but the turn in flight is lost, and the verdicts are the same."""

from __future__ import annotations

import random
import shutil
import signal
import time
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from support import evidence_files
from support.command import Run, Weigh
from support.waiting import eventually, journalled, workers
from weigh._version import __version__
from weigh.evidence import journal
from weigh.experiment import record as records
from weigh.experiment.results.results import experiment_results

pytestmark = pytest.mark.usefixtures("no_orphans")

EXPERIMENT = (
    "run", "--contender", "a=liar?lie=none", "--contender", "b=liar?lie=none", "--scale", "1K", "--quiet",
    "--operations", "by_action,by_proto", "--rounds", "1", "--runs", "1", "--resume",
)  # fmt: skip


def events(folder: Path) -> list[bytes]:
    """Complete lines of the only journal; none while there is no journal."""
    found = list(folder.glob("runs/*/journal.jsonl"))
    assert len(found) <= 1, "a resumed attempt is the same attempt"
    return found[0].read_bytes().split(b"\n")[:-1] if found else []


def killed(weigh: Weigh, chance: random.Random, *flags: str) -> bool:
    """Run until a random moment, and kill; whether there was anything left to kill."""
    before = len(events(weigh.folder))
    running = weigh.start(*EXPERIMENT, *flags)
    if chance.random() < 0.3:
        time.sleep(3 * chance.random())
    else:
        # So many new events, and a part of the next: a moment anywhere in the gate and in the blocks.
        more = chance.randrange(1, 30)
        eventually(lambda: len(events(weigh.folder)) >= before + more or running.poll() is not None)
        time.sleep(0.2 * chance.random())
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=120)
    eventually(lambda: not workers(weigh.folder))
    return running.returncode == -signal.SIGKILL


def uninterrupted(record: records.Record) -> records.Record:
    """The same samples as an attempt that nobody killed would have recorded them: one life an arm and block."""
    lives = {key: number for number, key in enumerate(dict.fromkeys((one.block, one.arm) for one in record.samples))}
    samples = tuple(msgspec.structs.replace(one, start=lives[one.block, one.arm]) for one in record.samples)
    return msgspec.structs.replace(record, samples=samples, resumed=(), earlier_gates=())


def interrupted_often(weigh: Weigh, kills: int, starts: int) -> None:
    chance = random.Random(kills)
    flags = ("--starts", str(starts))
    snapshots = []
    done = 0
    while done < kills:
        done += killed(weigh, chance, *flags)
        snapshots.append(events(weigh.folder))
    finished = weigh(*EXPERIMENT, *flags, timeout=1200)
    assert finished.code in (0, 1, 3), finished.err
    for earlier, later in pairwise([*snapshots, events(weigh.folder)]):
        assert later[: len(earlier)] == earlier, "what was written before a kill stays"

    (folder,) = weigh.folder.glob("runs/*-*-*")
    verified = weigh("verify", str(folder), "--json")
    assert (verified.code, verified.json["verification"]["problems"]) == (0, [])

    record = records.read(folder)
    assert record.resumed
    turns = [(one.block, one.turn) for one in record.samples if one.run == 0]
    assert turns == [(block, turn) for block in range(starts) for turn in range(6)], "no turn lost, none twice"
    moments = [moment for watch in record.watches for moment in watch.moments]
    assert all(later.at >= earlier.end - 1e-9 for earlier, later in pairwise(moments)), "one clock over all lives"
    kept = experiment_results([record])
    whole = experiment_results([uninterrupted(record)])
    assert kept.verdicts == whole.verdicts
    assert kept.timings == whole.timings


@pytest.mark.promise(
    (
        "the same attempt goes on, in the same journal, with the turn after the last one that was "
        "written. The order of turns is a function of the seed, so the rest is the same as without the "
        "kill."
    ),
    "A killed run continues with `--resume`.",
    (
        "Killing weigh loses at most the turn in flight; a torn last line is ignored, and `weigh report` "
        "reads what is there."
    ),
)
@pytest.mark.long
def test_killed_again_and_again(weigh: Weigh) -> None:
    interrupted_often(weigh, kills=5, starts=5)


@pytest.mark.long
def test_two_hundred_kills(weigh: Weigh) -> None:
    interrupted_often(weigh, kills=200, starts=400)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A whole attempt; not to be changed."""
    run = Weigh(tmp_path_factory.mktemp("complete"))(*EXPERIMENT, "--starts", "2")
    assert run.code in (0, 1, 3), run.err
    return run


@pytest.fixture
def again(complete: Run, weigh: Weigh) -> Weigh:
    """weigh in a copy of that folder."""
    shutil.copytree(complete.folder / "runs", weigh.folder / "runs")
    return weigh


def test_killed_while_it_was_being_sealed(again: Weigh) -> None:
    (folder,) = again.folder.glob("runs/*-*-*")
    before = (folder / journal.NAME).read_bytes()
    for name in ("seal.json", "verdicts.json", "samples.parquet"):
        (folder / name).unlink()
    assert again(*EXPERIMENT, "--starts", "2").code in (0, 1, 3)
    assert (folder / journal.NAME).read_bytes() == before
    assert again("verify", str(folder)).code == 0


@pytest.mark.promise("nothing is measured, and its report is printed again.")
def test_a_complete_attempt_is_not_measured_again(complete: Run, again: Weigh) -> None:
    run = again(*EXPERIMENT, "--starts", "2")
    assert (run.code, run.out) == (complete.code, complete.out)
    assert len(list(again.folder.glob("runs/*-*-*"))) == 1


@pytest.mark.promise(
    "it was sealed and stays as it is. A new attempt measures the missing starts, and the verdicts read both."
)
@pytest.mark.parametrize("torn", [pytest.param(False, marks=pytest.mark.long), True])
def test_an_interrupted_attempt_stays_sealed_and_another_measures_the_rest(weigh: Weigh, torn: bool) -> None:
    """Torn: a second signal came while it was being sealed."""
    running = weigh.start(*EXPERIMENT, "--starts", "4")
    eventually(journalled(weigh.folder, "turn"))
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    (first,) = weigh.folder.glob("runs/*-*-*")
    whole = len(records.read(first).blocks) - 1
    if torn:
        for name in ("seal.json", "samples.parquet"):
            (first / name).unlink()
    assert weigh(*EXPERIMENT, "--starts", "4", timeout=600).code in (0, 1, 3)
    _, second = sorted(weigh.folder.glob("runs/*-*-*"))
    assert weigh("verify", str(first)).code == 0
    assert weigh("verify", str(second)).code == 0
    assert len(records.read(second).blocks) == 4 - whole
    assert "2 attempts" in weigh("report", str(second)).out


OTHERS = {
    "ingest": ("run", "--ingest", "--contender", "sqlite"),
    "grid": ("layout", "--contender", "duckdb", "--files", "1,2", "--operations", "by_action"),
    "catalog": (
        "run", "--contender", "liar?lie=none", "--contender", "liar?lie=none&catalog=delta",
        "--operations", "by_action",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["ingest", *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS if name != "ingest")]
)
def test_other_experiments_go_on_too(weigh: Weigh, kind: str) -> None:
    """Killed after its first turns: what it loaded or registered goes, and the rest is measured by the next life."""
    asked = (*OTHERS[kind], "--scale", "1K", "--starts", "2", "--rounds", "4", "--runs", "1", "--quiet", "--resume")
    running = weigh.start(*asked)
    eventually(journalled(weigh.folder, "turn"))
    running.kill()
    running.communicate(timeout=120)
    eventually(lambda: not workers(weigh.folder))
    before = events(weigh.folder)
    finished = weigh(*asked, timeout=600)
    assert finished.code in (0, 1, 3), finished.err
    assert events(weigh.folder)[: len(before)] == before
    (folder,) = weigh.folder.glob("runs/*-*-*")
    assert records.read(folder).resumed
    assert weigh("verify", str(folder)).code == 0


Begun = tuple[Weigh, Path, bytes]
"""weigh in the folder of an attempt that was killed, its journal, and what that says."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """An attempt that was killed after its first turn."""
    weigh = Weigh(tmp_path_factory.mktemp("begun"))
    killed_once = weigh.start(*EXPERIMENT, "--starts", "200")
    eventually(journalled(weigh.folder, "turn"))
    killed_once.kill()
    killed_once.communicate(timeout=120)
    (path,) = weigh.folder.glob("runs/*/journal.jsonl")
    return weigh, path, path.read_bytes()


@pytest.mark.promise(
    "A journal in which one was edited, removed or put in fails `weigh verify` (`R4.chain`) and is not resumed."
)
def test_a_contender_that_changed_is_not_gone_on_with(begun: Begun) -> None:
    """The journal is edited to another version's: what an upgrade between the kill and the resumption would leave."""
    weigh, path, content = begun
    path.write_bytes(content)
    events = [line.replace(b'"version":"2.0.0"', b'"version":"1.9.9"') for line in path.read_bytes().splitlines()[:-1]]
    edited = b"\n".join(events) + b"\n"
    path.write_bytes(edited)
    refused = weigh(*EXPERIMENT, "--starts", "200")
    assert refused.code == 2
    assert "of the journal does not follow from the one before it: it was edited" in refused.err
    assert path.read_bytes() == edited, "nothing was written"
    path.write_bytes(b"".join(evidence_files.chained(msgspec.json.decode(line, type=journal.Event) for line in events)))
    content = path.read_bytes()
    refused = weigh(*EXPERIMENT, "--starts", "200")
    assert refused.code == 2
    assert "contender a was 1.9.9, now it is 2.0.0" in refused.err
    assert path.read_bytes() == content, "nothing was written"
    assert not (path.parent / "seal.json").exists()


def forged(path: Path, old: bytes, new: bytes) -> bytes:
    """A journal in which something else was recorded, chained as if weigh had written it."""
    lines = [line.replace(old, new) for line in path.read_bytes().splitlines()[:-1]]
    written = b"".join(evidence_files.chained(msgspec.json.decode(line, type=journal.Event) for line in lines))
    assert written != path.read_bytes()
    path.write_bytes(written)
    return written


@pytest.mark.promise("another version of weigh or of an engine, or other data, is refused with exit 2")
def test_another_weigh_or_other_data_is_not_gone_on_with(begun: Begun) -> None:
    weigh, path, content = begun
    path.write_bytes(content)
    (manifest,) = [line for line in content.splitlines() if line.startswith(b'{"event":"manifest"')]
    digest = msgspec.json.decode(manifest)["body"]["digests"]["events"].encode()
    for old, new, said in (
        (b'"weigh":"%b"' % __version__.encode(), b'"weigh":"0.0.9"', f"begun by weigh 0.0.9, this is {__version__}"),
        (digest, digest[:-1] + (b"0" if digest[-1:] != b"0" else b"1"), "the data files are not those it began with"),
    ):
        path.write_bytes(content)
        written = forged(path, old, new)
        refused = weigh(*EXPERIMENT, "--starts", "200")
        assert refused.code == 2
        assert said in refused.err
        assert "leave out --resume" in refused.err
        assert path.read_bytes() == written
        assert not (path.parent / "seal.json").exists()
