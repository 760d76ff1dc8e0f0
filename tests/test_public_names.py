"""What others may import: the liars and the examples of the documentation use public names only."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import weigh
from weigh import plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PUBLIC = ("weigh", "weigh.plugins", "weigh.stats", "weigh_worker")
# An agent that lies is weigh itself, with a part of it replaced.
LIARS = sorted({*(ROOT / "liars" / "weigh_liars").rglob("*.py")} - {ROOT / "liars" / "weigh_liars" / "agents.py"})
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def imported(code: str) -> Iterator[tuple[str, str]]:
    """Each name that code takes from weigh or its worker: the module, and the name in it; empty for the module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found = [(str(node.module), alias.name) for alias in node.names]
        else:
            continue
        yield from (one for one in found if one[0].split(".")[0] in ("weigh", "weigh_worker"))


def not_public(code: str) -> list[str]:
    """The names that are not for others."""
    return [
        f"{module}: {name}"
        for module, name in imported(code)
        if module not in PUBLIC
        or (name and name not in importlib.import_module(module).__all__ and f"{module}.{name}" not in PUBLIC)
    ]


def examples(page: Path) -> list[str]:
    """The Python of a page."""
    return [textwrap.dedent(block) for block in _BLOCK.findall(page.read_text())]


@pytest.mark.promise("A test holds the examples of this page and `liars/weigh_liars` to these modules.")
@pytest.mark.parametrize("path", LIARS, ids=lambda path: path.stem)
def test_liars_are_plug_ins_of_a_third_party(path: Path) -> None:
    assert not not_public(path.read_text())


@pytest.mark.promise("A test holds the examples of this page and `liars/weigh_liars` to these modules.")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_the_documentation_import_public_names(page: Path) -> None:
    assert not [name for block in examples(page) for name in not_public(block)]


def test_liars_and_examples_are_found() -> None:
    names = {name for path in LIARS for name in imported(path.read_text())}
    assert names >= {("weigh.plugins", "Engine"), ("weigh.plugins", "Workload"), ("weigh_worker", "Adapter")}
    names = {name for page in PAGES for block in examples(page) for name in imported(block)}
    assert names >= {("weigh.plugins", "Switch"), ("weigh.plugins", "Filter"), ("weigh", "stats"), ("weigh", "")}


def test_an_internal_name_would_be_found() -> None:
    assert not_public("from weigh.engines.engine import Engine") == ["weigh.engines.engine: Engine"]
    assert not_public("from weigh import kinds, errors, stats") == ["weigh: kinds"]
    assert not_public("import weigh.model.answer") == ["weigh.model.answer: "]
    assert not_public("if True:\n    from weigh.plugins import installed") == ["weigh.plugins: installed"]


def test_everything_that_is_exported_is_there_and_told() -> None:
    for module in (weigh, plugins):
        for name in module.__all__:
            assert getattr(module, name) is not None
    assert all(name in str(plugins.__doc__) for name in plugins.__all__)
    assert sorted(plugins.__all__) == plugins.__all__


def test_a_plug_in_loads_no_more_than_nouns() -> None:
    code = (
        "import sys, weigh.plugins; "
        "heavy = {'numpy', 'scipy', 'pyarrow', 'rich', 'weigh.kinds.evidence', 'weigh.experiment'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
