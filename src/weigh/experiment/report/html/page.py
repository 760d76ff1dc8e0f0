"""The page: the parts put into their templates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.experiment.report import knobs, second_opinion, summary
from weigh.experiment.report import resources as parity
from weigh.experiment.report.html import environment
from weigh.experiment.report.html.answers import answers
from weigh.experiment.report.html.cold import cold
from weigh.experiment.report.html.contenders import Cast
from weigh.experiment.report.html.machine import watching
from weigh.experiment.report.html.metrics import metrics
from weigh.experiment.report.html.operations import parts
from weigh.experiment.report.html.verdicts import verdicts
from weigh.experiment.report.in_words import of_session
from weigh.experiment.report.no_verdicts import disturbed
from weigh.render import words
from weigh.render.html import templates
from weigh.render.svg.draw import Shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.results.results import Conclusion
    from weigh.model.sample import Sample

_TEMPLATES = Path(__file__).parents[1] / "templates"
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
        templates(_TEMPLATES)
        .get_template("page.html")
        .render(
            conclusion=conclusion,
            record=record,
            spec=record.spec,
            environment=record.environment,
            manifest=record.manifest,
            evidence=evidence,
            summary=summary.summary(conclusion),
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
            host=environment.host(record),
            knobs=knobs.reads(record),
            parity=parity.rows(conclusion),
            parity_headings=parity.HEADINGS,
            parity_note=parity.NOTE,
            members=environment.members(record, cast),
            files=environment.files(record.manifest),
            columns=environment.columns(record.manifest),
            unreadable=environment.UNREADABLE,
        )
    )
    return _NEXT_CELL.sub("", text)


def _operations(conclusion: Conclusion) -> list[str]:
    """In the order of the gate, or of the workload where the gate was not reached."""
    if conclusion.gate and conclusion.gate.operations:
        return [one.operation for one in conclusion.gate.operations]
    return [one.name for one in conclusion.record.workload.operations] if conclusion.record.workload else []
