"""What a capture found: ``capture.json``."""

from __future__ import annotations

import msgspec

from weigh.capture.arrivals import Fit
from weigh.capture.parameters import Distribution
from weigh.capture.trace import Does, Product
from weigh.model.units import Seconds

SCHEMA = "weigh/capture/1"
FILE = "capture.json"


class StatementFound(msgspec.Struct, frozen=True, kw_only=True):
    """A statement.

    Attributes:
        number: of it in the trace.
        text: with ``$1``, ``$2``, ... for its values.
        does: what it does.
        calls, failed, time_s, rows: of all its calls; ``time_s`` and ``rows`` None where the source does not say.
        redacted: calls of which some or all values were replaced, because they are secrets or may be.
    """

    number: int
    text: str
    does: Does
    calls: int
    failed: int = 0
    time_s: Seconds | None = None
    rows: int | None = None
    redacted: int = 0


class ScriptFound(msgspec.Struct, frozen=True, kw_only=True):
    """A script.

    Attributes:
        name: of its file.
        weight: how often it comes, in relation to the others: its calls.
        calls_share, time_share: of all calls and of all time that the source has.
        statements: by their numbers.
        parameters: of each value, in order.
        groups: of each value; values of a group were equal in every call, and are one variable.
        pauses_s: mean pause behind each statement but the last.
    """

    name: str
    weight: int
    calls_share: float
    time_share: float | None
    statements: tuple[int, ...]
    parameters: tuple[Distribution, ...] = ()
    groups: tuple[int, ...] = ()
    pauses_s: tuple[Seconds, ...] = ()


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not in the scripts, or is there otherwise.

    Attributes:
        reason: why, as a code.
        number: how many.
        text: one sentence.
    """

    reason: str
    number: int
    text: str


class Covered(msgspec.Struct, frozen=True, kw_only=True):
    """What the most expensive scripts are of the whole.

    Attributes:
        scripts: how many, the most expensive first.
        calls, time: shares; ``time`` None where the source has no durations.
    """

    scripts: int
    calls: float
    time: float | None


class Thinking(msgspec.Struct, frozen=True, kw_only=True):
    """Pauses of sessions between the end of one unit and the beginning of the next.

    Attributes:
        number: of pauses.
        median_s, mean_s: of them.
        law: ``exponential``, ``constant`` or ``other``.
        p_value: of the first.
    """

    number: int
    median_s: Seconds
    mean_s: Seconds
    law: str
    p_value: float


class CaptureResults(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        form: of the source.
        files: its names, without folders; none of what was replaced.
        product: whose language the statements are in.
        begun: moment of the first call; None also of what was replaced, because dates that were moved would be told.
        length_s: from the first call's moment to the last one's; None where the source has no moments.
        calls, time_s: of all calls that the source has, scripts or not.
        sessions, transactions: how many there were; None where the source does not say.
        protocol: in which the scripts want to be sent.
        coverage: by the scripts; then of fewer of them.
        scripts: the most expensive first.
        statements: by their numbers.
        arrivals: of units.
        thinking: None where sessions are not known.
        left_out: with a sentence each.
        notes: what else must be known, a sentence each.
        trace: whether there is one.
        obfuscation: tells the key that replaced names and values, and nothing of it; None where they are the source's.
        schema: of the document.
    """

    form: str
    files: tuple[str, ...]
    product: Product
    begun: str | None
    length_s: Seconds | None
    calls: int
    time_s: Seconds | None
    sessions: int | None
    transactions: int | None
    protocol: str
    coverage: tuple[Covered, ...]
    scripts: tuple[ScriptFound, ...]
    statements: tuple[StatementFound, ...]
    arrivals: Fit | None
    thinking: Thinking | None
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    trace: bool
    obfuscation: str | None = None
    schema: str = SCHEMA
