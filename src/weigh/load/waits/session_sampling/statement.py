"""A statement without its literals: what it does, and nothing of whose data it does it to."""

from __future__ import annotations

import re

_MOST = 160
_PART = re.compile(
    r"""
    (?P<comment> --[^\n]* | /\*(?:(?!/\*|\*/).)*\*/ | /\*.*\Z )
    | (?P<literal>
        \$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z)
      | (?<![\w$])[eE]'(?:[^'\\]|''|\\.)*+(?:'|\Z)
      | (?:(?<![\w$])(?:[bBxXnN]|[uU]&))?'(?:(?:[^'\\]|'')*+(?:'|\Z)|.*\Z)
      | 0[xXoObB][\da-fA-F_]+
      | (?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?
      )
    | "(?:[^"]|"")*(?:"|\Z) | \$\d+ | [^\W\d][\w$]*
    """,
    re.VERBOSE | re.DOTALL,
)
_MYSQL = re.compile(
    r"""
    (?P<comment> --\s[^\n]* | \#[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<literal>
        (?:(?<![\w$])(?:[bBxXnN]|_\w+\s*))?'(?:(?:[^'\\]|'')*+(?:'|\Z)|.*\Z)
      | "(?:(?:[^"\\]|"")*+(?:"|\Z)|.*\Z)
      | 0[xXbB][\da-fA-F]+
      | (?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?
      )
    | `(?:[^`]|``)*(?:`|\Z) | [^\W\d][\w$]*
    """,
    re.VERBOSE | re.DOTALL,
)
"""Of MySQL and MariaDB: quotes of both kinds are strings, unless ``sql_mode`` has ``ANSI_QUOTES``."""


def without_literals(text: str, *, mysql: bool = False) -> str:
    """The statement on one line, ``?`` for each literal, comments left out, shortened.

    A text that the server has cut may end inside a literal: then the rest of it is the literal. The rest is left out
    as well where a comment holds another one, and where a plain string holds a backslash: whether a quote behind that
    ends the string is up to the session's ``standard_conforming_strings``, or to MySQL's ``NO_BACKSLASH_ESCAPES``.

    Args:
        text: the statement.
        mysql: whether it is in the language of MySQL and MariaDB, and not in PostgreSQL's.
    """
    plain = " ".join((_MYSQL if mysql else _PART).sub(_printed, text).split())
    return plain if len(plain) <= _MOST else plain[:_MOST] + "..."


def _printed(found: re.Match[str]) -> str:
    if found["comment"] is not None:
        return " "
    return "?" if found["literal"] is not None else found[0]
