"""Units as scripts in the language of ``weigh load``, whose variables are drawn as the values seen were."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.capture.parameters import Distribution
    from weigh.capture.trace import Does, Statement

Protocol = Literal["prepared", "simple"]

_STRIDE = 10_000_000
"""New keys that one connection may make before it meets those of the next."""
_TICKETS = 1_000_000
"""Of a draw among values: the smallest share is one of so many."""
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_LEAST_PAUSE = 0.000_5
"""Seconds: shorter pauses inside a transaction are the way there and back, not a client that thinks."""
_LARGEST = (1 << 63) - 1


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A script as it is written.

    Attributes:
        name: of its file, without ``.sql``.
        text: of it.
        sequences: names of variables that count what a connection has made; they begin at 0.
    """

    name: str
    text: str
    sequences: tuple[str, ...] = ()


def write(
    name: str,
    statements: Sequence[Statement],
    first: Sequence[str | None],
    groups: Sequence[int],
    distributions: Sequence[Distribution],
    pauses: Sequence[float],
    protocol: Protocol,
    comment: Iterable[str],
) -> Script:
    """A script of a unit.

    Args:
        name: of it.
        statements: in order.
        first: values of the first call, of all statements one after the other.
        groups: of each value; values of a group are always equal.
        distributions: of each value.
        pauses: mean seconds between each statement and the next.
        protocol: whether the load will send statements as text.
        comment: what its reader should know, a line each.
    """
    prefix = "made_" + re.sub(r"\W", "_", name)
    letter = "p"
    # A text such as 'at:p1' must not become a variable.
    while any(f":{letter}" in text for text in [*filter(None, first), *(one.text for one in statements)]):
        letter += "_"
    named: dict[int, str] = {}
    heads: list[str] = []
    sequences: list[str] = []
    body: list[str] = []
    at = 0
    for number, statement in enumerate(statements):
        words = []
        for place, form in enumerate(statement.forms):
            group, distribution = groups[at], distributions[at]
            if form == "literal" and (distribution.kind == "constant" or _typed(statement, place, protocol)):
                words.append(first[at] or "NULL")
            else:
                if group not in named:
                    variable = named[group] = f"{letter}{len(named) + 1}"
                    source = _source(form, protocol)
                    lines, counter = _drawn(variable, f"{prefix}_n{len(named)}", distribution, source)
                    heads += lines
                    sequences += [counter] if counter else []
                words.append(f":{named[group]}")
            at += 1
        pieces = [_plain(piece) for piece in statement.pieces]
        text = pieces[0] + "".join(word + piece for word, piece in zip(words, pieces[1:], strict=True))
        body.append(f"{text.strip().rstrip(';')};")
        if number < len(pauses) and pauses[number] >= _LEAST_PAUSE:
            body.append(f"\\sleep {round(pauses[number] * 1e6)} us")
    comments = [f"-- {' '.join(line.split())}" for line in comment]
    return Script(name=name, text="\n".join([*comments, *heads, *body]) + "\n", sequences=tuple(sequences))


def name_of(number: int, statements: Sequence[Statement], does: Sequence[Does]) -> str:
    """A name for a unit: what it does to which table."""
    inside = [one for one, what in zip(statements, does, strict=True) if what != "control"]
    first = inside[0] if inside else statements[0]
    text = first.text
    verb = (re.search(r"[A-Za-z]+", text) or [""])[0].lower()
    table = re.search(
        r"\b(?:from|into|update|join|table)\s+(?:only\s+)?([\w\".`$]+)", text.replace("\n", " "), re.IGNORECASE
    )
    words = [f"{number:02}", "transaction" if len(inside) > 1 else "", verb, table[1] if table else ""]
    name = re.sub(r"[^a-z0-9_]+", "-", "-".join(word for word in words if word).lower())
    return name.strip("-")[:60]


def _source(form: str, protocol: Protocol) -> str:
    """What a variable must hold.

    Returns:
        ``sql``, a literal as it stands in SQL; ``quoted``, the same of a bound value; ``bare``, the value of a
        parameter; ``unquoted``, the same of a literal.
    """
    if protocol == "simple":
        return "sql" if form == "literal" else "quoted"
    return "unquoted" if form == "literal" else "bare"


def _drawn(variable: str, counter: str, distribution: Distribution, source: str) -> tuple[list[str], str]:
    """Lines that set a variable, and the name of a counter that they need; empty without one."""
    d = distribution
    if d.kind == "sequence" and d.high is not None:
        base = f"{d.high + 1} + :client_id * {_STRIDE} + :{counter}"
        lines = [f"\\set {counter} :{counter} + 1", f"\\set {variable} {_around(d, base, source)}"]
        return lines, counter
    ticket = f"{variable}_t"
    arms = []
    edge = 0.0
    shares: list[tuple[str, float]] = [("null", d.nulls)] if d.nulls > 0 else []
    shares += [(_constant(value, source), share) for value, share in d.values]
    rest = _rest(d, source)
    lines = []
    for value, share in shares:
        edge += share
        upto = min(_TICKETS, round(edge * _TICKETS))
        arms.append(f"when :{ticket} <= {upto} then {value}")
    if not shares:
        (only,) = [rest] if isinstance(rest, str) else [None]
        if only is not None:
            return [f"\\set {variable} {only}"], ""
    if isinstance(rest, list):
        # A range each, one as likely as the other.
        remaining = max(0.0, 1.0 - edge)
        for place, text in enumerate(rest[:-1]):
            upto = min(_TICKETS, round((edge + remaining * (place + 1) / len(rest)) * _TICKETS))
            arms.append(f"when :{ticket} <= {upto} then {text}")
        otherwise = rest[-1]
    elif rest is None:
        if len(shares) == 1:
            return [f"\\set {variable} {shares[0][0]}"], ""
        otherwise = shares[-1][0]
        arms = arms[:-1]
    else:
        otherwise = rest
    lines.append(f"\\set {ticket} random(1, {_TICKETS})")
    lines.append(f"\\set {variable} case {' '.join(arms)} else {otherwise} end")
    return lines, ""


def _rest(d: Distribution, source: str) -> str | list[str] | None:
    """What is drawn where none of the values is: an expression, or several that are equally likely; None if nothing."""
    if d.kind == "uniform" and d.low is not None:
        return _around(d, f"random({d.low}, {d.high})", source)
    if len(d.bounds) > 1:
        pairs = list(zip(d.bounds[:-1], d.bounds[1:], strict=True))
        ranges = [f"random({low + (low < high and place > 0)}, {high})" for place, (low, high) in enumerate(pairs)]
        found = [_around(d, one, source) for one in ranges]
        return found if len(found) > 1 else found[0]
    return None


def _around(d: Distribution, number: str, source: str) -> str:
    """A whole number, with the text around it."""
    prefix, suffix = d.prefix, d.suffix
    # A text leaves its type to the server, as a parameter or a literal in quotes does.
    text = source == "bare"
    if source == "unquoted" and prefix[:1] == "'" and suffix[-1:] == "'":
        prefix, suffix = prefix[1:].replace("''", "'"), suffix[:-1].replace("''", "'")
        text = True
    elif source == "quoted":
        prefix, suffix = "'" + prefix.replace("'", "''"), suffix.replace("'", "''") + "'"
    if not prefix and not suffix and not text:
        return number
    parts = [_quoted(prefix)] if prefix else []
    parts += [number] + ([_quoted(suffix)] if suffix else [])
    return f"concat({', '.join(parts)})"


def _constant(value: str, source: str) -> str:
    if source == "unquoted" and len(value) > 1 and value[0] == value[-1] == "'":
        return _quoted(value[1:-1].replace("''", "'"))
    if source == "quoted":
        return _quoted("'" + value.replace("'", "''") + "'")
    whole = source != "bare" and _INTEGER.fullmatch(value) and abs(int(value)) <= _LARGEST
    return value if whole else _quoted(value)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_COLON = re.compile(r"(?<![:\"]):(?=[A-Za-z_\u0080-\U0010ffff])")
_TYPED = re.compile(
    r"\b(?:interval|date|time|timestamp|timestamptz|timetz|json|jsonb|inet|cidr|uuid|bytea|point|numeric|bit)\s*$",
    re.IGNORECASE,
)


def _plain(piece: str) -> str:
    """A piece of SQL in which nothing looks like a variable: of an array, ``a[1:n]`` becomes ``a[1: n]``."""
    return piece if '"' in piece else _COLON.sub(": ", piece)


def _typed(statement: Statement, place: int, protocol: Protocol) -> bool:
    """Whether a literal stands behind its type, ``interval '1 day'``, where no parameter may stand."""
    return protocol == "prepared" and _TYPED.search(statement.pieces[place]) is not None
