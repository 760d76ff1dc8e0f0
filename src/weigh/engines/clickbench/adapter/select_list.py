"""What a query calls its columns: answers without a header have no names of their own."""

from __future__ import annotations


def names(sql: str) -> tuple[list[str], list[str] | None] | None:
    """Names before and after a ``*``, and None for the latter where there is none; None where the text is unknown.

    A column that the query does not name is called by its expression.
    """
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except sqlglot.errors.SqlglotError:
        return None
    if not isinstance(query, exp.Query):
        return None
    found = [one.alias or (one.name if isinstance(one, exp.Column) else one.sql()) for one in query.selects]
    stars = [at for at, one in enumerate(query.selects) if one.is_star]
    if not stars:
        return found, None
    return (found[: stars[0]], found[stars[0] + 1 :]) if len(stars) == 1 else None


def called(sql: str, width: int) -> list[str]:
    """Names of an answer's columns, ``f0`` and so on for those that nobody knows.

    Raises:
        ValueError: the query has another number of columns.
    """
    known = names(sql)
    unknown = [f"f{at}" for at in range(width)]
    if known is None:
        return unknown
    before, after = known
    if after is None:
        if len(before) != width:
            why = "what stands between cells may stand in a text too" if width > len(before) else "it has another form"
            raise ValueError(
                f"a row of {width} {'cell' if width == 1 else 'cells'} where the query has {len(before)} columns: "
                f"{why}; say in which form it prints (weigh.answer), or have ./query print CSV"
            )
        return before
    if len(before) + len(after) > width:
        return unknown
    return [*before, *unknown[len(before) : width - len(after)], *after]
