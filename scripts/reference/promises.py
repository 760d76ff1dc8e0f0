"""What the documentation promises, and the tests that hold it, from the marks of the tests.

A test says which sentences it holds: ``@pytest.mark.promise("A sentence as a page has it.")``. A sentence that no page
has (any more) is an error, so whoever rewords a promise finds its test.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference.markdown import anchor_of, code, table

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_PROMISES = "promises.md"
_SPACE = re.compile(r"\s+")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


class Mark(NamedTuple):
    """A sentence that a test claims to hold.

    Attributes:
        sentence: as a page has it, but for line breaks.
        test: file and name.
    """

    sentence: str
    test: str


class Place(NamedTuple):
    """Where a sentence stands: the page relative to the root, the anchor of its heading, and an order."""

    page: str
    anchor: str
    at: int


def marks() -> Iterator[Mark]:
    """Every mark of the tests."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text()
        if "mark.promise(" not in text:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    for sentence in _sentences(decorator):
                        yield Mark(sentence, f"{path.relative_to(ROOT)}::{node.name}")


def _sentences(decorator: ast.expr) -> Iterator[str]:
    if (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr == "promise"
    ):
        for one in decorator.args:
            yield ast.literal_eval(one)


def places(sentences: set[str]) -> dict[str, Place]:
    """Where each sentence stands first.

    Raises:
        ValueError: no page has one of them.
    """
    found: dict[str, Place] = {}
    for page in PAGES:
        if page.name == _PROMISES:
            continue
        text = _FENCE.sub("", page.read_text())
        for heading, part in _sections(text):
            flat = _flat(part)
            for sentence in sentences - found.keys():
                at = flat.find(_flat(sentence))
                if at >= 0:
                    found[sentence] = Place(str(page.relative_to(ROOT)), anchor_of(heading), at)
    missing = sorted(sentences - found.keys())
    if missing:
        raise ValueError(f"no page has this sentence, which a test marks as a promise: {missing[0]!r}")
    return found


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Headings and what stands below each, up to the next."""
    heading, start = "", 0
    for found in _HEADING.finditer(text):
        yield heading, text[start : found.start()]
        heading, start = found[1], found.end()
    yield heading, text[start:]


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def blocks() -> dict[str, str]:
    """The regions of promises.md."""
    tests: dict[str, list[str]] = defaultdict(list)
    for mark in marks():
        tests[mark.sentence].append(mark.test)
    where = places(set(tests))
    parts = []
    for page in sorted({place.page for place in where.values()}, key=lambda name: (name != "README.md", name)):
        rows = []
        order = list(dict.fromkeys(_headings(page)))
        sentences = [sentence for sentence in where if where[sentence].page == page]
        for sentence in sorted(sentences, key=lambda one: (order.index(where[one].anchor), where[one].at)):
            anchor = where[sentence].anchor
            link = f"../../{page}" + (f"#{anchor}" if anchor else "")
            tests_of = "<br>".join(code(test.removeprefix("tests/")) for test in tests[sentence])
            rows.append((f"{_cell(sentence)} ([there]({link}))", tests_of))
        parts.append(f"## {page}\n\n" + table(("promise", "test"), rows))
    return {"promises": "\n\n".join(parts) or "None yet."}


def _headings(page: str) -> Iterator[str]:
    yield ""
    for heading, _ in _sections(_FENCE.sub("", (ROOT / page).read_text())):
        yield anchor_of(heading)


def _cell(sentence: str) -> str:
    """A sentence without its links, which lead from where it stands."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", _flat(sentence))
