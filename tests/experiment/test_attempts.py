"""Attempts side by side: one that was killed before its first write says nothing and spoils nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.evidence import attempts, journal, sealing
from weigh.evidence.journal import Journal
from weigh.experiment import record as records
from weigh.model.contender import Contender
from weigh.model.errors import EvidenceFault
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC = Spec(workload="netflow", contenders=(Contender(name="a", engine="duckdb"),), baseline="a")
END = msgspec.json.encode(journal.Event("end", {"how": "stopped", "reason": "no space"})) + b"\n"
OPENED = msgspec.json.encode(journal.Event("opened", msgspec.to_builtins(records.Opened(attempt=2, spec=SPEC)))) + b"\n"


def begun(root: Path) -> Path:
    folder, number = attempts.begin(root, SPEC.id)
    opened = Journal(folder)
    opened.append("opened", records.Opened(attempt=number, spec=SPEC))
    opened.close()
    return folder


def empty(root: Path, content: bytes | None) -> Path:
    folder, _ = attempts.begin(root, SPEC.id)
    if content is not None:
        (folder / journal.NAME).write_bytes(content)
    return folder


NOTHING = [
    pytest.param(None, id="no journal"),
    pytest.param(b"", id="empty"),
    pytest.param(OPENED[:-1], id="torn first line"),
    pytest.param(END, id="no room for more than its end"),
]


@pytest.mark.promise("An attempt that was killed before it wrote its first line is ignored.")
@pytest.mark.parametrize("content", NOTHING)
def test_an_attempt_that_recorded_nothing_is_left_out(tmp_path: Path, content: bytes | None) -> None:
    first, nothing, third = begun(tmp_path), empty(tmp_path, content), begun(tmp_path)
    assert attempts.attempts(tmp_path, SPEC.id) == [first, third]
    assert [record.attempt for record in records.history(third)] == [1, 3]
    assert [record.attempt for record in records.history(first)] == [1]
    with pytest.raises(EvidenceFault, match=r"nothing is recorded in it|no journal") as raised:
        records.history(nothing)
    assert raised.value.where.startswith(str(nothing))


@pytest.mark.parametrize("content", NOTHING)
def test_it_keeps_its_number(tmp_path: Path, content: bytes | None) -> None:
    """Also on the day after: two attempts of one number could not be distinguished."""
    begun(tmp_path)
    nothing = empty(tmp_path, content)
    nothing.rename(nothing.with_name(f"20000101-{SPEC.id}-2"))
    _, number = attempts.begin(tmp_path, SPEC.id)
    assert number == 3


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(msgspec.json.encode(journal.Event("turn", {"samples": []})) + b"\n" + END, id="head cut off"),
        pytest.param(b"{nonsense\n", id="damaged"),
    ],
)
def test_an_edited_attempt_is_not_left_out(tmp_path: Path, content: bytes) -> None:
    begun(tmp_path)
    empty(tmp_path, content)
    third = begun(tmp_path)
    with pytest.raises(EvidenceFault):
        records.history(third)


def test_emptying_a_sealed_journal_does_not_hide_it(tmp_path: Path) -> None:
    first, second = begun(tmp_path), begun(tmp_path)
    sealing.seal(first, "1")
    (first / journal.NAME).write_bytes(b"")
    with pytest.raises(EvidenceFault, match="emptied since"):
        records.history(second)
