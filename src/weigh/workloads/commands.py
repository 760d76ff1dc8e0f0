"""Workloads of commands: one question, which every command answers in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.workloads import Cubes

OUTPUTS = {
    "exact": "what the commands print is compared byte by byte",
    "lines": "what the commands print is compared line by line, in any order",
    "json": "what the commands print is compared as JSON, by its values",
    "none": "what the commands print is not compared, only that they end with exit code 0",
}
DATASET = "nothing"
_NAME = "command"


class Commands:
    """A source of a workload.

    Args:
        output: how what is printed is compared, one of :data:`OUTPUTS`.
    """

    dataset = DATASET
    operation_names = (_NAME,)

    def __init__(self, output: str) -> None:
        self.output = output
        self.name = name_of(output)

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The one question: its text is how it is compared."""
        columns = (Column(name="number", kind="integer"), Column(name="line", kind="string"))
        operation = Operation(
            name=_NAME,
            sql=self.output,
            schema=ResultSchema(columns=columns, ordered_by=(0,), keys=(0,)),
            cases=(Case(name="all", timed=True),),
            about=OUTPUTS[self.output],
        )
        return Workload(name=self.name, dataset=self.dataset, operations=(operation,))

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """Nobody knows beforehand."""
        return None


def name_of(output: str) -> str:
    """The workload in which outputs are compared so."""
    return f"{_NAME}-{output}"


exact, lines, json, none = map(Commands, OUTPUTS)
