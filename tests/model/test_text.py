"""Why a file was not read, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.experiment.config.file import read_file
from weigh.model.errors import UsageError
from weigh.model.text import sentences, unreadable, whole_sentences

if TYPE_CHECKING:
    from pathlib import Path


def test_the_reason_has_neither_number_nor_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        (tmp_path / "q.sql").read_text()
    assert unreadable(missing.value) == "it cannot be read: No such file or directory"


def test_bytes_that_are_no_text_are_placed(tmp_path: Path) -> None:
    path = tmp_path / "weigh.toml"
    path.write_bytes(b"a = \xff")
    with pytest.raises(UsageError, match="it cannot be read: byte 5 is no UTF-8 text"):
        read_file(path)


def test_lines_become_sentences() -> None:
    said = 'to "::1" failed: Connection refused\n\tIs it running?\nAll failures were:\n- host: a\n\n- host: b'
    assert sentences(said) == (
        'to "::1" failed: Connection refused. Is it running? All failures were: host: a. host: b'
    )
    assert sentences("one line.") == "one line."
    assert sentences("\n") == ""


@pytest.mark.parametrize(
    ("room", "kept"), [(100, "It is 1.5 ms. Wait. Ask again"), (20, "It is 1.5 ms. Wait"), (3, "It is 1.5 ms")]
)
def test_a_text_is_cut_between_sentences(room: int, kept: str) -> None:
    assert whole_sentences("It is 1.5 ms. Wait. Ask again", room) == kept
