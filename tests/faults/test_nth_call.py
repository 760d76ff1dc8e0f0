"""The n-th write, fsync, rename, open and allocation fails in turn: over a run, a load, a history and a page."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from faults.frame import KINDS, Ended, Fault, Place, contents, numbers
from weigh.evidence.seal import SEAL

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = int(os.environ.get("WEIGH_FAULTS", "3"))
"""How many calls of a kind fail in `make test`; 0 is all."""
RUN = (
    "run", "--contender", "plain", "--contender", "two=plain?cache_size=1000", "--starts", "1", "--rounds", "1",
    "--runs", "1", "--quiet",
)  # fmt: skip
LOAD = (
    "load", "ycsb-a", "--target", "sqlite:embedded", "--rate", "50", "--duration", "300ms", "--records", "50",
    "--connections", "1", "--quiet",
)  # fmt: skip
ENDED = (0, 3)


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Data, queries and a cache in which everything was made, with evidence of a run and of a load, and a history."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = Place(tmp_path_factory.mktemp("faults") / "ready")
    pq.write_table(pa.table({"n": list(range(500)), "s": ["a", "b"] * 250}), place.folder / "t.parquet")
    (place.folder / "q").mkdir()
    (place.folder / "q" / "one.sql").write_text("SELECT s, count(*) AS c FROM t GROUP BY s ORDER BY s\n")
    assert place("init", "--data", "t.parquet", "--sql", "q", "--contender", "plain").code == 0
    assert place(*RUN).code in ENDED
    assert place(*LOAD).code in ENDED
    for evidence in (place.folder / "runs").iterdir():
        place("history", "add", str(evidence), "--to", "history")
    return place


def _tries(place: Place, words: tuple[str, ...], kind: str, share: int) -> Iterator[tuple[Fault, Ended, Place]]:
    """A command again and again, in a copy of a place, with one call after another that fails."""
    known = place.copied(place.folder.with_name("counted"))
    calls = known(*words, fault=Fault(kind, 0)).calls
    shutil.rmtree(known.folder)
    for number in numbers(calls, share):
        for lasting in (False, True):
            at = place.copied(place.folder.with_name(f"{kind}-{number}-{lasting}"))
            fault = Fault(kind, number, lasting)
            yield fault, at(*words, fault=fault), at
            shutil.rmtree(at.folder)
            shutil.rmtree(at.scratch)


def _earlier(place: Place, at: Place) -> None:
    before, after = contents(place.folder), contents(at.folder)
    assert {name: after.get(name) for name in before} == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", [RUN, LOAD], ids=["run", "load"])
def test_evidence_is_whole_or_plainly_interrupted(ready: Place, words: tuple[str, ...], kind: str) -> None:
    there = {path.name for path in (ready.folder / "runs").iterdir()}
    for fault, ended, at in _tries(ready, words, kind, SHARE):
        _earlier(ready, at)
        made = [path for path in (at.folder / "runs").iterdir() if path.name not in there]
        assert made or ended.code not in ENDED, fault
        for folder in made:
            if (folder / SEAL).exists():
                verified = at("verify", str(folder))
                assert verified.code == 0, (fault, ended, verified)
            else:
                assert ended.code not in ENDED, (fault, ended)
                assert at("report", str(folder)).code in (0, 2, 3), fault
        if words is RUN:
            again = at(*words, "--resume")
            assert again.code in ENDED, (fault, ended, again)
            assert at("verify", "latest").code == 0, fault


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_has_the_entry_or_has_it_not(ready: Place, kind: str) -> None:
    place = ready.copied(ready.folder.with_name("emptied"))
    before = json.loads(place("history", "show", "--from", "history", "--json").out)
    shutil.rmtree(place.folder / "history")
    evidence = sorted(str(path) for path in (place.folder / "runs").iterdir())
    for fault, ended, at in _tries(place, ("history", "add", *evidence, "--to", "history"), kind, SHARE):
        if not (at.folder / "history").exists():
            assert ended.code != 0, fault
        again = at("history", "add", *evidence, "--to", "history")
        assert again.code == 0, (fault, ended, again)
        assert json.loads(at("history", "show", "--from", "history", "--json").out) == before, fault


WRITERS = {
    "page": ("report", "latest", "--html", "out"),
    "export": ("export", "latest", "--format", "junit", "--out", "out"),
    "table": ("export", "latest", "--format", "parquet", "--out", "out"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_is_the_old_one_or_the_new_one(ready: Place, writer: str, kind: str) -> None:
    place = ready.copied(ready.folder.with_name("pages"))
    load = next(path for path in (place.folder / "runs").iterdir() if (path / "load.json").exists())
    shutil.rmtree(load)
    place(*WRITERS[writer])
    new = (place.folder / "out").read_bytes()
    (place.folder / "out").write_bytes(b"old")
    for fault, ended, at in _tries(place, WRITERS[writer], kind, SHARE):
        found = (at.folder / "out").read_bytes()
        assert found == (new if ended.code in ENDED else b"old"), (fault, ended)
        if ended.code == 2 and kind != "allocate":
            assert "out" in ended.err, (fault, ended)
