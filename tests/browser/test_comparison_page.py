"""The pages of `weigh compare` and `weigh judge` in a browser, as they are kept in tests/golden."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.chromium import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser

EXPECTED = Path(__file__).parents[1] / "golden" / "expected"
PAGES = ("compare/slower-html", "judge/hyperfine-html", "judge/fixed-order-html", "judge/hlog-html")
COMPARED = PAGES[:3]
OTHERS = ("report/ladder-html", "report/load-html", "report/run-html")
FIRST_PAGE = 980
"""Pixels of a printed page of A4 with its margins, at the width of one."""
OVERFLOWING = """
[...document.querySelectorAll('body *')].filter(one => one.scrollWidth > one.clientWidth + 1
  && getComputedStyle(one).overflowX === 'auto' && one.tabIndex < 0).map(one => one.className)
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with Page() as opened:
        yield opened


@pytest.mark.parametrize("name", [*PAGES, *OTHERS])
def test_its_links_lead_somewhere_and_what_scrolls_has_the_keys(page: Page, name: str) -> None:
    page.open(EXPECTED / f"{name}.html", width=400)
    assert page.run("document.querySelectorAll('nav a').length") > 1
    assert (
        page.run("[...document.querySelectorAll('nav a')].filter(one => !document.querySelector(one.hash)).length") == 0
    )
    assert page.run(OVERFLOWING) == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_it_fits_loads_nothing_and_can_be_scrolled_by_keys(page: Page, name: str, width: int) -> None:
    path = EXPECTED / f"{name}.html"
    page.open(path, width=width)
    assert page.run("document.documentElement.scrollWidth") == width
    requested = [event["request"]["url"] for method, event in page.events if method == "Network.requestWillBeSent"]
    assert [url for url in requested if not url.startswith("data:")] == [path.as_uri()]


@pytest.mark.parametrize("name", COMPARED)
def test_verdicts_are_on_the_first_printed_page(page: Page, name: str) -> None:
    page.open(EXPECTED / f"{name}.html", width=700, media="print")
    rows = "[...document.querySelectorAll('.vt tbody tr')]"
    assert page.run(f"{rows}.length") >= 2
    assert page.run(f"Math.max(...{rows}.map(one => one.getBoundingClientRect().bottom))") < FIRST_PAGE
    assert page.run("document.querySelector('nav').getBoundingClientRect().height") == 0
    assert page.pdf().startswith(b"%PDF-")


def test_a_long_verdict_is_wrapped_and_not_cut(page: Page) -> None:
    page.open(EXPECTED / "report/servers-html.html", width=1280)
    verdicts = "document.querySelectorAll('.vt td:last-child')"
    assert page.run(f"{verdicts}.length") > 1
    page.run(f"{verdicts}.forEach(one => one.textContent = 'REFUSED: durability differs; plain ratio, no verdict')")
    assert page.run("document.documentElement.scrollWidth") == 1280
