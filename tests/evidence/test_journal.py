"""The journal: what was written stays, whatever ends weigh."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from weigh.evidence import journal
from weigh.evidence.journal import DiskFull, Journal
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path


def written(folder: Path, *events: str) -> Path:
    opened = Journal(folder)
    for event in events:
        opened.append(event, {"said": "naïve\n\x1b[31m", "number": 1})
    opened.close()
    return folder / journal.NAME


def test_events_come_back_in_order(tmp_path: Path) -> None:
    written(tmp_path, "opened", "turn", "end")
    found = journal.read(tmp_path)
    assert [event.event for event in found] == ["opened", "turn", "end"]
    assert found[0].body["said"] == "naïve\n\x1b[31m"


@pytest.mark.promise("Each line is written at once.")
def test_every_event_is_on_disk_at_once(tmp_path: Path) -> None:
    opened = Journal(tmp_path)
    opened.append("opened", {})
    assert [event.event for event in journal.read(tmp_path)] == ["opened"]
    opened.close()


@pytest.mark.promise("a torn last line is ignored")
@pytest.mark.parametrize("kept", range(1, 20))
def test_a_torn_last_line_is_no_event(tmp_path: Path, kept: int) -> None:
    path = written(tmp_path, "opened", "turn")
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    path.write_bytes(whole[: first + kept])
    assert [event.event for event in journal.read(tmp_path)] == ["opened"]


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "opened", "turn", "end")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1][:-5], *lines[2:]]))
    with pytest.raises(EvidenceFault, match="line 2 is damaged"):
        journal.read(tmp_path)


def test_no_journal(tmp_path: Path) -> None:
    with pytest.raises(EvidenceFault, match="no journal"):
        journal.read(tmp_path)


def test_how_it_begins_and_ends_is_read_without_the_rest(tmp_path: Path) -> None:
    assert (journal.first(tmp_path), journal.last(tmp_path)) == (None, None)
    path = written(tmp_path, "opened", *["turn"] * 5_000, "end")
    assert path.stat().st_size > 2 * journal._TAIL
    begin, end = journal.first(tmp_path), journal.last(tmp_path)
    assert begin is not None
    assert end is not None
    assert (begin.event, end.event) == ("opened", "end")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert journal.last(tmp_path) is None
    path.write_bytes(b"{}\n" + whole)
    assert journal.first(tmp_path) is None
    path.write_bytes(b"")
    assert (journal.first(tmp_path), journal.last(tmp_path)) == (None, None)


def test_a_full_disk_leaves_whole_lines_and_room_for_the_seal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Journal(tmp_path)
    opened.append("opened", {})
    real = opened._file

    class Full:
        """Takes half of a line, as a full disk does."""

        def write(self, line: bytes) -> int:
            real.write(line[: len(line) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

    monkeypatch.setattr(opened, "_file", Full())
    with pytest.raises(DiskFull, match="No space left") as caught:
        opened.append("turn", {})
    assert "--out" in caught.value.remedy
    assert [event.event for event in journal.read(tmp_path)] == ["opened"]
    assert (tmp_path / journal.NAME).read_bytes().endswith(b"\n")
    assert not (tmp_path / ".ballast").exists()
