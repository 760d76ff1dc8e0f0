"""Parameters of a user's queries: ``{name}``, ``$name`` and ``$1``, and the grid of values that they are asked with."""

from __future__ import annotations

import functools
from itertools import product
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError, nearest
from weigh.model.operation import Case
from weigh.workloads.long_lists import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Value = str | int | float
Parameters = dict[str, Value | list[Value] | dict[str, Value | list[Value]]]
"""Values by parameter, for every query that has it; a table stands under the name of a query, for it alone."""

MOST = 1_000
"""Cases of one operation: every contender answers each of them in the gate."""


def names(sql: str) -> list[str]:
    """The parameters of a query, in order; what stands in strings and comments is none."""
    return list(dict.fromkeys(name for name, _, _ in _found(sql)))


def braced(sql: str) -> str:
    """The query with every ``$name`` written as ``{name}``."""
    return replaced(sql, lambda name: f"{{{name}}}")


def replaced(sql: str, written: Callable[[str], str]) -> str:
    """The query with every parameter as a function of its name writes it; strings and comments stay as they are."""
    text, at = "", 0
    for name, begin, end in _found(sql):
        text += sql[at:begin] + written(name)
        at = end
    return text + sql[at:]


def grid(parameters: Parameters, query: str, wanted: Sequence[str], cases: Sequence[Case], where: str) -> list[Case]:
    """The cases of a query, each with every combination of the values of its parameters.

    Args:
        parameters: of weigh.toml.
        query: name of the query.
        wanted: its parameters.
        cases: with literals of their own, which win; none is one without any.
        where: its file, for errors.

    Raises:
        UsageError: a parameter has no value, or there are too many combinations.
    """
    own = parameters.get(query)
    values = {name: _list(value) for name, value in parameters.items() if not isinstance(value, dict)}
    if isinstance(own, dict):
        values |= {name: _list(value) for name, value in own.items()}
    found: list[Case] = []
    for case in cases or (Case(name="", timed=True),):
        open_ = [name for name in wanted if name not in case.literals]
        missing = [name for name in open_ if not values.get(name)]
        if missing:
            raise UsageError(
                f"the parameter {missing[0]} has no value",
                where=where,
                remedy=f"give weigh init --param {missing[0]}=VALUE,..., or write [sql.parameters] in weigh.toml with "
                f"{_key(missing[0])} = [VALUE, ...]",
            )
        for chosen in product(*(values[name] for name in open_)):
            literals = dict(zip(open_, chosen, strict=True))
            parts = [case.name, *(f"{name}={value}" for name, value in literals.items())]
            name = ", ".join(part for part in parts if part) or "only"
            found.append(Case(name=name, literals={**case.literals, **literals}, timed=case.timed))
            if len(found) > MOST:
                raise UsageError(
                    f"its parameters have more than {MOST:,} combinations", where=where, remedy="name fewer values"
                )
    return found


def check(parameters: Parameters, queries: Mapping[str, Sequence[str]]) -> None:
    """Refuse values that no query asks for: a misspelt name would otherwise be no parameter at all.

    Args:
        parameters: of weigh.toml.
        queries: the parameters of every query.

    Raises:
        UsageError: there is one.
    """
    every = {name for wanted in queries.values() for name in wanted}
    for name, value in parameters.items():
        if isinstance(value, dict):
            if name not in queries:
                raise UsageError(f"there is no query '{name}'", where="[sql.parameters]", remedy=nearest(name, queries))
            unknown, known = [key for key in value if key not in queries[name]], set(queries[name])
        else:
            unknown, known = [name] if name not in every else [], every
        if unknown:
            raise UsageError(
                f"no query has the parameter '{unknown[0]}'",
                where="[sql.parameters]",
                remedy=nearest(unknown[0], known),
            )


def _list(value: Value | list[Value] | dict[str, Value | list[Value]]) -> list[Value]:
    assert not isinstance(value, dict)
    return value if isinstance(value, list) else [value]


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else f'"{name}"'


@functools.lru_cache(maxsize=16)
def _found(sql: str) -> tuple[tuple[str, int, int], ...]:
    """Name, begin and end of every parameter; of a thousand combinations of a text it is looked for once."""
    return tuple(_places(sql))


def _places(sql: str) -> Iterator[tuple[str, int, int]]:
    if "$" not in sql and "{" not in sql:
        # Telling the words of a long list of values apart takes seconds.
        return
    from sqlglot import TokenType
    from sqlglot.dialects import DuckDB
    from sqlglot.errors import TokenError

    try:
        tokens = DuckDB.Tokenizer().tokenize(shortened(sql))
    except TokenError:
        return
    for at, token in enumerate(tokens[:-1]):
        name = tokens[at + 1]
        if name.start != token.end + 1 or not (name.text.isidentifier() or name.text.isdigit()):
            continue
        if name.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            continue
        if token.token_type is TokenType.PARAMETER and token.text == "$":
            yield name.text, token.start, name.end + 1
        elif token.token_type is TokenType.L_BRACE and at + 2 < len(tokens):
            last = tokens[at + 2]
            if last.token_type is TokenType.R_BRACE and last.start == name.end + 1:
                yield name.text, token.start, last.end + 1
