"""D5: one contender reads one large file, and another one many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import codes
from .test_D1 import differ, said

if TYPE_CHECKING:
    from support.command import Run


def test_many_files_under_another_contender_are_two_differences(laid_out: Run) -> None:
    found = said(laid_out, "crowd")
    assert set(found) == {"D5.files"}
    assert found["D5.files"]["severity"] == "warning"
    assert "files: 4 against 1" in found["D5.files"]["text"]
    assert "2 things differ at once (contender and files)" in found["D5.files"]["text"]
    assert "D5.files" in codes(laid_out)


def test_one_engine_on_one_file_and_on_many_is_what_was_asked(laid_out: Run) -> None:
    (found,) = said(laid_out, "many").values()
    assert (found["code"], found["severity"]) == ("D5.files", "note")
    assert differ(laid_out, "many") == {"files": ("4", "1")}
    row_groups = [one for one in laid_out.json["differences"] if one["what"] == "row groups"]
    assert ("many", "4 of up to 250 rows", "1 of up to 1,000 rows", True) in {
        (one["contender"], one["value"], one["baseline"], one["follows"]) for one in row_groups
    }
