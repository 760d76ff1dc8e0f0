"""A gate of unchanged inputs is reused, some of it asked again, and nothing that changed goes by."""

from __future__ import annotations

import hashlib
import os
import random
import zipfile
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.command import RAN, Weigh
from weigh.engines.environment import Environment, state
from weigh.experiment import gate_reuse

if TYPE_CHECKING:
    from pathlib import Path

WHAT = ("--scale", "1K", "--operations", "by_action,by_proto,distinct,eq_proto")
RUN = ("run", "--contender", "a=duckdb", "--contender", "b=duckdb?threads=1", *WHAT, "--starts", "1", "--rounds", "1")
GATE = ("gate", *RUN[1:5], *WHAT)


@pytest.fixture
def store(weigh: Weigh, tmp_path: Path) -> Path:
    """Where gates are stored, for this test alone: everything else of the cache is that of all."""
    from weigh.engines.prepared import cache_folder

    shared, own = cache_folder(), tmp_path / "cache"
    own.mkdir(mode=0o700)
    for room in shared.iterdir():
        if room.name != gate_reuse.ROOM:
            (own / room.name).symlink_to(room)
    weigh.environment |= {"WEIGH_CACHE": str(own), "WEIGH_REUSE_GATE": "yes"}
    return own / gate_reuse.ROOM


def test_reused_and_asked_again(weigh: Weigh, store: Path) -> None:
    asked = weigh(*GATE, "--json")
    assert asked.code == 0, asked.err
    assert len(list(store.iterdir())) == 1

    reused = weigh(*RUN, "--json")
    assert reused.code in RAN, reused.err
    assert "X.reused" in reused.codes
    folder = next(path for path in (weigh.folder / "runs").iterdir() if path.name not in str(asked.json["evidence"]))
    assert weigh("verify", str(folder)).code == 0
    assert "--no-reuse-gate asks everything" in weigh("report", str(folder), "--notes").out

    # Everything of the answers is as if it had been asked.
    whole = weigh(*RUN, "--no-reuse-gate", "--out", "whole", "--json")
    assert "X.reused" not in whole.codes
    assert reused.json["answered"] == whole.json["answered"]

    # Another setting is another engine.
    other = weigh(
        "gate", "--contender", "a=duckdb?preserve_insertion_order=false", *GATE[3:], "--out", "other", "--json"
    )
    assert other.code in RAN, other.err
    assert "X.reused" not in other.codes


def test_another_answer_than_stored(weigh: Weigh, store: Path) -> None:
    assert weigh(*GATE).code == 0
    (path,) = store.iterdir()
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    stored = msgspec.json.decode(content["gate.json"], type=gate_reuse.Stored)
    checks = tuple(msgspec.structs.replace(check, digest="0" * 16) for check in stored.gate.checks)
    changed = msgspec.structs.replace(stored, gate=msgspec.structs.replace(stored.gate, checks=checks))
    record = msgspec.json.encode(changed)
    content |= {"gate.json": record, "gate.sha256": hashlib.sha256(record).hexdigest().encode()}
    with zipfile.ZipFile(path, "w") as file:
        for name, new in content.items():
            file.writestr(name, new)
    ran = weigh(*RUN, "--json")
    assert ran.code in RAN, ran.err
    assert "an answer is another than before" in ran.err
    assert "X.reused" not in ran.codes

    # A record that somebody edited is no record of what was asked.
    (path,) = store.iterdir()
    intact = path.read_bytes()
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("gate.json", msgspec.json.encode(msgspec.structs.replace(stored, seconds=())))
    assert gate_reuse.find(store.parent, path.stem) is None
    path.write_bytes(intact)

    # What is damaged is asked, however it is damaged.
    (path,) = store.iterdir()
    whole = path.read_bytes()
    found = gate_reuse.find(store.parent, path.stem)
    assert found is not None
    answers, chance = found.tables, random.Random(7)
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        found = gate_reuse.find(store.parent, path.stem)
        assert found is None or found.tables == answers, "a flipped bit of an answer was not noticed"
    # Its directory says that the last answer is longer than the file is.
    longer = bytearray(whole)
    at = whole.rindex(b"PK\x01\x02") + 20
    longer[at : at + 8] = (1 << 20).to_bytes(4, "little") * 2
    path.write_bytes(longer)
    assert gate_reuse.find(store.parent, path.stem) is None
    path.unlink()
    os.mkfifo(path)
    assert gate_reuse.find(store.parent, path.stem) is None


def test_who_is_wrong_is_asked_each_time(weigh: Weigh, store: Path) -> None:
    """An engine of a plug-in is never reused, and neither is a gate in which somebody was contradicted."""
    asked = weigh("gate", "--contender", "duckdb", "--contender", "bad=liar?lie=forty-two", *WHAT)
    assert asked.code == 1, asked.err
    assert not store.exists()


def test_a_library_that_was_edited_is_another_one(tmp_path: Path) -> None:
    """Also where it is as long as before, and where no package says that it has the file."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (site / "engine" / "__pycache__").mkdir(parents=True)
    (site / "engine" / "sql.py").write_text("answer = 42")
    one = Environment(python=tmp_path / "bin" / "python", key="", lock="")
    before = state(one)
    (site / "engine" / "__pycache__" / "sql.pyc").write_text("compiled again")
    assert state(one) == before
    (site / "engine" / "sql.py").write_text("answer = 41")
    edited = state(one)
    (site / "mine.pth").write_text("import engine")
    assert len({before, edited, state(one)}) == 3
