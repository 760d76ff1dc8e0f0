"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.evidence import whole
from weigh.evidence.whole import _sweep

if TYPE_CHECKING:
    from support.command import Run, Weigh

KILLED = textwrap.dedent("""
    import os, sys, signal
    from pathlib import Path
    from weigh.evidence import whole
    with whole.aside(Path(sys.argv[1])) as place:
        place.write_bytes(b"half")
        os.kill(os.getpid(), signal.SIGKILL)
""")


def test_what_is_written_is_there_with_the_mode_of_a_new_file_or_of_the_old_one(tmp_path: Path) -> None:
    path, before = tmp_path / "file", os.umask(0o027)
    try:
        whole.write(path, b"one")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    whole.write(path, b"two")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"two", 0o604)
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="No space left") as error, whole.aside(path) as place:
        place.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "Error writing. Detail: [errno 28] No space left on device")
    assert error.value.filename == str(path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"file": b"old"}


def test_what_a_killed_writer_left_goes_with_the_next_one_and_what_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1
    assert not path.exists()
    _sweep.cache_clear()
    with whole.aside(tmp_path / "other") as place:
        _sweep.cache_clear()
        whole.write(path, b"new")
        assert place.exists()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "other"]


def test_a_link_is_followed_unless_it_may_be_somebody_else_s(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    whole.write(link, b"new")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"new")
    whole.write(link, b"mine", follow=False)
    assert (link.is_symlink(), link.read_bytes(), target.read_bytes()) == (False, b"mine", b"new")


def test_what_is_no_file_is_written_as_it_is() -> None:
    whole.write(Path("/dev/null"), b"x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_what_is_there_is_not_replaced_by_what_is_added(tmp_path: Path) -> None:
    assert whole.add(tmp_path / "key", b"one", mode=0o600)
    assert not whole.add(tmp_path / "key", b"two")
    assert (tmp_path / "key").read_bytes() == b"one"
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert len(list(tmp_path.iterdir())) == 1


def test_a_name_as_long_as_a_name_may_be(tmp_path: Path) -> None:
    whole.write(tmp_path / ("é" * 127), b"x")
    with pytest.raises(OSError, match="File name too long"):
        whole.write(tmp_path / ("é" * 128), b"x")


def _limited() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


WRITERS = {
    "page": ("report", "{}", "--html", "out"),
    "junit": ("export", "{}", "--format", "junit", "--out", "out"),
    "parquet": ("export", "{}", "--format", "parquet", "--out", "out"),
    "csv": ("export", "{}", "--format", "csv", "--out", "out"),
}


FULL = "full/out", "File too large"


@pytest.mark.parametrize(
    ("name", "where", "said"),
    [
        *((name, *FULL) for name in WRITERS),
        ("page", "missing/out", "No such file or directory"),
        ("junit", "file/out", "Not a directory"),
    ],
)
def test_an_output_that_cannot_be_written_names_itself(
    weigh: Weigh, small: Run, name: str, where: str, said: str
) -> None:
    (weigh.folder / "full").mkdir()
    (weigh.folder / "full" / "out").write_bytes(b"old")
    (weigh.folder / "file").write_bytes(b"")
    words = [where if word == "out" else word.format(small.evidence) for word in WRITERS[name]]
    command = [sys.executable, "-m", "weigh", *words]
    limited = _limited if where == "full/out" else None
    done = subprocess.run(
        command, cwd=weigh.folder, capture_output=True, text=True, check=False, preexec_fn=limited,
        # Python writes half a file of bytecode there, and takes it for a whole one.
        env={**weigh.environment, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {where}: {said}\n  "), done.stderr
    assert {one.name: one.read_bytes() for one in (weigh.folder / "full").iterdir()} == {"out": b"old"}
