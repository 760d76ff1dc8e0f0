"""What a job leaves for those who read it: a comment, an outcome, a badge."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.comparison.metrics import LOAD_METRICS
from weigh.model.gate import UNDECIDED
from weigh.model.metrics.run_metrics import RUN_METRICS

if TYPE_CHECKING:
    from pathlib import Path

OUT = "weigh-ci"
"""The folder of a job's files, unless the user says otherwise."""
COMMENT = "comment.md"
OUTCOME = "outcome.json"
STATES = {0: "success", 1: "failure", 2: "error", 3: "failure"}
"""Of a commit, by the exit code of weigh."""
_COLOURS = {"success": "#2a7f3f", "failure": "#b3261e", "error": "#8a6d00"}
_UNDECIDED = (" open", ", no baseline declared")
"""How a message ends where a job passes and not all is decided: green would say that nothing got slower."""
_MESSAGES = {0: "no regression", 1: "failed", 2: "no result", 3: "no verdict"}
_UNDECIDING = {*list(RUN_METRICS)[1:], *(name for name, one in LOAD_METRICS.items() if not one.decides)}
"""Metrics whose verdicts change no exit code."""
_LETTER_PX = 7
_MARGIN_PX = 10


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a job ended.

    Attributes:
        code: exit code of weigh.
        state: ``success``, ``failure`` or ``error``, as a commit has it.
        headline: the answer in one sentence.
        message: the answer in a few words, for a badge.
        evidence: the directory that was made; None where nothing was measured.
    """

    code: int
    state: str
    headline: str
    message: str
    evidence: str | None = None


def message(document: dict[str, Any], code: int) -> str:
    """What was found, in two words: wrong answers, else what is slower, else what is faster, else what is open.

    Where contenders differ and nothing tells who is right, nobody's answer is called wrong.

    Args:
        document: of the report, as JSON; empty where there is none.
        code: exit code of weigh.
    """
    diverged = [str(one.get("detail")) for one in document.get("gate") or () if one.get("status") == "diverged"]
    if diverged:
        return "answers differ" if all(UNDECIDED in detail for detail in diverged) else "wrong answers"
    counted = Counter(
        str(one.get("verdict"))
        for one in document.get("verdicts") or ()
        if isinstance(one, dict) and one.get("metric") not in _UNDECIDING
    )
    if counted["slower"]:
        return f"{counted['slower']} slower" + ("" if code else ", no baseline declared")
    if code == 0 and counted["faster"]:
        return f"{counted['faster']} faster"
    if code == 0 and (undecided := counted["unresolved"] + counted["refused"]):
        return f"{undecided} of {counted.total()} open"
    return _MESSAGES.get(code, "no result")


def write(folder: Path, outcome: Outcome, comment: str) -> None:
    """Write ``comment.md``, ``outcome.json``, ``badge.svg`` and ``badge.json`` (what shields.io calls an endpoint)."""
    folder.mkdir(parents=True, exist_ok=True)
    undecided = outcome.state == "success" and outcome.message.endswith(_UNDECIDED)
    colour = _COLOURS["error" if undecided else outcome.state]
    badge = {"schemaVersion": 1, "label": "weigh", "message": outcome.message, "color": colour}
    (folder / COMMENT).write_text(comment)
    (folder / OUTCOME).write_bytes(msgspec.json.format(msgspec.json.encode(outcome)) + b"\n")
    (folder / "badge.json").write_bytes(msgspec.json.encode(badge) + b"\n")
    (folder / "badge.svg").write_text(_svg("weigh", outcome.message, colour))


def _svg(label: str, message: str, colour: str) -> str:
    left, right = (len(text) * _LETTER_PX + _MARGIN_PX for text in (label, message))
    style = 'fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(label)}: {escape(message)}">'
        f'<rect width="{left}" height="20" fill="#555"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/><g {style}>'
        f'<text x="{left / 2}" y="14">{escape(label)}</text>'
        f'<text x="{left + right / 2}" y="14">{escape(message)}</text></g></svg>\n'
    )
