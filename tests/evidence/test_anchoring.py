"""What a witness proves: evidence that was made anew after its heads were kept elsewhere no longer fits."""

from __future__ import annotations

import shutil
import threading
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from golden import made
from lies.forging import forge, rewrite, samples
from support.command import Weigh
from support.evidence_folders import sealed_run
from weigh.evidence import journal
from weigh.evidence.anchoring import log, places
from weigh.evidence.anchoring.anchor import Anchor, Stamped
from weigh.evidence.anchoring.anchoring import Anchoring
from weigh.evidence.anchoring.run_key import RunKey
from weigh.evidence.anchoring.server import Witness
from weigh.evidence.journal import Journal
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lies.forging import Events


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two attempts of one experiment, and the log of a witness that was told of both while they went on."""
    root = tmp_path_factory.mktemp("anchored")
    evidence = [sealed_run(root / "runs", made.agreed()) for _ in range(2)]
    kept = log.Log(root / "witness.jsonl")
    with closing(RunKey()) as key:
        for number, folder in enumerate(evidence, start=1):
            rewrite(folder, partial(with_key, key=key.public))
            first = next(iter(journal.links(folder)))
            _, experiment, _ = folder.name.split("-")
            begun = kept.add(key.signed(Anchor(experiment=experiment, attempt=number, line=1, head=first, first=first)))
            forge(folder, partial(with_stamp, anchor=begun))
            heads = list(journal.links(folder))
            for line in (len(heads) // 2, len(heads)):
                one = Anchor(experiment=experiment, attempt=number, line=line, head=heads[line - 1], first=first)
                kept.add(key.signed(one))
    kept.close()
    return root


def with_stamp(events: Events, anchor: Anchor) -> Events:
    """The event which says that the first line was anchored."""
    stamp = Stamped(to="http://there:8788", anchor=anchor)
    return [events[0], journal.Event("anchor", msgspec.to_builtins(stamp)), *events[1:]]


def with_key(events: Events, key: str) -> Events:
    """The key that signs its anchors, as a run names it."""
    events[0].body["anchor_key"] = key
    return events


@pytest.fixture
def weigh(runs: Path, tmp_path: Path) -> Weigh:
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    return Weigh(tmp_path)


def newest(weigh: Weigh) -> Path:
    return max((weigh.folder / "runs").iterdir(), key=lambda one: one.name)


def faster(events: Events) -> Events:
    """One contender's times by 0.7."""
    for one in samples(events):
        if one["contender"] != samples(events)[0]["contender"] and one["wall_s"]:
            one["wall_s"] *= 0.7
    return events


def swapped(events: Events) -> Events:
    """The arms' times exchanged."""
    times = [one["wall_s"] for one in samples(events)]
    for one, time in zip(samples(events), [*times[1:], times[0]], strict=True):
        one["wall_s"] = time
    return events


def without_slow(events: Events) -> Events:
    """Every slow execution replaced by the typical one."""
    times = sorted(one["wall_s"] for one in samples(events) if one["wall_s"])
    for one in samples(events):
        if one["wall_s"] and one["wall_s"] > times[len(times) // 2]:
            one["wall_s"] = times[len(times) // 2]
    return events


def renumbered(events: Events) -> Events:
    """The second attempt sold as the first."""
    for one in events:
        if one.event == "opened":
            one.body["attempt"] = 1
    return events


def quieter(events: Events) -> Events:
    """What others used of the CPU, and what the host is."""
    for one in events:
        if one.event == "environment":
            one.body["host"]["cpu"] = "A quiet processor"
    return events


FORGERIES: list[Callable[[Events], Events]] = [faster, swapped, without_slow, renumbered, quieter]


@pytest.mark.parametrize("change", FORGERIES)
def test_what_was_made_anew_after_it_was_anchored_is_found(weigh: Weigh, change: Callable[[Events], Events]) -> None:
    evidence = newest(weigh)
    forge(evidence, change)
    run = weigh("verify", str(evidence), "--witness", "witness.jsonl", "--json")
    assert run.code == 1
    assert "R9.anchor" in {one.get("code") for one in run.json["anchors"]}


def test_honest_evidence_fits_its_witness(weigh: Weigh) -> None:
    run = weigh("verify", str(newest(weigh)), "--witness", "witness.jsonl", "--json")
    (one,) = run.json["anchors"]
    assert one["text"].startswith("anchored 3 times from 20")
    assert "code" not in one


@pytest.mark.parametrize("change", [faster, quieter])
def test_the_same_unanchored_is_called_unprovable(weigh: Weigh, change: Callable[[Events], Events]) -> None:
    evidence = sealed_run(weigh.folder / "plain", made.agreed())
    forge(evidence, change)
    out = weigh("verify", str(evidence)).out
    assert "R9.anchor" not in out
    assert "cannot be proven" in out


def test_a_shortened_journal_a_removed_attempt_and_another_date_are_found(weigh: Weigh) -> None:
    evidence = newest(weigh)
    forge(evidence, lambda events: [*events[:-2], events[-1]])
    assert "lines were removed" in _said(weigh, evidence)
    first, second = sorted((weigh.folder / "runs").iterdir())
    shutil.rmtree(first)
    assert "T8.missing" in _said(weigh, second)
    other = second.with_name(second.name.replace(second.name[:8], "20240101"))
    second.rename(other)
    assert "its name says 20240101" in _said(weigh, other)


def _said(weigh: Weigh, evidence: Path) -> str:
    return str(weigh("verify", str(evidence), "--witness", "witness.jsonl").out)


def test_a_log_that_was_edited_is_no_witness(weigh: Weigh) -> None:
    path = weigh.folder / "witness.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"line":1,', b'"line":2,', 1))
    with pytest.raises(EvidenceFault, match="does not follow"):
        log.read(path)
    assert weigh("verify", str(newest(weigh)), "--witness", "witness.jsonl").code == 2


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    witness = Witness("127.0.0.1", 0, tmp_path / "served.jsonl")
    thread = threading.Thread(target=witness.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{witness.server_address[1]}"
    witness.shutdown()
    witness.server_close()


def test_a_journal_sends_its_heads_while_it_grows(tmp_path: Path, server: str) -> None:
    folder = tmp_path / "20261127-aaaaaaaaaaaa-1"
    folder.mkdir()
    written = Journal(folder)
    place = {server: places.place(server)}
    with closing(RunKey()) as key:
        written.anchor(Anchoring(place, "aaaaaaaaaaaa", 1, folder, key, interval=1e9).stamps, key.public)
        for event in ("opened", "turn", "turn", "gate", "end"):
            written.append(event, {"attempt": 1})
        written.close()
    heads = list(journal.links(folder))
    anchors = place[server].read("aaaaaaaaaaaa")
    assert [heads[one.line - 1] for one in anchors] == [one.head for one in anchors]
    assert len(anchors) == 3
    assert anchors[-1].line == len(heads)
    assert [one.event for one in journal.read(folder)][-1] == "end"


def test_a_witness_that_is_gone_ends_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "20261127-aaaaaaaaaaaa-1"
    folder.mkdir()
    written = Journal(folder)
    gone = {"x": places.place("http://127.0.0.1:9")}
    with closing(RunKey()) as key:
        written.anchor(Anchoring(gone, "aaaaaaaaaaaa", 1, folder, key).stamps, key.public)
        written.append("opened", {})
        written.close()
    (stamp,) = (one.body for one in journal.read(folder) if one.event == "anchor")
    assert "does not answer" in stamp["error"]


@pytest.mark.parametrize(
    "body",
    [
        {"experiment": "../x", "attempt": 1, "line": 1, "head": "0" * 32},
        {"experiment": "a", "attempt": 1, "line": 0, "head": "0" * 32},
        {"experiment": "a", "attempt": 1, "line": 1, "head": "x"},
        {"experiment": "a", "attempt": 1, "line": 1, "head": "0" * 32, "signature": "x\\ny"},
    ],
)
def test_a_witness_takes_nothing_else(tmp_path: Path, server: str, body: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="does not answer"):
        places.place(server).send(Anchor(**body), tmp_path)
    assert places.place(server).read("a") == []


def test_another_measurement_of_the_same_experiment_is_not_accused(weigh: Weigh) -> None:
    """A witness has anchors of attempt 2 of several, and anybody may send it some: those of others prove nothing."""
    evidence = newest(weigh)
    heads = list(journal.links(evidence))
    _, experiment, _ = evidence.name.split("-")
    log_of_all = log.Log(weigh.folder / "others.jsonl")
    log_of_all.add(Anchor(experiment=experiment, attempt=2, line=3, head="0" * 32, first="1" * 32))
    run = weigh("verify", str(evidence), "--witness", "others.jsonl", "--json")
    assert run.code == 0
    none, foreign = (one["text"] for one in run.json["anchors"])
    assert "cannot be proven, and was not disproven" in none
    assert foreign.startswith("1 anchor there does not fit it")
    log_of_all.add(Anchor(experiment=experiment, attempt=2, line=3, head=heads[2], first=heads[0]))
    log_of_all.close()
    found = weigh("verify", str(evidence), "--witness", "others.jsonl", "--json").json["anchors"]
    assert found[0]["text"].startswith("anchored 1 time")


def enemies(evidence: Path) -> Iterator[Anchor]:
    """What somebody sends who wants an honest run to be blamed: before it, while it goes on, and long after it."""
    heads = list(journal.links(evidence))
    _, experiment, _ = evidence.name.split("-")
    with closing(RunKey()) as key:
        for line in (1, 3, len(heads), len(heads) + 50):
            one = Anchor(experiment=experiment, attempt=2, line=line, head="0" * 32)
            yield one
            yield msgspec.structs.replace(one, first=heads[0])
            yield key.signed(msgspec.structs.replace(one, first=heads[0]))
            yield msgspec.structs.replace(one, first=heads[0], signature="A" * 200)


def test_a_witness_that_somebody_reached_first_accuses_nobody(weigh: Weigh) -> None:
    evidence = newest(weigh)
    right = log.read(weigh.folder / "witness.jsonl")
    (weigh.folder / "witness.jsonl").unlink()
    reached = log.Log(weigh.folder / "witness.jsonl")
    for false in enemies(evidence):
        reached.add(false)
    for one in right:
        reached.add(one)
    reached.close()
    run = weigh("verify", str(evidence), "--witness", "witness.jsonl", "--json")
    assert run.code == 0, run.out
    fits, foreign = (one["text"] for one in run.json["anchors"])
    assert fits.startswith("anchored 3 times")
    assert foreign.startswith("16 anchors there do not fit it")
    forge(evidence, faster)
    forged = weigh("verify", str(evidence), "--witness", "witness.jsonl", "--json")
    assert forged.code == 1
    assert "R9.anchor" in {one.get("code") for one in forged.json["anchors"]}


def test_evidence_that_nobody_anchored_is_called_unprovable_by_a_witness_too(weigh: Weigh) -> None:
    log.Log(weigh.folder / "empty.jsonl").close()
    run = weigh("verify", str(newest(weigh)), "--witness", "empty.jsonl", "--json")
    assert run.code == 0
    assert "cannot be proven" in run.json["anchors"][0]["text"]


@pytest.mark.parametrize("port", ["abc", "-1", "0", "99999"])
def test_a_port_that_is_none_is_refused_before_anything_is_measured(weigh: Weigh, port: str) -> None:
    address = f"http://127.0.0.1:{port}"
    run = weigh("run", "--workload", "netflow", "--contender", "duckdb", "--anchor", address, "--out", "none")
    assert run.code == 2
    assert "the port of a witness is a number from 1 to 65535" in run.err
    assert not (weigh.folder / "none").exists()
