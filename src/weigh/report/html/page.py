"""The page: the parts put into their templates."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from weigh.model import units
from weigh.model.text import one_line
from weigh.render.svg import marks
from weigh.render.svg.draw import Shared
from weigh.report import knobs, second_opinion, words
from weigh.report import surroundings as parity
from weigh.report.disturbed import disturbed
from weigh.report.html import surroundings
from weigh.report.html.answers import answers
from weigh.report.html.cast import Cast
from weigh.report.html.cold import cold
from weigh.report.html.metrics import metrics
from weigh.report.html.operations import parts
from weigh.report.html.verdicts import verdicts
from weigh.report.html.watching import watching
from weigh.report.plain_words import of_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.sample import Sample
    from weigh.report.conclusion import Conclusion


_NEXT_CELL = re.compile("</td>(?=<td)")
"""An end tag that HTML lets out: thousands of them are as many bytes as all plots."""


def page(conclusion: Conclusion, samples: Sequence[Sample], evidence: str) -> str:
    """The whole page. A pure function: the same evidence gives the same text anywhere.

    Args:
        conclusion: what is to be said.
        samples: of all attempts that it reads; the record has only those of the latest.
        evidence: name of the evidence directory.
    """
    record = conclusion.record
    cast = Cast(conclusion)
    anchors = {name: f"op-{number}" for number, name in enumerate(_operations(conclusion), 1)}
    gate = answers(conclusion, cast, anchors)
    judged = verdicts(conclusion, cast, anchors)
    shared = Shared()
    text = (
        templates()
        .get_template("page.html")
        .render(
            conclusion=conclusion,
            record=record,
            spec=record.spec,
            environment=record.environment,
            manifest=record.manifest,
            evidence=evidence,
            summary=words.summary(conclusion),
            claim=words.CLAIM,
            disturbed=disturbed(conclusion),
            tier=words.tier(conclusion.tier.name) if conclusion.tier else "",
            cast=cast,
            gate=gate,
            verdicts=judged,
            metrics=metrics(conclusion, cast, anchors),
            of_session=of_session(conclusion),
            opinions=second_opinion.rows(conclusion),
            opinion_of=second_opinion.NAMES.get(str(record.spec.rule), ""),
            opinion_note=second_opinion.NOTE,
            parts=parts(
                conclusion, samples, cast, anchors, gate.rows if gate else (), judged.groups if judged else (), shared
            ),
            shared=shared,
            cold=cold(conclusion, cast),
            watching=watching(conclusion, cast),
            host=surroundings.host(record),
            knobs=knobs.reads(record),
            parity=parity.rows(conclusion),
            parity_headings=parity.HEADINGS,
            parity_note=parity.NOTE,
            members=surroundings.members(record, cast),
            files=surroundings.files(record.manifest),
            columns=surroundings.columns(record.manifest),
            unreadable=surroundings.UNREADABLE,
        )
    )
    return _NEXT_CELL.sub("", text)


def _operations(conclusion: Conclusion) -> list[str]:
    """In the order of the gate, or of the workload where the gate was not reached."""
    if conclusion.gate and conclusion.gate.operations:
        return [one.operation for one in conclusion.gate.operations]
    return [one.name for one in conclusion.record.workload.operations] if conclusion.record.workload else []


@functools.cache
def templates() -> Environment:
    """The templates with their filters, for every page."""
    made = Environment(
        loader=PackageLoader("weigh.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_visible,
    )
    made.filters.update(
        line=one_line,
        seconds=units.seconds,
        size=units.size,
        percent=units.percent,
        scale=units.scale,
        count=units.count,
    )
    made.globals.update(definitions=marks.definitions, style=marks.style)
    return made


def _visible(value: Any) -> Any:
    """Text with control characters visible instead of in force; line breaks and what is markup already stay."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if value.isprintable():
        return value
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode() for char in value
    )
