"""Pages of a report, read as a browser would read them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from weigh.experiment.report.html import page
from weigh.experiment.results.results import experiment_results
from weigh.model import codes

if TYPE_CHECKING:
    from weigh.experiment.record import Record

VOID = {"meta", "link", "br", "hr", "img", "input", "path", "use"}
LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping", "manifest"}


class Reader(HTMLParser):
    """What a browser would see of a page.

    Attributes:
        tags: every element with its attributes.
        text: all text outside of style.
        unclosed: elements that were opened and not closed, or the other way round.
        headings: texts of all headings.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.unclosed: list[str] = []
        self.parts: list[str] = []
        self._open: list[str] = []
        self._explained = False
        self.feed(page)
        self.close()
        self.unclosed += self._open

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.parts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._explained = False
        assert len(attrs) == len(dict(attrs)), f"an attribute of {tag} is there twice"
        if tag == "td" and self._open[-1] == "td":
            # A cell ends where the next one begins.
            self._open.pop()
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.unclosed.append(f"/{tag}")
        self._explained = tag == "abbr"

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            # An explained word is a part of its sentence.
            if self.parts and (self._open[-1] == "abbr" or self._explained):
                self.parts[-1] += data
            else:
                self.parts.append(data)
            self._explained = False

    def ids(self) -> list[str]:
        return [value for _, attributes in self.tags if (value := attributes.get("id"))]


def rendered(*attempts: Record) -> str:
    samples = [sample for record in attempts for sample in record.samples]
    return page(experiment_results(attempts), samples, "20261121-aaaaaaaaaaaa-1")


def assert_sound(text: str) -> None:
    """Well-formed, self-contained, without scripts."""
    reader = Reader(text)
    assert reader.unclosed == []
    assert len(reader.ids()) == len(set(reader.ids()))
    names = {tag for tag, _ in reader.tags}
    assert not names & {"script", "iframe", "object", "embed", "img", "base", "form", "audio", "video", "image"}
    for tag, attributes in reader.tags:
        assert not LOADING & attributes.keys(), (tag, attributes)
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert "style" not in attributes, "styles are of the page, never of an element"
        link = attributes.get("href")
        assert link is None or link == "data:," or link.removeprefix("#") in reader.ids(), link
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert "@import" not in style
    assert set(re.findall(r"url\((.)", style)) <= {"#"}
    assert {f"#{name}" for name in re.findall(r"url\(#([^)]*)\)", style)} <= {f"#{name}" for name in reader.ids()}
    policy = next(a["content"] for _, a in reader.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert all("aria-label" in a or a.get("aria-hidden") == "true" for tag, a in reader.tags if tag == "svg")


def assert_codes_explained(text: str) -> None:
    """Every code that is a link has its meaning at the end, once, and no other code has."""
    begin, _, explained = text.partition('id="codes">')
    linked = set(re.findall(r'href="#([A-Z]\d*(?:\.[a-z_]+)?)"', begin))
    meanings = re.findall(r'<code id="([^"]+)">', explained)
    assert meanings == [code for code in codes.REGISTRY if code in linked]
    read = Reader(f"{explained.partition('</ul>')[0]}</ul>").text if explained else ""
    for code in meanings:
        assert f"{code} {codes.REGISTRY[code].means} ({codes.REGISTRY[code].page})" in read
