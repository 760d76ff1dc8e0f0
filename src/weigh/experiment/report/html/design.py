"""How it was measured: contenders, design, data, machine and rules at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.report import layouts, stores, summary
from weigh.experiment.report.html.environment import UNREADABLE
from weigh.model import units
from weigh.model.text import one_line
from weigh.model.units import count, percent
from weigh.render.blocks import Facts, Fold, Lines, Part

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.experiment.report.contenders import Contenders
    from weigh.experiment.results.results import ExperimentResults
    from weigh.render.blocks import Block, Phrase


def part(results: ExperimentResults, contenders: Contenders, evidence: str) -> Fold:
    """The part; ``evidence`` is the name of the directory."""
    record, rules = results.record, results.record.spec.rules
    about: Phrase = (
        "Experiment ", Part(record.spec.id, "code"), f", seed {record.spec.seed}, evidence ", Part(evidence, "code"),
        f". {one_line(summary.summary(results))}",
    )  # fmt: skip
    data: list[Phrase] = [one_line(one) for one in (*layouts.lines(record), *stores.lines(record))]
    besides: list[Phrase] = [one_line(one, 400) for one in layouts.differences(results)]
    facts: list[tuple[str, Phrase | list[Phrase]]] = [
        ("Contenders", [(*one.phrase, *one.flag) for one in contenders.everybody]),
        ("Design", _design(record)),
        ("Data", data or ["not recorded"]),
        *([(layouts.DIFFERENCES_TITLE, besides)] if besides else []),
        ("Machine", _machine(record)),
        (
            "Declared beforehand",
            [
                f"margin {percent(rules.margin)}, {100 * rules.confidence:g} % intervals",
                f"false discoveries {percent(rules.fdr, 0)}",
            ],
        ),
    ]
    parts: list[Block] = [Lines([about]), Facts(facts, css="facts", apart=True)]
    return Fold("How it was measured", parts, "h2", anchor="design")


def _design(record: Record) -> list[Phrase]:
    if not record.blocks:
        return ["nobody was timed"]
    first = record.blocks[0]
    turns = f"{count(len(first.arms), 'arm')}, {count(first.runs, 'timed run')} a turn"
    return [f"{count(len(record.blocks), 'fresh start')} of {turns}", "random order, the baseline twice"]


def _machine(record: Record) -> list[Phrase]:
    if record.environment is None:
        return ["not recorded"]
    host = record.environment.host
    system = host.get("system") or f"system {UNREADABLE}"
    memory = units.size(host.get("memory_bytes"))
    return [
        host.get("cpu") or f"processor {UNREADABLE}",
        f"{host.get('cores_allowed') or '?'} cores, {memory}; {system}",
    ]
