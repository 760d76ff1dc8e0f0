"""The n-th write, fsync, rename, open and allocation fails in turn: over a run, a load, a history and a page."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from faults.frame import KINDS, Ended, Fault, Place, contents, numbers
from weigh.evidence.seal import SEAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Choice = Callable[[str, dict[str, int]], list[Fault]]

SHARE = int(os.environ.get("WEIGH_FAULTS", "12"))
"""How many calls of a kind fail in `make test-long`; 0 is all, which takes hours."""
RUN = (
    "run", "--contender", "plain", "--contender", "two=plain?cache_size=1000", "--starts", "1", "--rounds", "1",
    "--runs", "1", "--quiet",
)  # fmt: skip
LOAD = (
    "load", "ycsb-a", "--target", "sqlite:embedded", "--rate", "50", "--duration", "300ms", "--records", "50",
    "--connections", "1", "--quiet",
)  # fmt: skip
ENDED = (0, 3)
"""Exit codes of what measured."""


class Ready(NamedTuple):
    """Where everything is made already.

    Attributes:
        place: data, queries, and evidence of a run and of a load.
        calls: of each command by its first word, how many calls of each kind it makes.
    """

    place: Place
    calls: dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Ready:
    """Data, queries, and evidence of a run and of a load; all environments are in the cache."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place, none = Place(tmp_path_factory.mktemp("faults") / "ready"), Fault("write", 0)
    pq.write_table(pa.table({"n": list(range(500)), "s": ["a", "b"] * 250}), place.folder / "t.parquet")
    (place.folder / "q").mkdir()
    (place.folder / "q" / "one.sql").write_text("SELECT s, count(*) AS c FROM t GROUP BY s ORDER BY s\n")
    assert place("init", "--data", "t.parquet", "--sql", "q", "--contender", "plain").code == 0
    calls = {}
    for words in (RUN, LOAD):
        ended = place(*words, fault=none)
        assert ended.code in ENDED, ended
        calls[words[0]] = ended.calls
    return Ready(place, calls)


def _tries(place: Place, words: tuple[str, ...], faults: Iterable[Fault]) -> Iterator[tuple[Fault, Ended, Place]]:
    """A command again and again, in a copy of a place, with one call after another that fails."""
    for fault in faults:
        at = place.copied(place.folder.with_name(f"{words[0]}-{fault.kind}-{fault.number}-{fault.lasting}"))
        yield fault, at(*words, fault=fault), at
        shutil.rmtree(at.folder)
        shutil.rmtree(at.scratch)


def _all(kind: str, calls: dict[str, int]) -> list[Fault]:
    return [Fault(kind, number, lasting) for number in numbers(calls[kind], SHARE) for lasting in (False, True)]


def _middle(kind: str, calls: dict[str, int]) -> list[Fault]:
    return [Fault(kind, -(-calls[kind] * 3 // 4), lasting=kind != "allocate")]


def _evidence(ready: Ready, words: tuple[str, ...], faults: list[Fault]) -> None:
    before = contents(ready.place.folder)
    there = {path.name for path in (ready.place.folder / "runs").iterdir()}
    for fault, ended, at in _tries(ready.place, words, faults):
        after = contents(at.folder)
        assert {name: after.get(name) for name in before} == before, fault
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
            assert again.code in ENDED, f"{fault}, {ended.code}:\n{again.out}{again.err}"
            assert at("verify", "latest").code == 0, fault


@pytest.mark.parametrize(("words", "kind"), [(RUN, "write"), (LOAD, "open"), (LOAD, "allocate")])
def test_evidence_is_whole_or_plainly_interrupted(ready: Ready, words: tuple[str, ...], kind: str) -> None:
    _evidence(ready, words, _middle(kind, ready.calls[words[0]]))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", [RUN, LOAD], ids=["run", "load"])
def test_evidence_is_so_whichever_call_fails(ready: Ready, words: tuple[str, ...], kind: str) -> None:
    _evidence(ready, words, _all(kind, ready.calls[words[0]]))


def _history(ready: Ready, kind: str, choose: Choice) -> None:
    place = ready.place.copied(ready.place.folder.with_name(f"history-{kind}"))
    (run,) = (str(path) for path in (place.folder / "runs").iterdir() if (path / "verdicts.json").exists())
    words = ("history", "add", run, "--to", "history")
    calls = place(*words, fault=Fault(kind, 0)).calls
    before = json.loads(place("history", "show", "--from", "history", "--json").out)
    shutil.rmtree(place.folder / "history")
    for fault, ended, at in _tries(place, words, choose(kind, calls)):
        again = at(*words)
        assert again.code == 0, (fault, ended, again)
        assert json.loads(at("history", "show", "--from", "history", "--json").out) == before, fault


def test_a_history_has_the_entry_or_has_it_not(ready: Ready) -> None:
    _history(ready, "rename", _middle)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_history_is_so_whichever_call_fails(ready: Ready, kind: str) -> None:
    _history(ready, kind, _all)


WRITERS = {
    "page": ("report", "latest", "--html", "out"),
    "junit": ("export", "latest", "--format", "junit", "--out", "out"),
    "parquet": ("export", "latest", "--format", "parquet", "--out", "out"),
}


def _file(ready: Ready, writer: str, kind: str, choose: Choice) -> None:
    place = ready.place.copied(ready.place.folder.with_name(f"{writer}-{kind}"))
    (load,) = (path for path in (place.folder / "runs").iterdir() if (path / "load.json").exists())
    shutil.rmtree(load)
    calls = place(*WRITERS[writer], fault=Fault(kind, 0)).calls
    new = (place.folder / "out").read_bytes()
    (place.folder / "out").write_bytes(b"old")
    for fault, ended, at in _tries(place, WRITERS[writer], choose(kind, calls)):
        found = (at.folder / "out").read_bytes()
        assert found == (new if ended.code in ENDED else b"old"), (fault, ended)
        # Where no file at all can be written, temporary ones are the first.
        named = "out: " in ended.err or "set TMPDIR" in ended.err
        assert ended.code != 2 or kind == "allocate" or named, (fault, ended)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sync", "rename"])
def test_a_file_is_the_old_one_or_the_new_one(ready: Ready, kind: str) -> None:
    _file(ready, "page", kind, _middle)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_is_so_whichever_call_fails(ready: Ready, writer: str, kind: str) -> None:
    _file(ready, writer, kind, _all)
