"""What an engine is asked to know how it takes integer arithmetic that leaves the width of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.answers.constructs.widths import Overflow

PREFIX = "overflow "
"""Begin of keys of what an engine gives, by :func:`key_of`."""
REFUSED = "refused"
_NAMES = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}
_EXPRESSIONS = {"+": "a + b", "-": "b - a", "*": "a * b", "+1": "a + 1", "-1": "a - 1", "*1": "a * 2", "neg": "-a",
                "abs": "abs(a)", "sum": "a"}  # fmt: skip


def key_of(one: Overflow) -> str:
    """Key of how an engine takes an overflow."""
    return f"{PREFIX}{one.kind} {'i' if one.width.signed else 'u'}{one.width.bits}"


def probe(one: Overflow, ask: Callable[[str], str | None]) -> str | None:
    """What an engine gives where an operation leaves a type, alone and summed; None where it lacks the type.

    Args:
        one: the operation.
        ask: the first value of an answer to a query, or None where the engine refuses.
    """
    name = _NAMES.get(one.width.bits)
    if name is None or one.kind not in {*_EXPRESSIONS, "cast"}:
        return None
    for spelled in [name] if one.width.signed else [f"U{name}", f"{name} UNSIGNED"]:
        if ask(_query("max(a)", 1, 1, spelled)) is not None:
            # What is summed some engines compute in the width of the sum.
            answers = (ask(_overflowing(one, spelled, called)) for called in ("max", "sum"))
            return ", ".join(answer or REFUSED for answer in answers)
    return None


def _overflowing(one: Overflow, name: str, called: str) -> str:
    least, most = one.width.ends
    if one.kind == "cast":
        wide = "DECIMAL(20, 0)" if one.width.bits == max(_NAMES) else "BIGINT"
        return _query(f"{called}(CAST(a AS {name}))", most + 2, most + 2, wide)
    low = one.kind in ("-1", "abs") or (one.kind == "neg" and one.width.signed)
    first = least if low else most
    return _query(f"{called}({_EXPRESSIONS[one.kind]})", first, least if one.kind == "-" else first, name)


def _query(expression: str, first: int, second: int, name: str) -> str:
    """Of two rows: what is computed of constants is not always what is computed of a column."""
    row = f"SELECT CAST({first} AS {name}) AS a, CAST({second} AS {name}) AS b"
    return f"SELECT {expression} FROM ({row} UNION ALL {row}) AS t"
