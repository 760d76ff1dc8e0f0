"""Every page of a published site of all kinds, with scripts off: nothing is cut, and wide tables scroll."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from golden import made
from support.chromium import Page
from support.command import Weigh
from support.evidence_folders import (
    sealed_run,
    written_ladder,
    written_load,
    written_load_ladder,
    written_reproduction,
    written_servers,
)
from support.streams_made import written_streams

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser
_CUT = """JSON.stringify([...document.querySelectorAll('table,td,th,p,a,code,pre,li,h1,h2,div')].filter(one => {
  const style = getComputedStyle(one);
  if (one.tagName !== 'TABLE')
    return ['hidden', 'clip'].includes(style.overflowX) && one.clientWidth && one.scrollWidth > one.clientWidth + 1;
  for (let at = one; at; at = at.parentElement)
    if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX)) return false;
  return one.scrollWidth > innerWidth;
}).map(one => one.tagName + ' ' + one.textContent.slice(0, 60)))"""


def test_no_page_of_a_site_is_cut_at_any_width(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    evidence = sealed_run(runs, made.agreed())
    for written in (written_load, written_ladder, written_load_ladder, written_servers, written_streams):
        written(runs)
    written_reproduction(runs, evidence)
    (runs / "broken.weigh").write_bytes(b"\xfd7zXZ\x00junk")
    weigh = Weigh(tmp_path)
    run = weigh("publish", "runs", "--out", "site")
    assert run.code in (0, 1), run.err
    assert "left out: broken.weigh" in run.err
    listed = json.loads((tmp_path / "site/site.json").read_text())["evidence"]
    assert {one["kind"] for one in listed if not one["command"]} == set()
    with Page() as page:
        for path in sorted((tmp_path / "site").rglob("*.html")):
            for width in (1280, 390):
                page.call("Emulation.setScriptExecutionDisabled", value=True)
                page.open(path, width)
                page.call("Emulation.setScriptExecutionDisabled", value=False)
                assert page.run("document.documentElement.scrollWidth") <= width, (path.name, width)
                assert json.loads(page.run(_CUT)) == [], (path.name, width)
