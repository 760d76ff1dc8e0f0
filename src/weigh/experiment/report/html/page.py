"""The page: the parts put into their templates."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.experiment.report import by_template, cold, costs, grid, machine, price, resources, second_opinion, stores
from weigh.experiment.report.contenders import Contenders
from weigh.experiment.report.html import answers, design, environment, many
from weigh.experiment.report.html.metrics import metrics
from weigh.experiment.report.html.operations import MOST_DOTS, parts
from weigh.experiment.report.html.top import top
from weigh.experiment.report.html.verdicts import verdicts
from weigh.experiment.report.in_words import of_session
from weigh.experiment.report.no_verdicts import disturbed
from weigh.model import units
from weigh.render import comparison, glossary, words
from weigh.render.blocks import Fold, Grade, Section, titled
from weigh.render.html import ExplainedCodes, templates
from weigh.render.page import Blocks
from weigh.render.svg.draw import Shared
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from weigh.experiment.report.html.top import Top
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.sample import Sample
    from weigh.render.blocks import Block

_TEMPLATES = Path(__file__).parents[1] / "templates"
_WHOLE_LINES = ("assumptions", "second_opinion", "tier")
"""Parts inside others; sealed pages have no line break between those that stand by themselves."""
_NEXT_CELL = re.compile("</td>(?=<td)")
"""An end tag that HTML lets out: thousands of them are as many bytes as all plots."""


def page(results: ExperimentResults, samples: Sequence[Sample], evidence: str) -> str:
    """The whole page. A pure function: the same evidence gives the same text anywhere.

    Args:
        results: what is to be reported.
        samples: of all attempts that it reads; the record has only those of the latest.
        evidence: name of the evidence directory.
    """
    record = results.record
    contenders = Contenders(results)
    operations = _operations(results)
    full = many.chosen(results, operations)
    anchors = {name: f"op-{number}" for number, name in enumerate(full, 1)}
    gate = answers.matrix(results, contenders, anchors)
    judged = verdicts(results, contenders, anchors)
    shared, explained = Shared(), ExplainedCodes()
    first = top(results, evidence, contenders, judged)
    blocks = Blocks(explained)
    text = (
        templates(_TEMPLATES)
        .get_template("page.html")
        .render(
            results=results,
            explained=explained,
            record=record,
            spec=record.spec,
            environment=record.environment,
            evidence=evidence,
            title=_title(first, results),
            claim=words.CLAIM,
            terms=words.TERMS,
            top=first,
            disturbed=disturbed(results),
            contenders=contenders,
            verdicts=judged,
            metrics=metrics(results, contenders, anchors),
            of_session=of_session(results),
            body=_body(results, blocks, contenders, gate, anchors, evidence),
            parts=parts(
                results,
                samples,
                contenders,
                anchors,
                gate,
                judged.groups if judged else (),
                shared,
                MOST_DOTS if len(full) == len(operations) else many.DOTS,
            ),
            shared=shared,
            others=many.others(results, contenders, operations, anchors),
        )
    )
    return _NEXT_CELL.sub("", glossary.explained(text))


def _title(first: Top, results: ExperimentResults) -> str:
    """What was asked, and the answer: wrong answers before times."""
    spec = results.record.spec
    question = ", ".join(filter(None, (spec.title, units.scale(spec.scale))))
    answer, *listed = (*first.screen.wrong, *first.screen.says, "")
    # Without a ranking the first sentence begins a list.
    return titled(question, " ".join((answer, *listed)) if answer.endswith(":") else answer)


def _body(
    results: ExperimentResults,
    blocks: Blocks,
    contenders: Contenders,
    gate: Sequence[answers.Row],
    full: Collection[str],
    evidence: str,
) -> dict[str, Markup]:
    """Parts of the page that need no template."""
    opinion = second_opinion.parts(results)
    name = second_opinion.NAMES.get(str(results.record.spec.rule), "")
    of_it = by_template.parts(results)
    effects = grid.effects(results)
    about_effects = [Section("Effects on wall time", effects)] if effects else []
    cells = [*grid.cells(results), *about_effects] if results.grid else []
    of_cold = cold.part(results, contenders, full)
    prices = [*price.answers(results).sections(), *price.times(results).sections()]
    costs_ = [
        section
        for of in (resources.parity, costs.starts, costs.outside, stores.requests)
        for section in of(results).sections(full)
    ]
    found: dict[str, Sequence[Block]] = {
        "tier": [Grade(results.tier, "tier of the evidence")] if results.tier else [],
        "assumptions": comparison.assumptions(assumptions.VERDICTS),
        "answers": [answers.part(results, gate, contenders)],
        "design": [design.part(results, contenders, evidence)],
        "grid": [Fold(grid.TITLE, cells, "h2", anchor="layouts", open=True)] if cells else [],
        "price": [Fold("Cost and server time", prices, "h2", anchor="cost", open=True)] if prices else [],
        "by_template": [Fold(by_template.TITLE, of_it, "h2", anchor="by-template", open=True)] if of_it else [],
        "second_opinion": [Fold(f"Second opinion: {name}", opinion, "", "", open=True)] if opinion else [],
        "cold": [of_cold] if of_cold else [],
        "machine": [machine.part(results.machine, contenders)] if results.machine else [],
        "environment": environment.parts(results, contenders, costs_, evidence),
    }
    made = {name: Markup().join(map(blocks.block, parts)) for name, parts in found.items()}
    return {name: text if name in _WHOLE_LINES else text[:-1] for name, text in made.items()}


def _operations(results: ExperimentResults) -> list[str]:
    """In the order of the gate, or of the workload where the gate was not reached."""
    if results.gate and results.gate.operations:
        return [one.operation for one in results.gate.operations]
    return [one.name for one in results.record.workload.operations] if results.record.workload else []
