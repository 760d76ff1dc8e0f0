"""Truth: what each query must answer in each state, by engines that take no part.

The rows of a state are predicted (:mod:`weigh.streams.states`); witnesses answer over the files that hold them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from weigh.answers import compare
from weigh.engines import engine as engines
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import ready
from weigh.experiment.gate.queries import read_answer
from weigh.model.contender import Contender

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.model.answer import ResultSchema
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds
    from weigh.streams.benchmark import Benchmark
    from weigh.streams.record import StepStatus
    from weigh.streams.states import States

USUAL = ("datafusion", "polars", "duckdb", "chdb")
"""In the order in which they are asked to be witnesses."""
ENOUGH = 2


class Ruling(NamedTuple):
    """What is reported of an answer.

    Attributes:
        status: whether it agrees.
        state: of which state it is true.
        detail: what is wrong, and who says so.
    """

    status: StepStatus
    state: int | None = None
    detail: str = ""


def witnesses(contenders: Iterable[PreparedContender], cache: Path, progress: Progress) -> list[PreparedContender]:
    """Two engines of other lineages than the contenders'."""
    taken = {one.lineage for one in contenders}
    names = [name for name in USUAL if engines.load(name).lineage not in taken][:ENOUGH]
    found = []
    for name in names:
        progress.say(f"environment of {name}, a witness")
        found.append(ready(Contender(name=name, engine=name), cache))
    return found


class Truth:
    """Right answers.

    Args:
        benchmark: texts and schemas of the queries.
        places: numbers of the states in which each query may be asked.
    """

    def __init__(self, benchmark: Benchmark, places: Mapping[str, Sequence[int]]) -> None:
        self._benchmark, self._places = benchmark, places
        self._right: dict[tuple[str, int], dict[str, pa.Table]] = {}

    def schema(self, name: str) -> ResultSchema:
        """What an answer to a query looks like."""
        return self._benchmark.schema(name)

    def ask(
        self, everyone: Sequence[PreparedContender], states: States, timeout: Seconds, progress: Progress
    ) -> list[str]:
        """Ask all witnesses everything, a text of several streams once; what one could not answer, in words."""
        failed = []
        for one in everyone:
            for number in range(len(states)):
                names = [name for name, places in self._places.items() if number in places]
                texts = {name: self._benchmark.text(name, one.engine.dialect) for name in names}
                if not names:
                    continue
                number_of_texts = len(set(texts.values()))
                progress.say(
                    f"{one.name} answers {number_of_texts} queries after {number} of {len(states) - 1} refreshes"
                )
                answered: dict[str, pa.Table] = {}
                waiting = dict.fromkeys(texts.values())
                while waiting:
                    # A query that ends a life takes no other's answer with it.
                    try:
                        with one.open() as worker:
                            worker.bind(states.files(number))
                            for text in list(waiting):
                                del waiting[text]
                                worker.prepare(text, timeout)
                                worker.run(timeout)
                                answered[text] = read_answer(worker.answer(timeout)[0])
                    except WorkerEnded as ended:
                        failed.append(f"{one.name} after {number} refreshes: {ended.detail}")
                for name, text in texts.items():
                    if text in answered:
                        self._right.setdefault((name, number), {})[one.name] = answered[text]
        return failed

    def judge(self, name: str, answer: pa.Table, states: Sequence[int]) -> Ruling:
        """Whether an answer is right in one of the states that it may be of."""
        schema, details, doubtful = self.schema(name), [], False
        for number in states:
            tables = self._right.get((name, number), {})
            for witness, table in tables.items():
                compared = compare.compare(answer, table, schema)
                if compared.agrees:
                    return Ruling("agreed", number)
                details.append(f"{witness} says otherwise: {'; '.join(map(str, compared.differences[:2]))}")
            doubtful = doubtful or len(tables) < ENOUGH or not self._alike(tables, schema)
        if doubtful or not details:
            return Ruling("unverified", None, "its witnesses are fewer than two, or do not agree")
        return Ruling("diverged", None, details[0])

    @staticmethod
    def _alike(tables: Mapping[str, pa.Table], schema: ResultSchema) -> bool:
        first, *others = tables.values()
        return all(compare.compare(first, one, schema).agrees for one in others)
