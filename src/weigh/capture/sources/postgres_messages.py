"""Messages of PostgreSQL's log, in whatever form it was written: from them the calls.

What the server says of a call, and when, depends on its settings: ``log_statement`` writes the statement before it runs
and ``log_duration`` its time afterwards; ``log_min_duration_statement`` writes both in one message afterwards;
``auto_explain`` writes the text with the plan, also before that.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING

import msgspec

from weigh.capture.entry import Entry
from weigh.capture.sources.numbers import LONGEST_CALL, number, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.capture.entry import Tally

_DURATION = re.compile(r"duration: ([\d.]+) ms(?:  (.*))?$", re.DOTALL)
_STATEMENT = re.compile(r"(?:statement|execute [^:]*): (.*)$", re.DOTALL)
_PHASE = re.compile(r"(?:parse|bind|execute fetch from) [^:]*:")
_PLAN = re.compile(r"plan:\s*(.*)$", re.DOTALL)
_PARAMETERS = re.compile(r"(?:parameters|Parameters): (.*)$", re.DOTALL)
_PARAMETER = re.compile(r"\$(\d{1,6}) = (NULL|'(?:[^']|'')*')(\.\.\.)?(?:, |$)")
_QUERY_PARAMETERS = re.compile(r"\nQuery Parameters: (.*?)(?=\n|$)")
_ROWS = re.compile(r"actual (?:time=\S+ )?rows=(\d+)")
_MOST_SESSIONS = 10_000


class Message(msgspec.Struct, kw_only=True):
    """One message with what belongs to it.

    Attributes:
        at: when it was written, in seconds.
        session: whose it is.
        severity: ``LOG``, ``ERROR``, ...
        text: of the message.
        detail: of it; empty where there is none.
        statement: that failed, of an error.
        state: SQLSTATE, where the log has it.
    """

    at: float
    session: str
    severity: str
    text: str
    detail: str = ""
    statement: str = ""
    state: str = ""


class Calls:
    """Makes calls of messages, in their order.

    Args:
        tally: counts what is no call.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        # By session: a call that is known, and about which more may come.
        self._open: OrderedDict[str, tuple[str, Entry]] = OrderedDict()

    def of(self, message: Message) -> Iterator[Entry]:
        """Calls that are complete with this message."""
        if message.severity in ("ERROR", "FATAL", "PANIC"):
            yield from self._failed(message)
            return
        if message.severity != "LOG":
            self._tally.add("other-messages")
            return
        timed = _DURATION.match(message.text)
        took = None
        if timed:
            milliseconds = number(timed[1], LONGEST_CALL * 1e3)
            if milliseconds is None:
                self._tally.add("broken")
                return
            took = milliseconds / 1e3
        rest = (timed[2] or "") if timed else message.text
        if timed and not rest:
            yield from self._ended(message, took)
        elif _PHASE.match(rest):
            self._tally.add("phases")
        elif statement := _STATEMENT.match(rest):
            bound = self._bound(message.detail)
            if bound is None:
                return
            entry = Entry(
                at=message.at - (took or 0.0), session=message.session, text=statement[1], bound=bound, duration_s=took
            )
            yield from self._calls(entry, timed=took is not None)
        elif timed and (plan := _PLAN.match(rest)):
            yield from self._explained(message, took or 0.0, plan[1])
        else:
            self._tally.add("other-messages")

    def rest(self) -> Iterator[Entry]:
        """Calls about which nothing more came."""
        for _, entry in self._open.values():
            yield entry
        self._open.clear()

    def _calls(self, entry: Entry, *, timed: bool) -> Iterator[Entry]:
        """A statement with its text, before it runs or afterwards."""
        before = self._open.pop(entry.session, None)
        if before is not None:
            kind, known = before
            if kind == "plan" and timed and _same(known.text, entry.text):
                entry.rows = known.rows
            elif not (kind == "statement" and timed and _same(known.text, entry.text)):
                yield known
        if timed:
            yield entry
        else:
            yield from self._keep("statement", entry)

    def _ended(self, message: Message, took: float | None) -> Iterator[Entry]:
        """How long the last statement of the session took."""
        before = self._open.pop(message.session, None)
        if before is None:
            self._tally.add("no-statement")
            return
        entry = before[1]
        entry.duration_s = took
        yield entry

    def _failed(self, message: Message) -> Iterator[Entry]:
        before = self._open.pop(message.session, None)
        state = message.state if message.state not in ("", "00000") else "XX000"
        if before is not None:
            before[1].error = state if not message.statement or _same(before[1].text, message.statement) else None
            yield before[1]
            if before[1].error:
                return
        if message.statement:
            yield Entry(at=message.at, session=message.session, text=message.statement, error=state)
        else:
            self._tally.add("other-messages")

    def _explained(self, message: Message, took: float, plan: str) -> Iterator[Entry]:
        """A plan of ``auto_explain``, as text or JSON."""
        text, parameters, rows = "", "", None
        if plan.startswith("{"):
            try:
                document = msgspec.json.decode(plan, type=_Plan)
            except msgspec.MsgspecError:
                self._tally.add("broken")
                return
            text, parameters, rows = document.text, document.parameters, document.plan.get("Actual Rows")
        elif plan.startswith("Query Text: "):
            text = _before_plan(plan.removeprefix("Query Text: "))
            given = _QUERY_PARAMETERS.search("\n" + plan)
            parameters = given[1] if given else ""
            actual = _ROWS.search(plan)
            rows = whole(actual[1]) if actual else None
        bound = self._bound(f"Parameters: {parameters}" if parameters else "")
        if not text or bound is None:
            self._tally.add("broken")
            return
        entry = Entry(
            at=message.at - took,
            session=message.session,
            text=text,
            bound=bound,
            duration_s=took,
            rows=whole(str(int(rows))) if isinstance(rows, (int, float)) and 0 <= rows < 1e18 else None,
        )
        before = self._open.get(message.session)
        if before is not None and before[0] == "statement" and _same(before[1].text, text):
            # Its duration is still to come.
            before[1].rows = entry.rows
            return
        if before is not None:
            yield self._open.pop(message.session)[1]
        yield from self._keep("plan", entry)

    def _keep(self, kind: str, entry: Entry) -> Iterator[Entry]:
        self._open[entry.session] = (kind, entry)
        if len(self._open) > _MOST_SESSIONS:
            yield self._open.popitem(last=False)[1][1]

    def _bound(self, detail: str) -> tuple[str | None, ...] | None:
        """Values of ``$1``, ``$2``, ...; None where they cannot be read."""
        given = _PARAMETERS.match(detail)
        if given is None:
            return ()
        values: list[str | None] = []
        at = 0
        for one in _PARAMETER.finditer(given[1]):
            if one.start() != at or int(one[1]) != len(values) + 1 or one[3]:
                break
            values.append(None if one[2] == "NULL" else one[2][1:-1].replace("''", "'"))
            at = one.end()
        if at != len(given[1]):
            self._tally.add("broken")
            return None
        return tuple(values)


class _Plan(msgspec.Struct):
    text: str = msgspec.field(name="Query Text", default="")
    parameters: str = msgspec.field(name="Query Parameters", default="")
    plan: dict[str, object] = msgspec.field(name="Plan", default_factory=dict)


_NODE = re.compile(r"\n(?:Query Parameters: |[A-Z][\w ]*[^\n]*\(cost=|[A-Z][\w ]*[^\n]*\(actual )")


def _before_plan(text: str) -> str:
    """The query, behind which the plan's first node stands on a line of its own."""
    node = _NODE.search(text)
    return text[: node.start()] if node else text


def _same(one: str, other: str) -> bool:
    return one.strip().rstrip(";") == other.strip().rstrip(";")
