"""Asking a contender questions outside any clock, through as many lives as it needs."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers import arrow_stream
from weigh.answers.arrow_messages import BadStream
from weigh.engines.exchange import WorkerEnded
from weigh.engines.run_cost import RunCost
from weigh.model.sample import Outcome
from weigh_worker import protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.data_link import DataLink
    from weigh.model.contender import Setting


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with what it cost.

    Attributes:
        table: the answer.
        run: what executing cost.
        lazy: why the answer was not complete when the execution returned; empty when it was.
    """

    table: Any
    run: RunCost
    lazy: str = ""


class QuerySession:
    """Questions to one contender; a life that dies is followed by another.

    Args:
        ready: the contender.
        link: where its data is.
        timeout: seconds for one question.
        changed: settings to put over the contender's own.
        tables: other files than those of its layout, e.g. the same rows in more files.
        opened: a life of it without tables, which is asked first, and closed at the end.
    """

    def __init__(
        self,
        ready: PreparedContender,
        link: DataLink,
        timeout: float,
        *,
        changed: Mapping[str, Setting] | None = None,
        tables: Tables | None = None,
        opened: WorkerProcess | None = None,
    ) -> None:
        self.ready = ready
        self._link = link
        self.timeout = timeout
        self._changed = changed
        self._tables = tables
        self._opened = opened
        self._life: WorkerProcess | None = None

    def __enter__(self) -> QuerySession:
        return self

    def __exit__(self, *_: object) -> None:
        for life in (self._life, self._opened):
            if life:
                life.close()

    @property
    def lacking(self) -> Mapping[str, str]:
        """Tables that the contender cannot be given, and why."""
        return self._link.lacking(self.ready)

    def columns_lacking(self) -> Mapping[str, Mapping[str, str]]:
        """Columns that the contender could not be given, and why, by table; raises as ``life``."""
        return self.life().exchange.ask("lacking", protocol.LackingReply, self.timeout)[0].columns

    def life(self) -> WorkerProcess:
        """The process that is asked: the same until it dies.

        Raises:
            WorkerEnded: it could not be started.
        """
        if self._life is None:
            opened, self._opened = self._opened, None
            try:
                self._life = self._link.start(self.ready, self._tables, self._changed, opened)
            except BaseException:
                if opened:
                    opened.kill()
                raise
        return self._life

    def ask(self, sql: str, *, withdraw: bool = False, partial: bool = False) -> Reply:
        """Execute a query and fetch its answer.

        Args:
            sql: the query.
            withdraw: fetch the answer while the data is withdrawn, to see whether it is complete.
            partial: of a table with columns that the engine could not be given, ask for the others.

        Raises:
            WorkerEnded: the engine refused, timed out, crashed or ran out of memory.
        """
        self._check_tables(sql)
        worker = self.life()
        try:
            worker.prepare(sql, self.timeout, partial=partial)
            run = worker.run(self.timeout)
            lazy = ""
            if withdraw:
                with self._link.withdrawn():
                    try:
                        table = self._fetch(worker)
                    except WorkerEnded as ended:
                        lazy = ended.detail
                        if not ended.alive:
                            self._life = None
            if lazy:
                # Once more with the data in place: who answers now was lazy, who fails again is simply broken.
                worker = self.life()
                worker.prepare(sql, self.timeout)
                run = worker.run(self.timeout)
            if lazy or not withdraw:
                table = self._fetch(worker)
        except WorkerEnded as ended:
            if not ended.alive:
                self._life = None
            raise
        if not lazy and table.num_rows != run.rows:
            lazy = f"it reported {run.rows:,} rows inside the clock and handed out {table.num_rows:,}"
        return Reply(table=table, run=run, lazy=lazy)

    def execute(self, sql: str) -> RunCost:
        """Execute a query without fetching its answer.

        Raises:
            WorkerEnded: as ``ask``.
        """
        self._check_tables(sql)
        worker = self.life()
        try:
            worker.prepare(sql, self.timeout)
            return worker.run(self.timeout)
        except WorkerEnded as ended:
            if not ended.alive:
                self._life = None
            raise

    def _check_tables(self, sql: str) -> None:
        """Raises WorkerEnded where a query names a table that the contender cannot be given."""
        for table, why in self.lacking.items():
            if re.search(rf"(?<!\w){re.escape(table)}(?!\w)", sql, re.IGNORECASE):
                raise WorkerEnded(Outcome.UNSUPPORTED, why, alive=True)

    def _fetch(self, worker: WorkerProcess) -> pa.Table:
        path, _ = worker.answer(self.timeout)
        return read_answer(path)


def read_answer(path: Path) -> pa.Table:
    """The answer in an Arrow IPC stream, checked whole; the file is gone afterwards.

    Raises:
        WorkerEnded: what the engine handed out cannot be read.
    """
    return answer_in(answer_bytes(path))


def answer_bytes(path: Path) -> bytes:
    """What an engine handed out, unread; the file is gone afterwards.

    Raises:
        WorkerEnded: it is no regular file.
    """
    try:
        return arrow_stream.content(path)
    except BadStream as error:
        raise _no_stream(error) from None
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def answer_in(content: bytes) -> pa.Table:
    """The answer in what an engine handed out, checked whole.

    Raises:
        WorkerEnded: it is no Arrow stream.
    """
    try:
        return arrow_stream.table(content)
    except BadStream as error:
        raise _no_stream(error) from None


def _no_stream(error: BadStream) -> WorkerEnded:
    return WorkerEnded(Outcome.ERROR, f"what it handed out cannot be read as an Arrow stream: {error}", alive=True)
