"""The text of a bug report about wrong answers: versions, query, what was expected by whom, and how to see it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Check

_CELLS = 5
"""Cells of a check that are named."""


def bug(results: ExperimentResults) -> str:
    """Markdown to be pasted into an issue tracker, a part for each contender and operation; empty without a divergence.

    Args:
        results: of an experiment.
    """
    return "\n".join(line for check in _first(results) for line in _lines(results, check))


def _first(results: ExperimentResults) -> Iterator[Check]:
    """The first case of every contender and operation on which it was contradicted."""
    found: dict[tuple[str, str], Check] = {}
    for one in results.gate.checks if results.gate else ():
        if one.status is GateStatus.DIVERGED and one.differences:
            found.setdefault((one.contender, one.operation), one)
    yield from found.values()


def _lines(results: ExperimentResults, check: Check) -> Iterator[str]:
    record = results.record
    read = record.environment.contenders if record.environment else ()
    # A command has neither a version nor a question; what is executed stands among the settings.
    commands = {one.name for one in read if one.engine == "command"}
    versions = {one.name: f"{one.engine} {one.version}" for one in read if one.name not in commands}
    dialects = {one.name: one.frames for one in read}
    who = versions.get(check.contender, check.contender)
    open_ = check.detail == UNDECIDED
    yield f"## {who}: {'an answer that differs' if open_ else 'a wrong answer'} to {check.operation}"
    yield ""
    workload = record.workload
    for one in workload.operations if workload else ():
        if one.name == check.operation and check.contender not in commands:
            yield from ("```sql", one.sql.strip(), "```", "")
            function = one.dialect.get(dialects.get(check.contender) or "")
            if function:
                yield from ("Asked with a function, which may be wrong itself:", "")
                yield from ("```python", function.strip(), "```", "")
    yield f"Case: {check.case}. Data: {record.manifest.dataset if record.manifest else record.spec.workload}."
    witness = check.witness or "another contender"
    expected = versions.get(witness, witness)
    yield f"Compared with: {expected}. Nothing tells who is right." if open_ else f"Expected by: {expected}."
    yield ""
    yield from (f"- {cell}" for cell in check.differences[:_CELLS])
    pair = check.contender, check.operation
    for found in results.findings:
        if found.code == codes.A1_REPRODUCER.code and (found.contender, found.operation) == pair:
            yield from ("", f"Smallest example: {found.text}", "", f"    {found.remedy}")
    settings = next((one.settings for one in record.spec.contenders if one.name == check.contender), {})
    if settings:
        yield from ("", "Settings: " + ", ".join(f"{key} = {value}" for key, value in settings.items()))
    yield ""
