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

from weigh.capture import secret_words
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
        parts: of each of the statements that are sent at once, its first word in capitals and its words.
        worded: whether a word of a secret stands anywhere in its text.
        weak: whether a word stands there that names a secret only next to one.
        plain: whether nothing but names, keywords and signs is left in its pieces.
    """

    key: str
    pieces: tuple[str, ...]
    forms: tuple[Form, ...]
    does: Does
    first: str
    words: frozenset[str]
    before: tuple[str, ...] = ()
    parts: tuple[tuple[str, frozenset[str]], ...] = ()
    worded: bool = False
    weak: bool = False
    plain: bool = True


class Unreadable(ValueError):
    """No tokens could be made of a text."""


_CONTROL = frozenset(("BEGIN", "START", "COMMIT", "END", "ABORT", "ROLLBACK", "SAVEPOINT", "RELEASE"))
_READS = frozenset(("SELECT", "VALUES", "TABLE", "WITH", "("))
_WRITES = frozenset(("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "CALL", "EXECUTE"))
# fmt: off
_UTILITY = frozenset(
    (
        "ALTER", "ANALYZE", "ANALYSE", "BINLOG", "CACHE", "CHANGE", "CHECK", "CHECKPOINT", "CHECKSUM", "CLONE", "CLOSE",
        "CLUSTER", "COMMENT", "COPY", "CREATE", "DEALLOCATE", "DECLARE", "DESC", "DESCRIBE", "DISCARD", "DO", "DROP",
        "EXPLAIN", "FETCH", "FLUSH", "GET", "GRANT", "HANDLER", "HELP", "IMPORT", "INSTALL", "KILL", "LISTEN", "LOAD",
        "LOCK", "MOVE", "NOTIFY", "OPTIMIZE", "PREPARE", "PURGE", "REASSIGN", "REFRESH", "REINDEX", "RENAME", "REPAIR",
        "RESET", "RESIGNAL", "RESTART", "REVOKE", "SECURITY", "SET", "SHOW", "SHUTDOWN", "SIGNAL", "STOP", "TRUNCATE",
        "UNINSTALL", "UNLISTEN", "UNLOCK", "USE", "VACUUM", "XA", "FROM",
    )
)
# fmt: on
_CHANGES = frozenset(("insert", "update", "delete", "merge", "into", "nextval", "setval"))
_HINT = re.compile(r"\s*(/\*(?:\+|!\d*)(?:\s*(?:[A-Z][A-Z_]+|\w+\s*\([\w\s@.,#=-]*\)))+\s*\*/)\s*")
_EXECUTED = re.compile(r"/\*M?!")
_NUMBER = re.compile(
    r"0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|"
    r"(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?"
)
_PLACE = re.compile(r"[1-9][0-9]{0,5}")
_BLANK = re.compile(r"\s*")
_LEFT = re.compile(r"['$\\]|(?<!\w)_?\d|\d_*\Z")
"""What a value that was not known as one leaves behind, where names in quotes are out of the way."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[\w ]+\]')
_COMPARED = re.compile(r"(?:=|<>|!=|~|\blike|\bilike|\bpassword)\s*(\"[^\"]*\"|\w+)(?!\s*[.(\"\w])", re.IGNORECASE)
"""A name that stands alone where a value would, as a text in the wrong quotes does."""
_NAME = re.compile(r'"?[a-z_]*[0-9]*"?|[A-Z_]+')
_MOST_TOKENS = 20_000
_LONG = 200_000
"""Characters from which on a text is looked at before its tokens are made, which take much more memory than it."""
_LONGEST = 4_000_000
"""Characters of a text at most: its tokens take 180 bytes of memory for each, also inside a literal."""
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
    if len(text) > _LONGEST or (len(text) > _LONG and len(_STRING.sub("''", text)) > _LONG):
        raise Unreadable
    try:
        tokens: Sequence[Token] = tokenizer.tokenize(text)
    except (SqlglotError, ValueError, IndexError):
        raise Unreadable from None
    while tokens and tokens[-1].token_type == kinds.semicolon:
        tokens = tokens[:-1]
    if not tokens or len(tokens) > _MOST_TOKENS:
        raise Unreadable
    pieces, key, before = [""], [], []
    words: list[str] = []
    parts: list[tuple[str, int]] = []
    forms: list[Form] = []
    values: list[str | int] = []
    spans: list[tuple[int, int]] = []
    end, bound, number = 0, 0, 0
    while number < len(tokens):
        start = tokens[number].start
        last = tokens[number - 1] if number else None
        taken, size = _value(text, tokens, number, bound, kinds, product)
        bound += tokens[number].token_type == kinds.placeholder and taken is not None
        number += size
        pieces[-1] += _gap(text[end:start], product)
        end = tokens[number - 1].end + 1
        if last is None or last.token_type == kinds.semicolon:
            parts.append((text[start:end].upper(), len(words)))
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
    # What stands behind the last token is dropped, and so no SQL may be in it.
    _gap(text[end:].strip("; \t\r\n") and text[end:].strip(";"), product)
    first = tokens[0].text.upper()
    torn = any("\\" in piece or ("*/" in piece and "*/" in _HINT.sub("", piece)) for piece in dict.fromkeys(pieces))
    if torn or not all(_is_known(part) for part, _ in parts):
        raise Unreadable
    around = _around(text, spans)
    ends = [*(begin for _, begin in parts[1:]), len(words)]
    template = Template(
        key=" ".join(key),
        # Long lists have the same piece many times.
        pieces=tuple(map(intern, pieces)),
        forms=tuple(forms),
        does=_does(first, words),
        first=first,
        words=frozenset(words),
        before=tuple(before),
        parts=tuple((part, frozenset(words[begin:end])) for (part, begin), end in zip(parts, ends, strict=True)),
        worded=secret_words.in_statement(around, variables=product == "mysql"),
        weak=secret_words.weak_in_statement(around),
        plain=_is_plain(pieces),
    )
    return template, tuple(values), tuple(spans)


def _around(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text with its comments, and without the literals that stand there."""
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return " ? ".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))


def is_command(first: str) -> bool:
    """Whether a statement that begins so is no query, changes no rows, and is no part of a transaction's frame."""
    return first in _UTILITY


def _is_known(first: str) -> bool:
    """Whether a statement may begin so: what begins otherwise has lost its beginning, and its quotes may be turned."""
    return first in _UTILITY or first in _CONTROL or first in _READS or first in _WRITES or first == ";"


def _is_plain(pieces: Sequence[str]) -> bool:
    """Whether nothing but names, keywords and signs is left around the values."""
    for piece in dict.fromkeys(pieces):
        if _LEFT.search(_HINT.sub(" ", _QUOTED.sub(" x ", piece))):
            return False
        if any(not _NAME.fullmatch(one[1]) for one in _COMPARED.finditer(piece)):
            return False
    return True


def _value(
    text: str, tokens: Sequence[Token], number: int, bound: int, kinds: _Kinds, product: Product
) -> tuple[str | int | None, int]:
    """The value at a token, and of how many tokens it is; None and one where there is none.

    Args:
        text: whose tokens they are.
        tokens: all of them.
        number: of the token.
        bound: how many placeholders without a number stand before it.
        kinds: of tokens.
        product: whose language it is.

    Returns:
        A literal as it was written, or the number of what was bound (from 0).
    """
    token = tokens[number]
    kind = token.token_type
    if kind == kinds.number and product == "mysql" and _begins_name(text, tokens, number):
        return None, 2
    if kind in kinds.literals:
        size = _size(text, tokens, number) if kind == kinds.number else 1
        return text[token.start : tokens[number + size - 1].end + 1], size
    if kind == kinds.placeholder:
        return (None if _is_operator(tokens, number, kinds) else bound), 1
    if kind not in (kinds.parameter, kinds.dash) or number + 1 == len(tokens):
        return None, 1
    digits = tokens[number + 1]
    if digits.token_type != kinds.number or digits.start != token.end + 1:
        return None, 1
    if kind == kinds.parameter:
        return (int(digits.text) - 1, 2) if _PLACE.fullmatch(digits.text) else (None, 1)
    # -3 is a value; a - 3 is not.
    signed = number == 0 or tokens[number - 1].token_type in kinds.before_sign
    size = 1 + _size(text, tokens, number + 1)
    return (text[token.start : tokens[number + size - 1].end + 1], size) if signed else (None, 1)


def _begins_name(text: str, tokens: Sequence[Token], number: int) -> bool:
    """Whether digits are the beginning of a name, which they may be in MySQL's language: ``2024_sales``."""
    behind = tokens[number + 1] if number + 1 < len(tokens) else None
    return behind is not None and behind.start == tokens[number].end + 1 and _is_word(text[behind.start :])


def _size(text: str, tokens: Sequence[Token], number: int) -> int:
    """Of how many tokens a number is: sqlglot's end at the underlines of PostgreSQL's, and know no octal ones."""
    written = _NUMBER.match(text, tokens[number].start)
    if written is None:
        return 1
    last = number
    while tokens[last].end + 1 < written.end() and last + 1 < len(tokens):
        last += 1
    return last - number + 1 if tokens[last].end + 1 == written.end() else 1


def _is_operator(tokens: Sequence[Token], number: int, kinds: _Kinds) -> bool:
    """Whether a question mark stands between two operands, as that of jsonb does, and not for a value."""
    if not number or number + 1 == len(tokens):
        return False
    before, behind = tokens[number - 1].token_type, tokens[number + 1].token_type
    return before in kinds.operand_ends and (behind in kinds.literals or behind in kinds.operand_begins)


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


def _gap(gap: str, product: Product) -> str:
    """What stands between two tokens: blanks stay, comments become one, hints that look like hints stay.

    Raises:
        Unreadable: something else stands there, of which no token was made, or SQL that MySQL reads in a comment.
    """
    if _BLANK.fullmatch(gap):
        return gap
    if not gap.lstrip().startswith(("/*", "--", "#")):
        raise Unreadable
    hint = _HINT.fullmatch(gap)
    if hint is None and product == "mysql" and _EXECUTED.search(gap):
        raise Unreadable
    return f" {hint[1]} " if hint else " "


@lru_cache(maxsize=2)
def _tokenizer(product: Product) -> Any:
    """Of a language, which makes tokens of every word: sqlglot's own leaves the rest of some commands as one text."""
    from sqlglot.dialects.mysql import MySQL
    from sqlglot.dialects.postgres import Postgres

    dialect: Any = MySQL if product == "mysql" else Postgres
    base = dialect.Tokenizer
    # Hints are comments to it, and looked at as such.
    keywords = {word: kind for word, kind in base.KEYWORDS.items() if word != "/*+"}
    return type("Tokenizer", (base,), {"COMMANDS": set(), "KEYWORDS": keywords})()


class _Kinds(NamedTuple):
    """Kinds of tokens that values are made of.

    Attributes:
        literals: of which each is a value.
        before_sign: those behind which a minus is a sign.
        operand_ends: those with which what an operator stands behind may end.
        operand_begins: those with which what stands behind it may begin, besides literals.
    """

    literals: frozenset[object]
    before_sign: frozenset[object]
    operand_ends: frozenset[object]
    operand_begins: frozenset[object]
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
        operand_ends=frozenset((Kind.VAR, Kind.IDENTIFIER, Kind.R_PAREN, Kind.R_BRACKET, Kind.STRING, Kind.JSONB)),
        operand_begins=frozenset((Kind.VAR, Kind.IDENTIFIER, Kind.L_PAREN, Kind.PARAMETER, Kind.ARRAY, Kind.CASE)),
        parameter=Kind.PARAMETER,
        placeholder=Kind.PLACEHOLDER,
        dash=Kind.DASH,
        number=Kind.NUMBER,
        semicolon=Kind.SEMICOLON,
    )
