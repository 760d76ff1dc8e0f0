"""Salted queries: the same question with a number more in its answer, so that nobody can have asked it before.

``SELECT action, count(*) FROM events`` becomes ``SELECT action, count(*), 400 + 17 AS tq8fw3 FROM events``. The work is
the same. Text, plan and folded constants are others, and the answer shows that this query was answered. Name, form and
spaces are drawn with the number: who would strip what is added has to understand the query, and not one pattern.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from weigh.model.data.frames import is_program, with_constant
from weigh.workloads.long_lists import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

_LETTERS = "bcdfghjkmnpqrstvwxz"
_FORMS = ("{salt}", "{less} + {rest}", "{more} - {rest}", "({less} + {rest})", "{rest} + {less}")
_SPACES = (" ", "  ", "\n", "\n  ")


def column(salt: int) -> str:
    """The name of the column that holds a number: no word of any SQL, and another one for each number."""
    drawn = hashlib.sha256(str(salt).encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in drawn[:5]) + str(drawn[5] % 90 + 10)


def _term(salt: int) -> str:
    """The column with what gives its number, in a form that is drawn with it."""
    drawn = hashlib.sha256(f"form {salt}".encode()).digest()
    rest = int.from_bytes(drawn[:2], "little") % max(salt, 1)
    form = _FORMS[drawn[2] % len(_FORMS)].format(salt=salt, less=salt - rest, more=salt + rest, rest=rest)
    return f",{_SPACES[drawn[3] % len(_SPACES)]}{form} AS{_SPACES[drawn[4] % len(_SPACES)]}{column(salt)}"


def salted(sql: str, salt: int) -> str | None:
    """The query with a column more; None where its text has no single place for it.

    Nothing else of the text changes. A query without FROM, or of several parts (UNION), is left alone.
    """
    if is_program(sql):
        return with_constant(sql, column(salt), salt)
    end = _place(sql)
    return None if end is None else f"{sql[:end]}{_term(salt)}{sql[end:]}"


@lru_cache(maxsize=1 << 14)
def _place(sql: str) -> int | None:
    """Where a column can be added: a text is salted before each of its turns, and is the same each time."""
    from sqlglot import TokenType
    from sqlglot.errors import TokenError
    from sqlglot.tokens import Tokenizer

    try:
        tokens = Tokenizer().tokenize(shortened(sql))
    except TokenError:
        return None
    depth = 0
    selects, end = 0, None
    for at, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            depth += 1
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1
        elif depth == 0 and token.token_type is TokenType.SELECT:
            selects += 1
        elif depth == 0 and token.token_type is TokenType.FROM and selects and end is None:
            end = None if _compares(tokens[:at]) else tokens[at - 1].end + 1
    if selects != 1 or end is None:
        return None
    return end


def _compares(before: Sequence[Any]) -> bool:
    """Whether the words before a FROM make it that of ``a IS [NOT] DISTINCT FROM b``."""
    words = [token.text.upper() for token in before[-3:]]
    return words[-2:] == ["IS", "DISTINCT"] or words == ["IS", "NOT", "DISTINCT"]


def unsalted(table: pa.Table, salt: int) -> pa.Table | None:
    """An answer without the column; None where it has none, or another number in it."""
    if table.num_columns < 2 or table.column_names[-1].lower() != column(salt):
        return None
    if not all(_is(value, salt) for value in set(table.column(table.num_columns - 1).to_pylist())):
        return None
    return table.select(range(table.num_columns - 1))


def _is(value: object, salt: int) -> bool:
    """Whether a value is the number, in whatever type the engine has for it."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return text.strip() == str(salt) if isinstance(text, str) else text == salt
