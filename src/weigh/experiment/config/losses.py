"""What was guessed or lost where a text was read as a table: counted, so that nobody has to trust a guess."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from weigh.experiment.config import changed_values
from weigh.experiment.config.csv_options import FOUND, CsvTable
from weigh.experiment.config.dialect import SNIFFED, literal, mark, quoted
from weigh.model.errors import DataFault
from weigh.model.text import one_line
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import IO

    Rows = list[dict[str, Any]]
    Ask = Callable[[list[str]], list[Rows]]
    """Queries to their rows."""

_NAMED = 8
"""Columns that are named of a kind."""
_NUMBER = r"\s*[-+(]?\s*[$€£¥]?\s*(?:\d{1,3}(?:[.,'' ]\d{3})+|\d+)?(?:[.,]\d+)?(?:[eE][-+]?\d+)?\s*[%$€£¥)-]?\s*"
"""What people write for a number: with a comma, thousands, a currency, a share."""
_DATE = r"\s*\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?\s*"
_NOTHING = ("null", "none", "na", "n/a", "nan", "nil", "-", "\\n", "?")
"""Texts that often stand for NULL."""
_SEPARATORS = (",", ";", "\t", "|")
_MOST = 0.5
"""Share of a column's values from which on it looks like something else than text."""
_CHUNK = 1 << 20
_NULLS = {"CSV": "empty fields", "JSON": "missing or null fields"}


def questions(file: Path, form: str, source: str, made: Path, csv: CsvTable = FOUND) -> list[str]:
    """Queries of DuckDB where it makes the table.

    Args:
        file: what is read.
        form: ``CSV``, ``JSON`` or ``DuckDB``.
        source: how DuckDB reads it.
        made: the table, as Parquet.
        csv: how it was to be read.
    """
    described = [
        f"SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM {one})"
        for one in (source, f"read_parquet({literal(str(made))}, hive_partitioning = false)")
    ]
    if form != "CSV":
        return described
    sniffed = f"SELECT {SNIFFED} FROM sniff_csv({literal(str(file))}, sample_size = -1{csv.sql})"
    return [*described, sniffed]


def notes(
    file: Path, form: str, made: Path, answers: Sequence[Rows], ask: Ask, csv: CsvTable = FOUND
) -> tuple[str, ...]:
    """What a table is not that a text may be, or what Parquet does not keep of a database: one sentence each.

    Args:
        file: what was read.
        form: ``CSV``, ``JSON`` or ``DuckDB``.
        made: the table, as Parquet.
        answers: to :func:`questions`.
        ask: queries of DuckDB.
        csv: how it was to be read.
    """
    read, written, *sniffed = answers
    if form == "DuckDB":
        return tuple(_changed(read, written))
    names = [str(column["name"]) for column in written]
    texts = [str(column["name"]) for column in read if column["type"] in ("VARCHAR", "JSON")]
    table = f"read_parquet({literal(str(made))}, hive_partitioning = false)"
    (counted,) = ask([_counts(table, names, texts)])[0]
    lines: Sequence[str] = ()
    changed: Sequence[str] = ()
    read_as = sniffed[0][0] if sniffed and sniffed[0] else None
    if read_as is not None:
        lines = list(_lines(file, read_as, int(counted["rows"]), names, counted, csv))
    if read_as is not None or form == "JSON":
        changed = list(changed_values.notes(file, read, read_as, table, int(counted["rows"]), ask, csv))
    # The commas of a line that is read whole are no decimal ones.
    ragged = read_as is not None and _is_ragged(names, counted)
    columns = (
        *(() if ragged else _looks(texts, counted, csv if form == "CSV" else None)),
        *_nulls(form if not csv.null else "fields that --csv says are NULL", names, texts, counted),
    )
    options = (f"read with --csv {csv.written}",) if csv.written else ()
    return (*options, *lines, _types(read), *changed, *_changed(read, written), *columns)


def _counts(table: str, names: Sequence[str], texts: Sequence[str]) -> str:
    """One row: how many rows; NULLs of each column; and of texts, how many look like numbers, dates, NULL."""
    found = ["count(*) AS rows"]
    for number, name in enumerate(names):
        column = quoted(name)
        found.append(f"count(*) - count({column}) AS null{number}")
        if name not in texts:
            continue
        as_text = f"{column}::VARCHAR"
        like = {
            "number": f"regexp_full_match({as_text}, {literal(_NUMBER)}) AND regexp_matches({as_text}, '[0-9]')",
            "date": f"regexp_full_match({as_text}, {literal(_DATE)})",
            "word": f"lower(trim({as_text})) IN ({', '.join(map(literal, _NOTHING))})",
        }
        for kind, predicate in like.items():
            found.append(f"count(*) FILTER ({predicate}) AS {kind}{number}")
            found.append(f"min({as_text}) FILTER ({predicate}) AS {kind}_example{number}")
        separators = "|".join(map(re.escape, _SEPARATORS))
        pieces = f"len(regexp_split_to_array({as_text}, {literal(separators)}))"
        found += [f"min({pieces}) AS least{number}", f"max({pieces}) AS most{number}"]
    return f"SELECT {', '.join(found)} FROM {table}"


def _lines(
    file: Path, sniffed: dict[str, Any], rows: int, names: Sequence[str], counted: dict[str, Any], csv: CsvTable
) -> Iterator[str]:
    quote, comment = mark(sniffed["quote"]), mark(sniffed["comment"])
    try:
        records, blank, comments = _records(file, quote, comment)
    except OSError as error:
        # Of Arrow: what is compressed does not end as it says, which DuckDB does not look at.
        raise DataFault(
            f"what is compressed in it is damaged: {one_line(str(error), 200)}",
            where=str(file),
            remedy="make it again, or unpack it and give what is inside",
        ) from error
    header = bool(sniffed["header"])
    dropped = records - rows - header
    if dropped > 0:
        before = int(sniffed["skipped"])
        what = [f"{before:,} before the header"] if before else []
        what += [f"{comments:,} beginning with {comment}"] if comments else []
        clause = f" ({', '.join(what)})" if what else ""
        yield f"{count(dropped, 'line')} of {records:,} dropped{clause}"
    elif dropped < 0:
        yield f"{rows:,} rows of {count(records, 'line')}"
    if blank and len(names) > 1:
        yield f"{count(blank, 'empty line')} dropped"
    if not header:
        yield f"no line was taken for a header: its columns are called {names[0]} to {names[-1]}"
    if _is_ragged(names, counted):
        least, most = int(counted["least0"]), int(counted["most0"])
        ragged = f"its lines have {least} to {most} fields" if least != most else f"its lines may have {most} fields"
        whole = f"{ragged}, so that each line is read whole, as one text (quotes too)"
        remedy = f"leave sep={csv.sep} out, or mend those lines" if csv.sep else "mend those lines"
        yield f"ragged: {whole}: {remedy}"


def _is_ragged(names: Sequence[str], counted: dict[str, Any]) -> bool:
    return len(names) == 1 and int(counted.get("most0") or 1) > 1


def _records(file: Path, quote: str, comment: str) -> tuple[int, int, int]:
    """Lines with something in them, those without, and those that are comments; a line break in quotes is none."""
    records = blank = comments = 0
    mark, word = quote.encode(), comment.encode()
    opened = False
    begun = False
    with _plain(file) as lines:
        for line in _split(lines):
            if not opened:
                begun = False
                comments += bool(word) and line.lstrip().startswith(word)
            begun = begun or bool(line.strip())
            if mark and line.count(mark) % 2:
                opened = not opened
            if not opened:
                records += begun
                blank += not begun
    return records + opened, blank, comments


def _split(lines: IO[bytes]) -> Iterator[bytes]:
    rest = end = b""
    while chunk := lines.read(_CHUNK):
        # A file of old has carriage returns alone.
        end = end or (b"\r" if b"\r" in chunk[:-1] and b"\n" not in chunk else b"\n")
        *whole, rest = (rest + chunk).replace(b"\r\n", b"\n").split(end)
        yield from whole
    if rest:
        yield rest


def _plain(file: Path) -> IO[bytes]:
    import pyarrow as pa

    packed = {".gz": "gzip", ".zst": "zstd"}.get(file.suffix.lower())
    if packed is None:
        return file.open("rb")
    opened: IO[bytes] = pa.CompressedInputStream(pa.OSFile(str(file)), packed)
    return opened


def _types(read: Sequence[dict[str, Any]]) -> str:
    columns = [f"{one_line(str(one['name']))} {one_line(str(one['type']), 60)}" for one in read]
    return f"types guessed: {_some(columns)}"


def _changed(read: Sequence[dict[str, Any]], written: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Types that Parquet has not, and that lose something by what they become."""
    for one, other in zip(read, written, strict=True):
        was, now = str(one["type"]), str(other["type"])
        if was != now and (now == "DOUBLE" or "UNION" in was or was.startswith(("BIGNUM", "BIT", "TIME"))):
            yield f"{one_line(str(one['name']))} is {one_line(was, 60)}, and becomes {one_line(now, 60)} in Parquet"


def _looks(texts: Sequence[str], counted: dict[str, Any], csv: CsvTable | None) -> Iterator[str]:
    for number, name in _numbered(counted, texts):
        if csv and name in csv.text:
            continue
        there = int(counted["rows"]) - int(counted[f"null{number}"])
        for kind, like in (("number", "numbers"), ("date", "dates")):
            found = int(counted[f"{kind}{number}"])
            if found and found >= _MOST * there:
                value = one_line(str(counted[f"{kind}_example{number}"]), 40)
                remedy = f"; numbers they are with --csv '{options}'" if csv and (options := _as_number(value)) else ""
                much = f"{found:,} of its {there:,} values"
                yield f"{one_line(name)} stays text; {much} look like {like} ('{value}'){remedy}"
                break


def _as_number(value: str) -> str:
    """Options of CSV with which such a text is a number: ``2,5`` and ``1.234,50``; empty for none."""
    if re.fullmatch(r"-?\d{1,3}(\.\d{3})+,\d+", value):
        return "decimal=,,thousands=."
    return "decimal=," if re.fullmatch(r"-?\d+,(\d{1,2}|\d{4,})", value) else ""


def _nulls(form: str, names: Sequence[str], texts: Sequence[str], counted: dict[str, Any]) -> Iterator[str]:
    made = [(name, int(counted[f"null{number}"])) for number, name in enumerate(names)]
    if columns := [f"{found:,} in {one_line(name)}" for name, found in made if found]:
        yield f"NULL made of {_NULLS.get(form, form)}: {_some(columns)}"
    words = [
        f"{int(counted[f'word{number}']):,} in {one_line(name)}"
        for number, name in _numbered(counted, texts)
        if counted[f"word{number}"]
    ]
    if words:
        yield f"texts that often stand for NULL stay texts: {_some(words)}"


def _numbered(counted: dict[str, Any], texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The columns of texts with the numbers that they are counted by."""
    there = [int(key.removeprefix("word")) for key in counted if re.fullmatch(r"word\d+", key)]
    return zip(sorted(there), texts, strict=True)


def _some(clauses: Sequence[str]) -> str:
    more = f" and {len(clauses) - _NAMED:,} more" if len(clauses) > _NAMED else ""
    return ", ".join(clauses[:_NAMED]) + more
