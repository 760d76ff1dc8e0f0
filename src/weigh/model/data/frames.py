"""Questions to data frames: programs in Python, in the place of SQL.

A program begins with a comment that names its dialect (``# frames/polars``). Then come definitions, and after the
comment ``# question`` statements that make ``answer`` of ``tables``, the frames by name.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "frames/"
"""Begin of the name of every dialect of data frames; the rest is that of a library."""
QUESTION = "\n# question\n"
"""What stands between the definitions of a program and its statements; read by ``weigh_worker.frames`` as well."""


def is_frames(dialect: str) -> bool:
    """Whether questions in a dialect are programs."""
    return dialect.startswith(PREFIX)


def is_program(text: str) -> bool:
    """Whether the text of a question is a program, and not SQL."""
    return text.startswith(f"# {PREFIX}")


def function_name(operation: str) -> str:
    """The name of the function that answers an operation: the same, or the nearest that Python allows."""
    name = re.sub(r"\W", "_", operation)
    return f"q{name}" if name[:1].isdigit() else name


def program(source: str, literals: Mapping[str, object]) -> str:
    """The program that asks one case of an operation.

    Args:
        source: what the operation needs, its function last.
        literals: of the case; parameters that are none of them are tables.
    """
    name, parameters, required = _signature(source)
    given = [
        f"{one}={literals[one]!r}" if one in literals else f'{one}=tables["{one}"]'
        for one in parameters
        if one in literals or one in required
    ]
    return f"{source.rstrip()}\n{QUESTION}answer = {name}({', '.join(given)})\n"


def filled(source: str, literals: Mapping[str, object]) -> str:
    """The source of a function whose parameters of these names have a value already."""
    if not literals:
        return source
    name, parameters, required = _signature(source)
    values = ", ".join(f"{one}={literals[one]!r}" for one in parameters if one in literals)
    tables = ", ".join(f"{one}={one}" for one in parameters if one in required and one not in literals)
    taken = ", ".join(one for one in parameters if one in required and one not in literals)
    given = ", ".join(part for part in (tables, values) if part)
    moments = "import datetime\n\n\n" if "datetime." in values else ""
    return f"{source.rstrip()}\n\n\n{moments}def {name}_filled({taken}):\n    return {name}({given})\n"


def whole(table: str, dialect: str) -> str:
    """The program that asks for every row of a table."""
    return f'# {dialect}\n{QUESTION}answer = all_rows(tables["{table}"])\n'


def counted(table: str, dialect: str) -> str:
    """The program that counts a table's rows."""
    return f'# {dialect}\n{QUESTION}answer = row_count(tables["{table}"])\n'


def drawn(table: str, dialect: str, column: str, modulus: int, remainder: int) -> str:
    """The program that asks for the rows whose number in a column leaves a remainder, none of them negative."""
    return f'# {dialect}\n{QUESTION}answer = drawn_rows(tables["{table}"], "{column}", {modulus}, {remainder})\n'


def with_constant(text: str, column: str, number: int) -> str:
    """A program whose answer has a column more, with the same number in every row."""
    return f'{text.rstrip()}\nanswer = with_constant(answer, "{column}", {number})\n'


def another_text(text: str, number: int) -> str:
    """The same program in a text that nobody has executed before."""
    return f"{text.rstrip()}\n# {number}\n"


@lru_cache(maxsize=1 << 10)
def _signature(source: str) -> tuple[str, tuple[str, ...], frozenset[str]]:
    """Name and parameters of the last function, and those that must be given."""
    function = next(one for one in reversed(ast.parse(source).body) if isinstance(one, ast.FunctionDef))
    positional = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    keyword = [one.arg for one in function.args.kwonlyargs]
    optional = set(positional[len(positional) - len(function.args.defaults) :])
    optional |= {one for one, default in zip(keyword, function.args.kw_defaults, strict=True) if default is not None}
    names = (*positional, *keyword)
    return function.name, names, frozenset(names) - optional
