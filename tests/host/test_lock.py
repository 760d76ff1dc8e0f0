"""The measurement lock: nothing that somebody else put in its place is touched."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from weigh.host import lock
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEIGH_LOCK", str(tmp_path / "weigh.lock"))
    return tmp_path / "weigh.lock"


def refused() -> str:
    with pytest.raises(EnvironmentFault) as raised, lock.measuring("a test"):
        pass
    assert raised.value.remedy
    return f"{raised.value.where} {raised.value.what}"


def test_it_names_its_holder_and_is_empty_afterwards(path: Path) -> None:
    before = os.umask(0o077)
    try:
        with lock.measuring("a test"):
            said = json.loads(path.read_bytes())
            assert (said["pid"], said["what"]) == (os.getpid(), "a test")
            assert "a test" in refused()
    finally:
        os.umask(before)
    assert path.read_bytes() == b""
    assert stat.S_IMODE(path.stat().st_mode) == 0o666, "other users take the same lock"
    with lock.measuring("once more"):
        pass


@pytest.mark.parametrize("hard", [False, True])
def test_a_link_to_a_private_file_is_refused_and_the_file_stays_as_it_is(path: Path, hard: bool) -> None:
    secret = path.with_name("secret")
    secret.write_text("kept")
    secret.chmod(0o600)
    if hard:
        path.hardlink_to(secret)
    else:
        path.symlink_to(secret)
    assert "link" in refused()
    assert (secret.read_text(), stat.S_IMODE(secret.stat().st_mode)) == ("kept", 0o600)


def test_a_link_to_nowhere_makes_no_file(path: Path) -> None:
    path.symlink_to(path.with_name("made"))
    assert "link" in refused()
    assert not path.with_name("made").exists()


def test_a_file_of_somebody_else_is_not_emptied(path: Path) -> None:
    path.write_text("an essay")
    path.chmod(0o644)
    assert "something else is written in it" in refused()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("an essay", 0o644)


def test_a_pipe_and_a_device_are_no_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(path)
    assert "no regular file" in refused()
    monkeypatch.setenv("WEIGH_LOCK", "/dev/null")
    assert "no regular file" in refused()


@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b"[]", b'{"pid": "x"}', b"[" * 100_000, b'{"pid": 1}'])
def test_a_holder_that_says_nothing_of_the_kind(weigh: Weigh, text: bytes) -> None:
    path = weigh.folder / "weigh.lock"
    path.write_bytes(text)
    with path.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        run = weigh("run", "--contender", "duckdb", "--scale", "1K", "--quiet")
    assert run.code == 2
    assert "a measurement is already going on this machine: another process" in run.err
