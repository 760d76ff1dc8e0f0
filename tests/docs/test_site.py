"""The site of docs/: what `make docs` is built from."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import check_links
import check_site
import docs_site

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONFIGURATION = (ROOT / "mkdocs.yml").read_text()


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- ([\w/-]+\.md)$", CONFIGURATION, re.MULTILINE)
    assert sorted(listed) == sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    sections = re.findall(r"^  - ([A-Z][\w ]+):$", CONFIGURATION, re.MULTILINE)
    assert {"Choose an engine", "Gate a pull request", "Size a server"} < {*sections}
    front = (DOCS / "index.md").read_text()
    assert all(f"## {name}" in front for name in ("Choose an engine", "Gate a pull request", "Size a server"))


def test_every_page_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    pages = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*/*.md")]
    assert [page for page in pages if f"({page}" not in readme] == []


def test_anchors_are_those_of_the_repository() -> None:
    headings = ["weigh ladder --load", "What `init` writes: all of it", "R4.hash, and *more*"]
    assert {docs_site.anchor(one, "-") for one in headings} == check_links.anchors(
        "".join(f"# {one}\n" for one in headings)
    )


def test_a_link_out_of_the_documentation_becomes_a_name() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/plugins.md"))
    text = "[log](../../CHANGELOG.md), [ci](../guide/ci.md#github), [far](../../docs/guide/ci.md#github)"
    made = docs_site.on_page_markdown(text, page=page)
    assert made == "log (`CHANGELOG.md`), [ci](../guide/ci.md#github), [far](../guide/ci.md#github)"


def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="https://example.org">x</a><script src="a.js"></script><link rel="canonical" href="https://example.org">'
    )
    (tmp_path / "a.css").write_text('@font-face { src: url("fonts/a.woff2") }')
    assert not check_site.loaded(tmp_path)
    (tmp_path / "b.html").write_text('<script src="https://example.org/a.js"></script>')
    (tmp_path / "c.html").write_text("<link rel=stylesheet href=//example.org/a.css>")
    (tmp_path / "d.css").write_text("@import url(https://example.org/font.css)")
    assert [line.split(":")[0] for line in check_site.loaded(tmp_path)] == ["b.html", "c.html", "d.css"]


def test_the_hook_is_found_where_nothing_but_the_site_s_generator_is_installed() -> None:
    (path,) = re.findall(r"PYTHONPATH=(\S+) .* mkdocs build", (docs_site.ROOT / "Makefile").read_text())
    # -S: no package that is installed here.
    command = [sys.executable, "-S", "-c", "import docs_site"]
    subprocess.run(command, cwd=docs_site.ROOT, env={"PYTHONPATH": path}, check=True)
