"""Values of a CSV or JSON that are others in the types guessed: rounded, cut, or read in one of two ways.

They are counted. The texts are read a second time as they stand: how they were read the first time is not trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.experiment.config.dialect import literal, mark, quoted
from weigh.model.errors import DataFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from weigh.experiment.config.csv_options import CsvTable

    Rows = list[dict[str, Any]]
    Ask = Callable[[list[str]], list[Rows]]

_ORDERS: dict[tuple[str, ...], tuple[str, str]] = {
    ("d", "m"): ("day/month", "month/day"),
    ("m", "d"): ("month/day", "day/month"),
}
_ZONED = r"([zZ]|[+-]\d{1,2}(:?\d{2})?|[A-Za-z_/]{3,})\s*$"
_FINE = r"\.\d{6}\d*[1-9]"
"""A fraction of a second with more than microseconds."""


class _Kind(NamedTuple):
    """One way in which a value becomes another.

    Attributes:
        types: of columns to which it happens.
        predicate: of DuckDB on the text of a value, ``{}``.
        words: what to say of a number of values, ``{}``.
    """

    types: tuple[str, ...]
    predicate: str
    words: str


def _digits(text: str) -> str:
    """The digits of a number that count."""
    return f"trim(regexp_replace(regexp_replace({text}, '[eE].*$', ''), '[^0-9]', '', 'g'), '0')"


_KINDS = (
    _Kind(
        ("DOUBLE", "HUGEINT", "UHUGEINT"),
        f"{_digits('{0}')} <> {_digits('TRY_CAST({0} AS DOUBLE)::VARCHAR')}",
        "{} rounded, because a double does not hold all of their digits",
    ),
    _Kind(
        ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME"),
        "regexp_matches({0}, '" + _FINE + "')",
        "{} cut to microseconds",
    ),
    _Kind(
        ("TIMESTAMP WITH TIME ZONE",),
        "NOT regexp_matches({0}, '" + _ZONED + "')",
        "{} without a time zone, taken for UTC",
    ),
)


def notes(
    file: Path,
    read: Sequence[dict[str, Any]],
    sniffed: dict[str, Any] | None,
    made: str,
    rows: int,
    ask: Ask,
    csv: CsvTable,
) -> Iterator[str]:
    """One sentence for each column and way.

    Args:
        file: what was read.
        read: names and types of its columns, in order.
        sniffed: how, as of :data:`weigh.experiment.config.dialect.SNIFFED`; None for JSON.
        made: the table, as DuckDB reads it.
        rows: that it has.
        ask: queries of DuckDB.
        csv: how it was to be read.
    """
    names = [str(column["name"]) for column in read]
    looked = [(at, kind) for at, column in enumerate(read) for kind in _KINDS if column["type"] in kind.types]
    if looked:
        texts = [csv.number(f"c{at}") if "DOUBLE" in kind.types else f"c{at}" for at, kind in looked]
        counts = [
            f"count(*) FILTER ({kind.predicate.replace('{0}', texts[number])}) AS n{number}"
            for number, (_, kind) in enumerate(looked)
        ]
        try:
            (found,) = ask([f"SELECT {', '.join(counts)} FROM {_texts(file, names, sniffed, csv)}"])[0]
        except DataFault:
            yield "its values cannot be read again as they stand: whether some were rounded or cut is not counted"
            return
        for number, (at, kind) in enumerate(looked):
            if changed := int(found[f"n{number}"]):
                yield f"{one_line(names[at])}: {kind.words.format(f'{changed:,} of {rows:,} values')}"
    if sniffed is not None and not csv.date:
        yield from _either_way(read, sniffed, made, ask)


def _texts(file: Path, names: Sequence[str], sniffed: dict[str, Any] | None, csv: CsvTable) -> str:
    """The values as they stand, in columns that are called by their numbers."""
    if sniffed is None:
        keys = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
        called = ", ".join(f"{quoted(name)} AS c{at}" for at, name in enumerate(names))
        return (
            f"(SELECT {called} FROM read_json({literal(str(file))}, maximum_object_size = 268435456, "
            f"hive_partitioning = false, columns = {{{keys}}}))"
        )
    marks = ", ".join(f"{name} = {literal(mark(sniffed[name]))}" for name in ("quote", "escape", "comment"))
    nulls = f", nullstr = [{', '.join(map(literal, csv.null))}]" if csv.null else ""
    types = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(names)))
    return (
        f"read_csv({literal(str(file))}, auto_detect = false, delim = {literal(str(sniffed['delimiter']))}, {marks}, "
        f"skip = {int(sniffed['skipped'])}, header = {str(bool(sniffed['header'])).lower()}, "
        f"strict_mode = false, hive_partitioning = false{nulls}, columns = {{{types}}})"
    )


def _either_way(read: Sequence[dict[str, Any]], sniffed: dict[str, Any], made: str, ask: Ask) -> Iterator[str]:
    """Dates that are read day first and could be meant month first, or the other way round."""
    for form, types in ((sniffed["dates"], ("DATE",)), (sniffed["times"], ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"))):
        order = _ORDERS.get(tuple(one for one in str(form or "") if one in "dm")[:2])
        if order is None or str(form).startswith("%Y"):
            continue
        for column in (str(one["name"]) for one in read if one["type"] in types):
            name = quoted(column)
            other = f"count(*) FILTER (day({name}) <= 12 AND day({name}) <> month({name})) AS either"
            (found,) = ask([f"SELECT count({name}) AS there, {other} FROM {made}"])[0]
            if either := int(found["either"]):
                yield (
                    f"{one_line(column)}: read as {order[0]}; {either:,} of its {int(found['there']):,} values could "
                    f"be {order[1]}"
                )
