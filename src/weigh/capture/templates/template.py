"""Statements without their values.

The text is not parsed and written again, which changes it: the tokens of sqlglot (MIT, and weigh reads SQL with it
elsewhere), which know their places, say where literals stand, and all the rest stays as it was written. Bindings of
PostgreSQL's own parser need libclang to be built, or are GPL, and know no other product's language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.capture.trace import Does, Form, Product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot.tokenizer_core import Token


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A statement whose values were taken out.

    Attributes:
        key: equal for statements that differ in nothing but values, blanks, comments and the case of keywords.
        pieces: text around the values, as of :class:`weigh.capture.trace.Statement`.
        forms: of each value.
        does: what it does.
        first: its first word, in capitals.
        words: its words, in lower case, in order: names and keywords.
        before: of each value, the word before it in lower case, where it stands directly behind one.
    """

    key: str
    pieces: tuple[str, ...]
    forms: tuple[Form, ...]
    does: Does
    first: str
    words: frozenset[str]
    before: tuple[str, ...] = ()


class Unreadable(ValueError):
    """No tokens could be made of a text."""


_CONTROL = frozenset(("BEGIN", "START", "COMMIT", "END", "ABORT", "ROLLBACK", "SAVEPOINT", "RELEASE"))
_READS = frozenset(("SELECT", "VALUES", "TABLE", "WITH", "("))
_WRITES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CALL", "EXECUTE"))
_CHANGES = frozenset(("insert", "update", "delete", "merge", "into", "nextval", "setval"))
_COMMENT = re.compile(r"/\*[+!].*?\*/|/\*.*?\*/|--[^\n]*|#[^\n]*", re.DOTALL)
_DIALECTS = {"postgres": "postgres", "mysql": "mysql"}
_MOST_TOKENS = 20_000
_LONG = 200_000
"""Characters from which on a text is looked at before its tokens are made, which take much more memory than it."""
_STRING = re.compile(r"'(?:[^']|'')*'")


def of_sql(text: str, product: Product) -> tuple[Template, tuple[str | int, ...]]:
    """The template of a text, and for each value the literal, or the number of what was bound (from 0).

    Raises:
        Unreadable: it has no tokens, as a text that was cut off inside a string; or too many.
    """
    template, values, _ = read(text, product)
    return template, values


def read(text: str, product: Product) -> tuple[Template, tuple[str | int, ...], tuple[tuple[int, int], ...]]:
    """The same, and where each literal stands: its first character, and the one behind it."""
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType

    tokenizer = _tokenizer(product)
    if len(text) > _LONG and len(_STRING.sub("''", text)) > _LONG:
        raise Unreadable
    try:
        tokens: Sequence[Token] = tokenizer.tokenize(text)
    except (SqlglotError, ValueError, IndexError):
        raise Unreadable from None
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if not tokens or len(tokens) > _MOST_TOKENS:
        raise Unreadable
    literals = _literals()
    operators = _operands()
    pieces, key, words, before = [""], [], [], []
    forms: list[Form] = []
    values: list[str | int] = []
    spans: list[tuple[int, int]] = []
    end, bound, number = 0, 0, 0
    while number < len(tokens):
        token = tokens[number]
        start = token.start
        last = tokens[number - 1] if number else None
        gap = text[end:start]
        kind = token.token_type
        taken: str | int | None = None
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        finish = token.end + 1
        if kind in literals:
            taken = text[start:finish]
        elif (
            kind == TokenType.PARAMETER
            and following is not None
            and following.token_type == TokenType.NUMBER
            and following.start == token.end + 1
        ):
            taken, finish, number = int(following.text) - 1, following.end + 1, number + 1
        elif kind == TokenType.PLACEHOLDER:
            taken, bound = bound, bound + 1
        elif (
            kind == TokenType.DASH
            and following is not None
            and following.token_type == TokenType.NUMBER
            and following.start == token.end + 1
            and (last is None or last.token_type in operators)
        ):
            # -3 is a value; a - 3 is not.
            taken, finish, number = text[start : following.end + 1], following.end + 1, number + 1
        number += 1
        pieces[-1] += _gap(gap)
        end = finish
        if taken is None:
            word = text[start:finish]
            pieces[-1] += word
            key.append(word.upper() if _is_word(word) else word)
            if _is_word(word) or word[:1] in ('"', "`"):
                words.append(word.strip('"`').lower())
        else:
            forms.append("bound" if isinstance(taken, int) else "literal")
            values.append(taken)
            if isinstance(taken, str):
                spans.append((start, finish))
            pieces.append("")
            key.append("?" if isinstance(taken, str) else "$")
            before.append(words[-1] if last is not None and _is_word(text[last.start : last.end + 1]) else "")
    first = tokens[0].text.upper()
    template = Template(
        key=" ".join(key),
        # Long lists have the same piece many times.
        pieces=tuple(map(intern, pieces)),
        forms=tuple(forms),
        does=_does(first, words),
        first=first,
        words=frozenset(words),
        before=tuple(before),
    )
    return template, tuple(values), tuple(spans)


def _does(first: str, words: Sequence[str]) -> Does:
    if first in _CONTROL:
        return "control"
    if first in _WRITES:
        return "writes"
    if first in _READS:
        changing = _CHANGES.intersection(words)
        # FOR UPDATE locks rows; it changes none.
        locking = "update" in changing and not {"set"}.intersection(words)
        return "writes" if changing - ({"update"} if locking else set()) else "reads"
    return "utility"


def _is_word(text: str) -> bool:
    return text[:1].isalpha() or text[:1] == "_"


def _gap(gap: str) -> str:
    """What stands between two tokens: blanks stay, comments become one, hints stay."""
    if "/*" not in gap and "--" not in gap and "#" not in gap:
        return gap
    return _COMMENT.sub(lambda found: found[0] if found[0][2:3] in ("+", "!") else " ", gap)


@lru_cache(maxsize=2)
def _tokenizer(product: Product) -> Any:
    from sqlglot.dialects.dialect import Dialect

    return Dialect.get_or_raise(_DIALECTS[product])


@lru_cache(maxsize=1)
def _literals() -> frozenset[object]:
    from sqlglot.tokenizer_core import TokenType as Kind

    return frozenset(
        (
            Kind.STRING,
            Kind.NUMBER,
            Kind.NATIONAL_STRING,
            Kind.RAW_STRING,
            Kind.HEREDOC_STRING,
            Kind.UNICODE_STRING,
            Kind.BYTE_STRING,
            Kind.BIT_STRING,
            Kind.HEX_STRING,
        )
    )


@lru_cache(maxsize=1)
def _operands() -> frozenset[object]:
    """Tokens behind which a minus is a sign."""
    from sqlglot.tokenizer_core import TokenType as Kind

    names = (
        "EQ NEQ LT LTE GT GTE L_PAREN COMMA L_BRACKET PLUS STAR SLASH MOD AND OR NOT SELECT WHERE BETWEEN LIMIT OFFSET "
        "IN VALUES WHEN THEN ELSE RETURNING SET LIKE CASE ON HAVING"
    )
    return frozenset(getattr(Kind, name) for name in names.split() if hasattr(Kind, name))
