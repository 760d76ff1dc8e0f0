"""The report in a browser: nothing is loaded, nothing overflows, everything is legible, folds, prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from support import experiment_records
from support.chromium import Page
from support.html_pages import rendered
from weigh.evidence.sealing import End
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser

LONG = "chdb@4.1.8+chdb-core==26.3.0?max_threads=2&input_format_parquet_bloom_filter_push_down=0"
UNMEASURED: dict[str, Any] = {"samples": (), "blocks": ()}
FOLD_OUT = "document.querySelectorAll('details').forEach(one => one.open = true)"
OUTSIDE = """
[...document.querySelectorAll('body *')].filter(one => {
  if (one.closest('svg') && one.tagName !== 'svg') return false;
  const box = one.getBoundingClientRect();
  if (!box.width || box.right <= innerWidth + 0.5) return false;
  for (let up = one.parentElement; up; up = up.parentElement)
    if (getComputedStyle(up).overflowX === 'auto') return false;
  return true;
}).map(one => one.tagName + '.' + one.className + ': ' + one.textContent.slice(0, 60))
"""
CONTRASTS = """
(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const ground = one => {
    for (; one; one = one.parentElement) {
      const found = parts(getComputedStyle(one).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return parts(getComputedStyle(document.body).backgroundColor);
  };
  const found = {};
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(one);
    if (own && one.getBoundingClientRect().width) {
      const drawn = parts(one instanceof SVGElement ? style.fill : style.color);
      const at = ratio(drawn, ground(one));
      if (at < 4.5) found[one.tagName + '.' + (one.getAttribute('class') || '')] = at;
    }
  }
  const body = parts(getComputedStyle(document.body).backgroundColor);
  const probe = document.body.appendChild(document.createElement('i'));
  for (const name of ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'one']) {
    probe.style.color = `var(--${name})`;
    const at = ratio(parts(getComputedStyle(probe).color), body);
    if (at < 3) found[name] = at;
  }
  probe.remove();
  return found;
})()
"""
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with Page() as opened:
        yield opened


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of every kind, as files."""
    folder = tmp_path_factory.mktemp("reports")
    whole = experiment_records.record(
        operations=[f"q{number}" for number in range(1, 7)], contenders=(*experiment_records.names(4), LONG), noise=0.1
    )
    assert whole.workload is not None
    wrong = experiment_records.gate(whole.workload, [one.name for one in whole.spec.contenders], [("q2", LONG)])
    kinds = {
        "whole": whole,
        "crashed": experiment_records.with_outcome(whole, Outcome.CRASH, "q3", "chdb@4.4.0", "error " * 200),
        "diverged": experiment_records.record(
            operations=[f"q{number}" for number in range(1, 7)],
            contenders=(*experiment_records.names(4), LONG),
            gate=wrong,
            samples=tuple(sample for sample in whole.samples if sample.operation != "q2"),
        ),
        "killed": experiment_records.record(end=None, samples=whole.samples[:40]),
        "gate": experiment_records.record(**UNMEASURED, end=End(how="complete")),
        "nothing": experiment_records.record(
            **UNMEASURED, gate=None, manifest=None, workload=None, environment=None, end=None
        ),
    }
    for name, record in kinds.items():
        (folder / f"{name}.html").write_bytes(rendered(record).encode())
    return {name: folder / f"{name}.html" for name in kinds}


KINDS = ("whole", "crashed", "diverged", "killed", "gate", "nothing")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_requested_and_nothing_is_complained_about(
    page: Page, reports: dict[str, Path], kind: str, dark: bool
) -> None:
    page.open(reports[kind], dark=dark)
    page.run(FOLD_OUT)
    page.screenshot()
    requested = [event["request"]["url"] for method, event in page.events if method == "Network.requestWillBeSent"]
    assert [url for url in requested if not url.startswith("data:")] == [reports[kind].as_uri()]
    said = [event for method, event in page.events if method in ("Log.entryAdded", "Runtime.consoleAPICalled")]
    assert said == []
    assert not [event for method, event in page.events if method == "Runtime.exceptionThrown"]


@pytest.mark.parametrize("width", [320, 400, 768, 1100, 1280])
@pytest.mark.parametrize("kind", ["crashed", "diverged", "gate", "nothing"])
def test_nothing_is_wider_than_the_window(page: Page, reports: dict[str, Path], kind: str, width: int) -> None:
    page.open(reports[kind], width=width)
    for fold in ("", FOLD_OUT):
        page.run(fold or "0")
        assert page.run("document.documentElement.scrollWidth") == width
        assert page.run(OUTSIDE) == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", ["whole", "diverged", "crashed"])
def test_every_text_and_every_mark_has_contrast(page: Page, reports: dict[str, Path], kind: str, dark: bool) -> None:
    page.open(reports[kind], dark=dark)
    page.run(FOLD_OUT)
    assert page.run(CONTRASTS) == {}
    level = [int(part) for part in re.findall(r"\d+", page.run(BACKGROUND))]
    assert (max(level) < 50) if dark else (level == [255, 255, 255])


def test_parts_are_folded_and_open_when_they_are_pointed_at(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["whole"])
    visible = "document.querySelector('#op-2 pre').checkVisibility()"
    fold = "document.querySelectorAll('details.op')[1].querySelector('summary').click()"
    assert page.run("document.querySelectorAll('details.op[open]').length") == 0
    assert page.run("document.querySelectorAll('details.part[open]').length") == 0
    assert page.run(visible) is False
    page.run("document.querySelector('#operations').parentElement.querySelector('summary').click()")
    page.until("document.querySelector('details.op summary').checkVisibility()")
    assert page.run(visible) is False
    page.run(fold)
    page.until(visible)
    page.run(fold)
    page.until(f"!{visible}")
    page.run("document.querySelector('#operations').parentElement.open = false")
    page.run("document.querySelector('.vt a[href=\"#op-2\"]').click()")
    # A link from the first screen opens the part it leads to, and the one around it.
    page.until(visible)


def test_the_matrix_is_open_where_somebody_diverged(page: Page, reports: dict[str, Path]) -> None:
    matrix = "document.querySelector('.mx').closest('details').open"
    page.open(reports["whole"])
    assert page.run(matrix) is False
    page.open(reports["diverged"])
    assert page.run(matrix) is True


def test_marks_are_drawn_in_every_plot(page: Page, reports: dict[str, Path]) -> None:
    """The dots are markers of a path that draws nothing else: without them the picture must change."""
    page.open(reports["whole"])
    page.run(FOLD_OUT)
    box = "(({x, y, width, height}) => [x, y + scrollY, width, height])"
    for css, change in (
        (".op svg.plot:has(.h0)", "[class^=m],[class^=h]{marker:none!important}"),
        (".op svg.plot:has(.mean)", "[class^=m]{marker:none!important}"),
        (".vt svg.slower", ".pt{stroke:none!important}"),
        (".vt svg.slower", ".ci{stroke:none!important}"),
        (".vt svg.slower", ".mg{fill:none!important}"),
        (".vt th.a2", ".a2::before{background:none!important}"),
        (".vt td.slower", ".w::before{background:none!important}"),
    ):
        clip = tuple(page.run(f"{box}(document.querySelector({css!r}).getBoundingClientRect())"))
        before = page.screenshot(clip=clip)
        page.run(f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {change!r}}}))")
        after = page.screenshot(clip=clip)
        page.run("document.head.lastChild.remove()")
        assert before != after, f"{css} without {change} looks the same"


def test_plots_are_legible_on_a_narrow_screen(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["whole"], width=400)
    page.run(FOLD_OUT)
    heights = page.run(
        "[...document.querySelectorAll('.plot text, .vt thead text')].map(one => one.getBoundingClientRect().height)"
    )
    assert len(heights) > 50
    assert min(heights) > 8


def test_an_axis_stands_over_its_rows(page: Page, reports: dict[str, Path]) -> None:
    """The tick labelled 1 is above the line at 1, at every width, also where rows become blocks."""
    for width in (400, 1000, 1280):
        page.open(reports["whole"], width=width)
        label, line = page.run(
            "(() => { const middle = one => { const box = one.getBoundingClientRect(); return box.x + box.width / 2; };"
            "return [middle([...document.querySelectorAll('.vt thead text')].find(one => one.textContent === '1')),"
            "(() => { const row = document.querySelector('.vt tbody svg.slower').getBoundingClientRect();"
            "const at = document.querySelector('#iv .one').getAttribute('d').match(/[\\d.]+/)[0];"
            "return row.x + row.width * at / 264; })()]; })()"
        )
        assert label == pytest.approx(line, abs=1)


@pytest.mark.parametrize("dark", [False, True])
def test_it_prints_complete_and_on_white(page: Page, reports: dict[str, Path], dark: bool) -> None:
    page.open(reports["whole"], width=720, dark=dark, media="print")
    assert page.run(BACKGROUND) == WHITE
    folded = "[...document.querySelectorAll('details pre, details svg.plot')]"
    assert page.run(f"{folded}.length") > 12
    assert page.run(f"{folded}.every(one => one.checkVisibility())"), "what is folded on the screen is printed"
    assert page.run("document.querySelector('nav').getBoundingClientRect().height") == 0
    assert page.run("document.documentElement.scrollWidth") <= 720
    printed = page.pdf()
    assert printed.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 5
