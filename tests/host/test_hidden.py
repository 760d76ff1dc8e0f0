"""Hidden folders: who is started so finds them empty, whatever they are called."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually
from weigh.host import hidden, scratch

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hidden.possible(), reason="only root may hide a folder")
AWKWARD = ("plain", "two words", "a\tb", "a\nb", "back\\slash", "#hash", "100%s", "it's", "ümlaut\u00a0b")


def test_every_folder_is_empty_for_it_and_for_nobody_else(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in AWKWARD]
    for folder in folders:
        folder.mkdir()
        (folder / "truth").touch()
    command = hidden.hiding(folders, ["find", *map(str, folders), "-name", "truth"], tmp_path / "table")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not done.stdout
    assert all((folder / "truth").exists() for folder in folders)


def test_nothing_is_started_where_one_cannot_be_hidden(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    command = hidden.hiding([tmp_path / "there", tmp_path / "gone"], ["echo", "started"], tmp_path / "table")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode
    assert not done.stdout
    assert str(tmp_path / "gone") in done.stderr


def test_without_folders_the_command_is_itself(tmp_path: Path) -> None:
    assert hidden.hiding([], ["true"], tmp_path / "table") == ["true"]


def test_what_is_tried_leaves_nothing_when_it_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, temporary = tmp_path / "unshare", tmp_path / "temporary"
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    temporary.mkdir()
    own = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", "from weigh.host import hidden; hidden.possible()"]
    with subprocess.Popen(command, env=own, start_new_session=True) as trying:
        eventually(lambda: list(temporary.iterdir()))
        os.killpg(trying.pid, signal.SIGKILL)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    scratch.sweep()
    assert not list(temporary.iterdir())
