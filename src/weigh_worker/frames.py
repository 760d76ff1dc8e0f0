"""What a library of data frames must be able to do to be measured: its questions are programs, and no SQL."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from weigh_worker.adapter import Adapter, Unsupported

_BEGIN = "# frames/"
_QUESTION = "\n# question\n"
_ANSWER = "answer"


class FrameAdapter(Adapter):
    """One life of one library of data frames.

    A question is a program. What stands before the comment ``# question`` imports modules and defines functions, and is
    executed by ``prepare``. What follows is inside the clock: the expression is built, optimised, executed and
    collected.

    Attributes:
        tables: the frames by name, as programs find them.
        result: the complete answer, in the library's own form.
    """

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.tables: dict[str, Any] = _Tables()
        self.result: Any = None
        self._question: Any = None
        self._names: dict[str, Any] = {}

    @abstractmethod
    def open_table(self, name: str, paths: list[str]) -> Any:
        """A table as functions get it: nothing is read but footers."""

    @abstractmethod
    def collect(self, answer: Any) -> Any:
        """What a function returned as the complete result, in memory; raises TypeError where it is no frame."""

    def all_rows(self, table: Any) -> Any:
        """A table as a frame; to be replaced where functions get something else."""
        return table

    @abstractmethod
    def row_count(self, table: Any) -> Any:
        """A frame of one row, with the number of rows of a table; weigh asks it of tables with many rows."""

    @abstractmethod
    def drawn_rows(self, table: Any, column: str, modulus: int, remainder: int) -> Any:
        """The rows of a table whose number in a column is not negative and leaves a remainder."""

    @abstractmethod
    def with_constant(self, answer: Any, column: str, number: int) -> Any:
        """An answer with a column more, the last one, that has the same number in every row.

        Nothing else of it changes. weigh asks so what nobody asked before.
        """

    def bind(self, tables: dict[str, list[str]]) -> None:
        """A frame each."""

        def bound(name: str) -> None:
            self.tables[name] = self.open_table(name, tables[name])

        self.bind_each(tables, bound)

    def prepare(self, sql: str) -> None:
        """Take a program: what it defines is executed, what it asks is not."""
        if not sql.startswith(_BEGIN):
            raise Unsupported("there is no function for this question, and data frames take no SQL")
        definitions, _, question = sql.partition(_QUESTION)
        self._names = {
            "__name__": "question",
            "tables": self.tables,
            "all_rows": self.all_rows,
            "row_count": self.row_count,
            "drawn_rows": self.drawn_rows,
            "with_constant": self.with_constant,
        }
        self._question = compile(question, "question", "exec")
        exec(compile(definitions, "definitions", "exec"), self._names)

    def run(self) -> int:
        """Build the expression, execute it, and hold the complete result."""
        exec(self._question, self._names)
        self.result = self.collect(self._names.pop(_ANSWER))
        return self.height()

    def height(self) -> int:
        """Rows of the result."""
        return len(self.result)

    def release(self) -> None:
        """Drop the result."""
        self.result = None

    def close(self) -> None:
        """Nothing is left open: the process ends."""
        self.release()

    def classify(self, error: BaseException) -> str:
        """A function or its library says with Unsupported or NotImplementedError what it cannot do."""
        # Not what SQL of the same library is taken for: there a column that is missing cannot be the question's fault.
        return "unsupported" if isinstance(error, NotImplementedError) else Adapter.classify(self, error)


class _Tables(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        raise LookupError(f"'{name}' is neither a table ({', '.join(sorted(self))}) nor a parameter of the query")
