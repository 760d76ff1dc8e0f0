"""Statements without their values.

The text is not parsed and written again, which changes it: the tokens of sqlglot (MIT, and weigh reads SQL with it
elsewhere), which know their places, say where literals stand, and all the rest stays as it was written. Bindings of
PostgreSQL's own parser need libclang to be built, or are GPL, and know no other product's language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

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

    kinds = _kinds()
    tokenizer = _tokenizer(product)
    if len(text) > _LONG and len(_STRING.sub("''", text)) > _LONG:
        raise Unreadable
    try:
        tokens: Sequence[Token] = tokenizer.tokenize(text)
    except (SqlglotError, ValueError, IndexError):
        raise Unreadable from None
    while tokens and tokens[-1].token_type == kinds.semicolon:
        tokens = tokens[:-1]
    if not tokens or len(tokens) > _MOST_TOKENS:
        raise Unreadable
    pieces, key, words, before = [""], [], [], []
    forms: list[Form] = []
    values: list[str | int] = []
    spans: list[tuple[int, int]] = []
    end, bound, number = 0, 0, 0
    while number < len(tokens):
        start = tokens[number].start
        last = tokens[number - 1] if number else None
        taken, size = _value(text, tokens, number, bound, kinds)
        bound += tokens[number].token_type == kinds.placeholder
        number += size
        pieces[-1] += _gap(text[end:start])
        end = tokens[number - 1].end + 1
        if taken is None:
            word = text[start:end]
            pieces[-1] += word
            key.append(word.upper() if _is_word(word) else word)
            if _is_word(word) or word[:1] in ('"', "`"):
                words.append(word.strip('"`').lower())
        else:
            forms.append("bound" if isinstance(taken, int) else "literal")
            values.append(taken)
            if isinstance(taken, str):
                spans.append((start, end))
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


def _value(text: str, tokens: Sequence[Token], number: int, bound: int, kinds: _Kinds) -> tuple[str | int | None, int]:
    """The value at a token, and of how many tokens it is; None and one where there is none.

    Args:
        text: whose tokens they are.
        tokens: all of them.
        number: of the token.
        bound: how many placeholders without a number stand before it.
        kinds: of tokens.

    Returns:
        A literal as it was written, or the number of what was bound (from 0).
    """
    token = tokens[number]
    kind = token.token_type
    if kind in kinds.literals:
        return text[token.start : token.end + 1], 1
    if kind == kinds.placeholder:
        return bound, 1
    if kind not in (kinds.parameter, kinds.dash) or number + 1 == len(tokens):
        return None, 1
    digits = tokens[number + 1]
    if digits.token_type != kinds.number or digits.start != token.end + 1:
        return None, 1
    if kind == kinds.parameter:
        return (int(digits.text) - 1, 2) if digits.text.isdecimal() else (None, 1)
    # -3 is a value; a - 3 is not.
    signed = number == 0 or tokens[number - 1].token_type in kinds.before_sign
    return (text[token.start : digits.end + 1], 2) if signed else (None, 1)


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


class _Kinds(NamedTuple):
    """Kinds of tokens that values are made of.

    Attributes:
        literals: of which each is a value.
        before_sign: those behind which a minus is a sign.
    """

    literals: frozenset[object]
    before_sign: frozenset[object]
    parameter: object
    placeholder: object
    dash: object
    number: object
    semicolon: object


@lru_cache(maxsize=1)
def _kinds() -> _Kinds:
    from sqlglot.tokenizer_core import TokenType as Kind

    literals = (
        "STRING NUMBER NATIONAL_STRING RAW_STRING HEREDOC_STRING UNICODE_STRING BYTE_STRING BIT_STRING HEX_STRING"
    )
    before_sign = (
        "EQ NEQ LT LTE GT GTE L_PAREN COMMA L_BRACKET PLUS STAR SLASH MOD AND OR NOT SELECT WHERE BETWEEN LIMIT OFFSET "
        "IN VALUES WHEN THEN ELSE RETURNING SET LIKE CASE ON HAVING"
    )
    return _Kinds(
        literals=frozenset(getattr(Kind, name) for name in literals.split()),
        before_sign=frozenset(getattr(Kind, name) for name in before_sign.split() if hasattr(Kind, name)),
        parameter=Kind.PARAMETER,
        placeholder=Kind.PLACEHOLDER,
        dash=Kind.DASH,
        number=Kind.NUMBER,
        semicolon=Kind.SEMICOLON,
    )
