"""``tpcds``: the 99 queries of TPC-DS over the data of ``tpcds-dsdgen``.

Texts come with the data (``docs/reference/workloads.md#tpc-ds``); what a right answer looks like is in ``schemas_*``.
Derived from TPC-DS. The workload has the qualification parameters; streams draw theirs (``substitutions``).

No published answers are true of the data. ``agreed.json`` keeps what lineages agreed on at two scales; ``make tpcds``
asks them anew and writes it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from weigh.model.answer import Agreement
from weigh.model.operation import Case, Operation, Workload
from weigh.workloads.tpcds import schemas_from_50, schemas_to_49
from weigh.workloads.tpcds.texts import dialects, nulls_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from weigh.workloads import Cubes

SCHEMAS = {**schemas_to_49.SCHEMAS, **schemas_from_50.SCHEMAS}
"""By number of the query."""
NOTICE = "derived from TPC-DS, not comparable to published results"
"""On every report: the name is a trademark, and a result under it needs an audit."""


class Agreed(msgspec.Struct, frozen=True, kw_only=True):
    """What was agreed on over one dataset.

    Attributes:
        scale: scale factor, for people.
        versions: version of each engine that was asked.
        digests: row digest of every table.
        answers: by operation; without those on which fewer than three lineages agreed.
    """

    scale: float
    versions: dict[str, str]
    digests: dict[str, str]
    answers: dict[str, Agreement]


@cache
def agreed() -> tuple[Agreed, ...]:
    """All that is kept; nothing before it was made for the first time."""
    file = files("weigh.workloads.tpcds") / "agreed.json"
    return msgspec.json.decode(file.read_bytes(), type=tuple[Agreed, ...]) if file.is_file() else ()


class Tpcds:
    """The source of the workload."""

    name = "tpcds"
    dataset = "tpcds-dsdgen"
    notice = NOTICE
    operation_names = tuple(f"q{number}" for number in SCHEMAS)

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The 99 queries in order, as the data brought them."""
        texts = dict(zip(map(int, truth["queries"]["number"]), truth["queries"]["text"], strict=True))
        operations = tuple(_operation(number, nulls_first(texts[number])) for number in SCHEMAS)
        return Workload(name=self.name, dataset=self.dataset, operations=operations, notice=NOTICE)

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """No answers of its data were published."""
        return None

    def agreement(self, operation: str, case: Case, digests: Mapping[str, str]) -> Agreement | None:
        """What lineages agreed on over the same rows."""
        return next((one.answers.get(operation) for one in agreed() if one.digests == dict(digests)), None)


def _operation(number: int, text: str) -> Operation:
    return Operation(
        name=f"q{number}",
        sql=text,
        schema=SCHEMAS[number],
        cases=(Case(name="only", timed=True),),
        dialect=dialects(text),
    )


workload = Tpcds()
