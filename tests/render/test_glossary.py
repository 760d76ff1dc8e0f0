"""The words of weigh say on every page what they mean, once; its plots say what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from weigh.render import glossary

PAGES = sorted((Path(__file__).parents[1] / "golden" / "expected").glob("*/*.html"))
ABBREVIATION = re.compile(r'<abbr title="([^"]*)">([^<]*)</abbr>')
DRAWING = re.compile(r"<svg\b[^>]*>")
LABEL = re.compile(r'aria-label="([^"]*)"')


def test_the_first_use_of_a_word_says_what_it_means() -> None:
    page = "<h1>10 starts</h1><p>In turn; <a href='#x'>each block</a>. Over 10 starts, and 3 starts of one arm.</p>"
    marked = glossary.explained(page)
    assert ABBREVIATION.findall(marked) == [(glossary.meaning("start"), "starts"), (glossary.meaning("arm"), "arm")]
    assert re.sub(r"</?abbr[^>]*>", "", marked) == page


@pytest.mark.parametrize("text", ["It starts the server", "they take it in turn", "weigh run-block", "an alarm"])
def test_what_is_another_word_is_left_alone(text: str) -> None:
    assert glossary.explained(f"<p>{text}</p>") == f"<p>{text}</p>"


def test_what_is_copied_or_drawn_is_left_alone() -> None:
    page = "<pre>10 starts</pre><svg><text>10 blocks</text></svg><code>the margin</code>"
    page += '<ul class="codes"><li><a>T10</a><ul><li>3 starts</li></ul>of a round</li></ul>'
    assert glossary.explained(page) == page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_pages_explain_each_word_once_and_plots_say_their_result(page: Path) -> None:
    text = page.read_text()
    meanings = [title for title, _ in ABBREVIATION.findall(text) if title in map(glossary.meaning, glossary.MEASURING)]
    assert len(meanings) == len(set(meanings))
    drawings = [tag for tag in DRAWING.findall(text) if "aria-hidden" not in tag]
    labels = [LABEL.search(tag) for tag in drawings]
    assert all(label and label[1] for label in labels), [tag for tag in drawings if "aria-label" not in tag]
    plots = [label[1] for tag, label in zip(drawings, labels, strict=True) if label and 'class="plot' in tag]
    assert all(re.search(r"\d", label) for label in plots), plots
