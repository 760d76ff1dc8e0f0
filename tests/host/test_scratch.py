"""What a killed weigh left behind is removed, and nothing that may be in use."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from weigh.host import processes, scratch

MAKE = "import sys; from weigh.host import scratch; print(scratch.folder('test'), flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


def test_a_folder_is_swept_when_its_maker_was_killed_and_not_before() -> None:
    with subprocess.Popen([sys.executable, "-c", MAKE], stdin=-1, stdout=-1, text=True) as maker:
        assert maker.stdout
        made = Path(maker.stdout.readline().strip())
        (made / "file").touch()
        scratch.sweep()
        assert made.is_dir(), "it is alive"
        maker.send_signal(signal.SIGSTOP)
        scratch.sweep()
        assert made.is_dir(), "it is alive, and stands still"
        maker.kill()
    scratch.sweep()
    assert not made.exists()


def test_a_later_process_of_the_same_number_is_not_the_maker(tmp_path: Path) -> None:
    mine = scratch.folder("test")
    parts = mine.name.split("-")
    assert parts[2] == str(os.getpid())
    parts[3] = str((processes.started(os.getpid()) or 0) - 1)
    earlier = tmp_path / "-".join(parts)
    earlier.mkdir()
    scratch.sweep()
    assert mine.is_dir()
    assert not earlier.exists()


def test_a_process_of_another_container_cannot_be_known_to_be_dead(tmp_path: Path) -> None:
    """Its number is nobody's here; weigh in a container may share the temporary folder of its host."""
    mine = scratch.folder("test")
    parts = mine.name.split("-")
    parts[2], parts[4] = "4194304", str(int(parts[4]) + 1)
    elsewhere = tmp_path / "-".join(parts)
    elsewhere.mkdir()
    parts[4] = mine.name.split("-")[4]
    dead = tmp_path / "-".join(parts)
    dead.mkdir()
    scratch.sweep()
    assert elsewhere.is_dir()
    assert not dead.exists()


def test_what_is_called_otherwise_is_left_alone(tmp_path: Path) -> None:
    names = ("weigh-x", "weigh-4194304", "weigh-own-4194304-1-x", "other-own-4194304-1-2-x", "weigh-own-a-1-2-x")
    for name in names:
        (tmp_path / name).mkdir()
    scratch.sweep()
    assert all((tmp_path / name).is_dir() for name in names)


def test_who_works_in_a_folder_longer_than_its_maker_lives_is_not_disturbed(tmp_path: Path) -> None:
    """A server of a killed weigh, for one, that is about to end in order."""
    mine = scratch.folder("test")
    parts = mine.name.split("-")
    parts[3] = str((processes.started(os.getpid()) or 0) - 1)
    earlier = tmp_path / "-".join(parts)
    earlier.mkdir()
    (earlier / "file").touch()
    works = os.open(earlier, os.O_RDONLY)
    fcntl.flock(works, fcntl.LOCK_SH)
    scratch.sweep()
    assert (earlier / "file").exists()
    assert not scratch.remove(earlier, 0.1)
    os.close(works)
    scratch.sweep()
    assert not earlier.exists()
    assert scratch.remove(earlier)


def test_a_message_has_names_of_the_data_and_no_folder_of_the_moment() -> None:
    place = scratch.folder("link") / "layout-0" / "data" / "part" / "t.parquet"
    text = f"failed to read: this error occurred here: {place}: Permission denied (parquet: '{place}')"
    said = "failed to read: this error occurred here: part/t.parquet: Permission denied (parquet: 'part/t.parquet')"
    assert scratch.without_folders(text) == said
    assert scratch.without_folders(f"no space left in {place.parents[3]}") == "no space left in its folder"
    assert scratch.without_folders("/data/weigh-2-3/t.parquet") == "/data/weigh-2-3/t.parquet"
