"""The list of promises is made from the marks of the tests, and a sentence that no page has is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reference import promises

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A documentation of one page, and a test that marks one of its sentences."""
    (tmp_path / "tests").mkdir()
    path = tmp_path / "page.md"
    path.write_text("# Title\n\n## A part: `weigh`\n\nOnce [this](that.md)\nis kept. Nothing else is.\n")
    (tmp_path / "tests" / "test_it.py").write_text(
        '@pytest.mark.long\n@pytest.mark.promise("Once [this](that.md) is kept.")\ndef test_it() -> None: ...\n'
    )
    monkeypatch.setattr(promises, "ROOT", tmp_path)
    monkeypatch.setattr(promises, "PAGES", (path,))
    monkeypatch.setattr(promises, "TESTS", tmp_path / "tests")
    return path


def test_a_promise_stands_with_its_test(page: Path) -> None:
    found = promises.blocks()["promises"]
    assert f"## {page.name}" in found
    assert "| Once this is kept. ([there](../../page.md#a-part-weigh)) | `test_it.py::test_it` |" in found


def test_a_sentence_that_no_page_has_is_an_error(page: Path) -> None:
    page.write_text(page.read_text().replace("kept", "held"))
    with pytest.raises(ValueError, match="no page has this sentence"):
        promises.blocks()
