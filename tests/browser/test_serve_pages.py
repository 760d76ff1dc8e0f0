"""The pages of `weigh report --serve` in a browser: the list of thousands, its form, a page, two side by side."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import pytest

from browser.test_report_page import CONTRASTS, OUTSIDE
from serve.conftest import Served, serving
from support import evidence_folders
from support.chromium import Page
from support.served_pages import HOSTILE, many

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser

MANY = 2_000
LED_AWAY = """<html><head><meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/away"></head><body>
<script>document.title = "ran"</script><img src="http://127.0.0.1:9/seen"><p onclick="x">as written</p></body></html>"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with Page() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Two thousand evidences, one of every kind among the newest, and one of an unfriendly name."""
    root = tmp_path_factory.mktemp("served")
    made = many(root, MANY - 6)
    for write in (evidence_folders.written_load_ladder, evidence_folders.written_servers):
        write(root)
    shutil.copytree(made[0], root / f"long{'-' * 80}name{HOSTILE.replace('/', '_')}")
    (root / "why-x").mkdir()
    (root / "why-x" / "why.json").write_text("{}")
    (root / "why-x" / "why.html").write_text(LED_AWAY)
    with serving(root) as opened:
        yield opened


def requested(page: Page) -> list[str]:
    """What the browser asked for."""
    asked = [event["request"]["url"] for method, event in page.events if method == "Network.requestWillBeSent"]
    return [url for url in asked if not url.startswith("data:")]


def complaints(page: Page) -> list[object]:
    """What it complained about."""
    found = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    return [event for method, event in page.events if method in found]


@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_a_list_of_thousands_fits_and_loads_nothing_else(page: Page, served: Served, width: int) -> None:
    page.visit(served.server.url, width=width)
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.run(OUTSIDE) == []
    assert page.run("document.querySelectorAll('main > .runs > li').length") == 100
    assert page.run("document.querySelectorAll('script').length") == 0
    assert page.run("document.documentElement.outerHTML.length") < 2_000_000
    assert requested(page) == [served.server.url]
    assert complaints(page) == []


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_has_contrast(page: Page, served: Served, dark: bool) -> None:
    for address in ("?first=x&since=never", "compare?first=ladder&second=x", "?verdict=diverged"):
        page.visit(served.server.url + address, dark=dark)
        assert page.run(CONTRASTS) == {}


def test_one_is_found_and_opened_and_compared(page: Page, served: Served) -> None:
    page.visit(served.server.url)
    page.run("document.querySelector('[name=verdict]').value = 'refused'")
    page.run("document.querySelector('form').requestSubmit()")
    page.until("document.querySelectorAll('main > .runs > li').length === 1")
    assert page.run("document.querySelector('[name=verdict]').value") == "refused"
    page.run("document.querySelector('.state a').click()")
    page.until("document.querySelector('.notice') !== null")
    assert "choose the other one" in page.run("document.querySelector('.notice').textContent")
    page.run("document.querySelector('[name=verdict]').value = ''")
    page.run("document.querySelector('[name=kind]').value = 'load-ladder'")
    page.run("document.querySelector('form').requestSubmit()")
    page.until(
        "document.querySelectorAll('main > .runs > li').length === 1 && document.querySelector('.state a') !== null"
    )
    page.run("document.querySelector('.state a').click()")
    page.until("document.querySelector('h1')?.textContent.startsWith('Not joined')")
    assert page.run("document.querySelectorAll('#figures').length") == 1
    assert page.run(OUTSIDE) == []
    page.run("document.querySelector('table a').click()")
    page.until(
        "document.querySelector('.eyebrow')?.textContent === 'All evidence' && document.querySelector('.vt') !== null"
    )
    page.run("document.querySelector('.eyebrow a').click()")
    page.until("document.querySelectorAll('main > .runs > li').length === 100")
    assert complaints(page) == []


@pytest.mark.parametrize("width", [320, 1280])
def test_side_by_side_fits(page: Page, served: Served, width: int) -> None:
    page.visit(f"{served.server.url}?kind=load", width=width)
    first, second = page.run("[...document.querySelectorAll('.of')].map(one => one.pathname.split('/')[2])")[:2]
    page.visit(f"{served.server.url}compare?first={first}&second={second}", width=width)
    assert page.run("document.querySelector('h1').textContent").startswith("Not joined")
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.run(OUTSIDE) == []


def test_a_profile_that_somebody_wrote_runs_nothing_and_leads_nowhere(page: Page, served: Served) -> None:
    page.visit(served.server.url)
    page.run("document.querySelector('#others ~ .runs a').click()")
    page.until("document.body?.textContent.includes('as written')")
    assert "nothing verifies it" in page.run("document.body.textContent")
    assert page.run("document.title") == ""
    # A page that is led away is, at once.
    time.sleep(0.3)
    assert page.run("location.pathname") == "/why/why-x"
    assert not [url for url in requested(page) if ":9/" in url and url.endswith("away")]
    page.run("document.querySelector('.eyebrow a').click()")
    page.until("document.querySelectorAll('main > .runs > li').length === 100")
