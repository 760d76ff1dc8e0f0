"""Data that nobody came back for is swept by its age, which a wall clock that is set does not change."""

from __future__ import annotations

import os
import time
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from weigh.engines import postgres
from weigh_worker import Failed

DAY = 86_400.0


@pytest.fixture
def os_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    path = Path(postgres.__file__).parent / "adapter" / "os_user.py"
    spec = util.spec_from_file_location("os_user_alone", path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "_shared", lambda: tmp_path)
    monkeypatch.setattr(module, "_reachable", lambda _: False)
    return module


def made(os_user: Any, tmp_path: Path) -> Path:
    copy = tmp_path / f"copy-{len(list(tmp_path.iterdir()))}"
    copy.mkdir()
    folder: Path = os_user.place(copy, os_user.OsUser(1, 1))
    return folder


def test_a_clock_that_is_set_forward_sweeps_nothing(
    os_user: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = made(os_user, tmp_path)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3 * DAY)
    made(os_user, tmp_path)
    assert loading.is_dir()


def test_what_a_killed_loader_left_is_swept_a_day_later(
    os_user: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, before_a_restart = made(os_user, tmp_path), made(os_user, tmp_path)
    (before_a_restart / "made").write_text("another-start 5.0")
    os.utime(before_a_restart, (time.time() - 2 * DAY,) * 2)
    boot, now = os_user._now()
    monkeypatch.setattr(os_user, "_now", lambda: (boot, now + 1.1 * DAY))
    os_user._sweep(tmp_path)
    assert not left.exists()
    assert not before_a_restart.exists()


def test_data_that_is_gone_is_said_in_a_sentence(os_user: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text(str(tmp_path / "data-gone"))
    with pytest.raises(RuntimeError, match=r"data-gone is gone; remove .*, and the tables are loaded again") as gone:
        os_user.placed(tmp_path)
    # Whose name no error has before its text.
    assert type(gone.value).__name__ == Failed.__name__
