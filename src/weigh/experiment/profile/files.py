"""The folder of a profile, alongside the evidence: the document, the page, and what they were made from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from markupsafe import Markup

from weigh.evidence import seal
from weigh.experiment.profile import words
from weigh.model.errors import UsageError
from weigh.render.html import templates
from weigh.render.svg.flame_graph import flame_graph
from weigh.render.svg.scatter import scatter

if TYPE_CHECKING:
    from weigh.experiment.profile.lives import Side
    from weigh.experiment.profile.results import ProfiledChange, WhyResults
    from weigh.experiment.profile.stacks import Sampled


DOCUMENT = "why.json"
PAGE = "why.html"
FLAMES, SCATTER = "flame", "blocks.svg"
_SAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def folder_of(evidence: Path) -> Path:
    """Where the profile of an evidence directory goes, unless the user says otherwise."""
    evidence = evidence.resolve()
    return evidence.parent / f"why-{evidence.name}"


def check(out: Path) -> None:
    """Refuse a folder that holds something else.

    Raises:
        UsageError: it does.
    """
    if out.exists() and not (out / DOCUMENT).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError("it is there, and is no profile of weigh's", where=str(out), remedy="name another with --out")


def profile(folder: Path, number: int, change: ProfiledChange, before: Side, after: Side) -> str:
    """Write what was observed of one change.

    Returns:
        The name of its folder.
    """
    name = f"{number}-{_SAFE.sub('_', change.operation)[:60]}"
    place = folder / name
    place.mkdir()
    for side, one in (("baseline", before), ("contender", after)):
        if one.raw:
            (place / f"{side}.profile.txt").write_text(one.raw)
        for kind, sampled in (("python", one.python), ("native", one.native)):
            if sampled.stacks:
                (place / f"{side}.{kind}.folded").write_text(sampled.folded())
    for kind, old, new in (("python", before.python, after.python), ("native", before.native, after.native)):
        _draw(place, f"{kind} functions of {change.contender}, {change.operation}", f"{kind}.contender", old, new)
        _draw(place, f"{kind} functions of {change.baseline}, {change.operation}", f"{kind}.baseline", new, old)
    if change.blocks:
        label = f"{change.operation}: {change.contender} against {change.baseline}, block by block"
        (place / SCATTER).write_text(scatter(change.blocks, change.baseline, change.contender, label))
    return name


def _draw(place: Path, label: str, name: str, other: Sampled, drawn: Sampled) -> None:
    if graph := flame_graph(other.each(), drawn.each(), label):
        (place / f"{FLAMES}.{name}.svg").write_text(graph)


def write(folder: Path, found: WhyResults) -> None:
    """Write the document and the page."""
    (folder / DOCUMENT).write_bytes(seal.json_bytes(msgspec.to_builtins(found)))
    (folder / PAGE).write_bytes(page(found, folder))


_FUNCTIONS = 40
"""Rows of a table of functions; the folded stacks have all."""


def page(found: WhyResults, folder: Path) -> bytes:
    """The whole page.

    Args:
        found: what was found.
        folder: with the drawings, which were escaped when they were made.
    """
    drawings = {one.folder: _drawings(folder / one.folder) for one in found.changes if one.folder}
    template = templates(Path(__file__).parent / "templates").get_template("why.html")
    text = template.render(
        found=found, drawings=drawings, words=words, environment=None, functions=_FUNCTIONS, title=_title(found)
    )
    return text.encode()


def _title(found: WhyResults) -> str:
    first: ProfiledChange = found.changes[0]
    return f"{first.operation}: {words.heading(first)}"


def _drawings(place: Path) -> dict[str, Markup]:
    return {file.name: Markup(file.read_text()) for file in sorted(place.glob("*.svg"))}
