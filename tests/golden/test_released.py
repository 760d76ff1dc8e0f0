"""Evidence of every release: what a later version verifies and reports."""

from __future__ import annotations

import json
import re
import tarfile
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from golden.freeze import NAMES, RELEASED
from weigh._version import __version__
from weigh.cli.evidence.verify import verify
from weigh.evidence import verification
from weigh.evidence.sealing import seal
from weigh.kinds.table import kind_of

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVES = sorted(RELEASED.glob("*.tar.xz"))
LATER = "999.0.0"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a later version verifies: before its release, this one has the number of the evidence that it freezes."""
    monkeypatch.setattr(verification, "__version__", LATER)


def unpacked(archive: Path, folder: Path) -> list[Path]:
    """The evidence of a release."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    return sorted(path for path in (folder / "runs").iterdir() if path.is_dir())


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def test_evidence_of_every_release_verifies_and_reports(archive: Path, tmp_path: Path) -> None:
    found = unpacked(archive, tmp_path)
    kinds = set()
    for folder in found:
        kind = kind_of(folder)
        kinds.add(kind.name)
        assert not kind.verify(folder).problems, (folder.name, kind.verify(folder).problems)
        document = kind.document(kind.read(folder), folder.name)
        assert str(document["schema"]).startswith("weigh/")
    assert kinds == {"run", "load", "load-comparison", "ladder"}
    assert len(found) >= len(NAMES)


def test_this_release_or_the_last_one_is_frozen() -> None:
    assert ARCHIVES
    versions = [path.name.removesuffix(".tar.xz") for path in ARCHIVES]
    assert all(one == __version__ or verification.is_earlier(one) for one in versions)
    assert set(versions) == set(verification.RELEASES)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    ("pattern", "other", "passes"),
    [
        (r'"text": "[^"]* [^"]*"', '"text": "said in other words"', True),
        (r'"ratio": [0-9.]+', '"ratio": 0.5', False),
        (r'"verdict": "\w+"', '"verdict": "other"', False),
        (r'"operation": "\w+"', '"operation": "another"', False),
    ],
    ids=["words", "number", "verdict", "name"],
)
def test_words_may_differ_and_figures_may_not(tmp_path: Path, pattern: str, other: str, *, passes: bool) -> None:
    (folder,) = (one for one in unpacked(ARCHIVES[0], tmp_path) if "-run-" in one.name)
    path = folder / "verdicts.json"
    text, number = re.subn(pattern, other, path.read_text(), count=1)
    assert number == 1
    assert json.loads(text)
    path.write_text(text)
    (folder / "report.html").write_text("<p>other words</p>")
    # Whoever edits everything seals it anew.
    (folder / "seal.json").unlink()
    seal(folder, ARCHIVES[0].name.removesuffix(".tar.xz"))
    problems = kind_of(folder).verify(folder).problems
    assert [one.file for one in problems] == ([] if passes else ["verdicts.json"])


def test_the_same_version_compares_every_word(tmp_path: Path) -> None:
    """Of its own evidence nothing may differ."""
    assert not verification.is_earlier(__version__)
    # Nobody gets away with edited pages by the name of a version that was never released.
    assert not verification.is_earlier("0.0.9")
    (tmp_path / "report.txt").write_text("other words")
    sealed = verification.seal.Seal(files={}, earlier={}, weigh=__version__)
    assert verification.not_following(tmp_path, {"report.txt": b"words"}, sealed, "x")
    # Nor of a version that there is not yet: what it knows is not known here.
    sealed = verification.seal.Seal(files={}, earlier={}, weigh=LATER)
    (problem,) = verification.not_following(tmp_path, {"report.txt": b"words"}, sealed, "x")
    assert f"sealed by weigh {LATER}" in problem.text


@pytest.mark.usefixtures("later")
def test_what_is_not_compared_is_named(tmp_path: Path) -> None:
    (folder,) = (one for one in unpacked(ARCHIVES[0], tmp_path) if "-run-" in one.name)
    asked = CliRunner().invoke(verify, [str(folder)])
    text = " ".join(asked.output.split())
    assert asked.exit_code == 0
    assert "its words and report.html, report.txt were not compared: weigh report" in text
    document = json.loads(CliRunner().invoke(verify, [str(folder), "--json"]).output)
    assert document["not_compared"] == ["report.html", "report.txt"]
