"""One bad file among several that are added: the good ones are, and the bad one is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.command import Weigh

FOLDER = Path(__file__).with_name("bad-file-blocks-batch")


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    for path in FOLDER.iterdir():
        shutil.copy(path, tmp_path)
    return Weigh(tmp_path)


def test_three_are_added_and_one_is_named(weigh: Weigh) -> None:
    names = [f"r{number:02}.json" for number in range(4)]
    added = weigh("history", "add", *names, "--to", "h")
    assert added.code == 1
    assert added.out == "".join(f"{name}: 2 points\n" for name in names if name != "r02.json")
    assert "not added: r02.json: it is neither evidence nor a file of Otava or ClickBench" in added.err
    shown = weigh("history", "show", "--from", "h", "--json")
    assert (shown.code, shown.json["entries"]) == (0, 3)


def test_the_document_has_what_was_refused(weigh: Weigh) -> None:
    added = weigh("history", "add", "r00.json", "r02.json", "nowhere.json", "--to", "h", "--json")
    assert added.code == 1
    assert [one["evidence"] for one in added.json["added"]] == ["r00.json"]
    assert [one["path"] for one in added.json["refused"]] == ["r02.json", "nowhere.json"]


def test_where_none_is_added_that_is_said(weigh: Weigh) -> None:
    added = weigh("history", "add", "r02.json", "nowhere.json", "--to", "h")
    assert (added.code, added.out) == (2, "")
    assert "none of 2 was added" in added.err
    assert "there is no history" in weigh("history", "show", "--from", "h").err
