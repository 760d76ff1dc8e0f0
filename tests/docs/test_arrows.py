"""What `make check` finds in imports, files and names: scripts/arrows.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arrows import circles, dialect, folder_circles, thin, upward
from syntax import Import, Sources

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "a/__init__.py": '"""Docs."""\n',
    "a/top.py": "from a.low import deep\n",
    "a/low/__init__.py": "",
    "a/low/deep.py": "def f():\n    from a import top\n\n    return top\n",
    "a/low/near.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from a.low import deep\n",
    "a/low/table.py": 'TABLE = {"x": "a.top:x", "y": "a.top"}\n',
    "a/names.py": "def keep(asked, *, is_shown):\n    own = asked.said\n    return Beside(own=own, renown=1)\n",
}
CONTRACTS = [{"type": "layers", "containers": ["a"], "layers": ["top | names", "(low)"]}]


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    return Sources(tmp_path)


def test_imports_are_told_apart(sources: Sources) -> None:
    assert list(sources.imports()) == [
        Import("a.low.deep", "a.top", 2, "late"),
        Import("a.low.near", "a.low.deep", 4, "typing"),
        Import("a.low.table", "a.top", 1, "named"),
        Import("a.top", "a.low.deep", 1, "import"),
    ]


def test_what_runs_upward_is_found_also_where_it_is_only_named(sources: Sources) -> None:
    found = upward(sources.imports(), CONTRACTS)
    assert [(one.importer, one.when) for one in found] == [("a.low.deep", "late"), ("a.low.table", "named")]


def test_circles_of_files_and_of_folders(sources: Sources) -> None:
    imports = list(sources.imports())
    assert circles((one.importer, one.imported) for one in imports) == [["a.low.deep", "a.top"]]
    assert folder_circles(imports, sources.packages) == [["a.low", "a.top"]]
    assert circles([("x", "y"), ("y", "z"), ("x", "z")]) == []


def test_a_file_that_only_its_neighbour_imports_is_thin(sources: Sources) -> None:
    assert [one[:2] for one in thin(sources, [Import("a.names", "a.top", 1, "late")])] == [("a.top", "a.names")]


def test_words_are_counted_in_names_and_not_in_the_middle_of_others(sources: Sources) -> None:
    assert dialect(sources) == {"asked": 2, "shown": 1, "own": 3, "said": 1, "beside": 1}
