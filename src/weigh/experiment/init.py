"""``weigh init``: an experiment on the user's own data and queries, written down to be edited.

The queries are asked of one engine, so that each result schema is read off an answer and not guessed.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.data import user_files
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import ready
from weigh.evidence import whole
from weigh.experiment.config import given_files, named_files
from weigh.experiment.config.contenders import chosen_contenders
from weigh.experiment.config.conversion import Converted, converted
from weigh.experiment.config.csv_options import FOUND, CsvTable
from weigh.experiment.config.file import read_file
from weigh.experiment.data.data_link import DataLink
from weigh.experiment.gate.queries import QuerySession
from weigh.experiment.init_text import QUERIES, schema_toml, toml
from weigh.model import codes, units
from weigh.model.contender import parse_contender
from weigh.model.errors import DataFault, EngineFault, EnvironmentFault, UsageError, WeighError, refusal, remedy_of
from weigh.model.operation import fill
from weigh.model.text import one_line, reason, unreadable
from weigh.workloads import infer_schema
from weigh.workloads.askable import refuse
from weigh.workloads.parameters import braced, check, grid, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.model.contender import Contender
    from weigh.model.dataset import Conversion
    from weigh.model.finding import Finding
    from weigh.model.progress import Progress
    from weigh.workloads.infer_schema import Statement
    from weigh.workloads.parameters import Parameters, Value
    from weigh.workloads.user_sql import QueryFile

CONTENDERS = ("duckdb", "datafusion")
"""Two lineages, so that each confirms the other's answers; both install in seconds."""
_TIMEOUT = 300.0


class Written(NamedTuple):
    """What was written.

    Attributes:
        files: every file.
        tables: number of files by table.
        conversions: files that were no Parquet, and are converted in the cache.
        queries: names of the queries.
        findings: what the user should look at.
        left_out: why files and queries were left out.
        alone: files of SQL in the folder of queries that have no result schema: a gate ends at them.
    """

    files: tuple[Path, ...]
    tables: dict[str, int]
    conversions: tuple[Conversion, ...]
    queries: tuple[str, ...]
    findings: tuple[Finding, ...]
    left_out: tuple[WeighError, ...] = ()
    alone: tuple[Path, ...] = ()


def init(
    data: Sequence[str],
    queries: Sequence[Path],
    contenders: Sequence[str],
    folder: Path,
    cache: Path,
    progress: Progress,
    *,
    parameters: Sequence[str] = (),
    csv: CsvTable = FOUND,
    force: bool,
) -> Written:
    """Write weigh.toml and the folder of queries.

    Args:
        data: files as paths, folders or glob patterns, each with an optional ``TABLE=`` before it.
        queries: files of SELECT statements, and folders of them.
        contenders: as ``--contender`` takes them; the first one is asked.
        folder: where to write.
        cache: weigh's cache directory.
        progress: receives messages.
        parameters: ``NAME=VALUE,VALUE...`` for each parameter of the queries.
        csv: how files of CSV are read.
        force: whether files that exist are written over.

    Raises:
        UsageError: the data or the queries are not there or cannot be read; files exist already.
        EngineFault: the first contender answers no query: why not the first one.
    """
    chosen = [parse_contender(text) for text in contenders or CONTENDERS]
    tables = given_files.tables(data, cache)
    given_queries, refused = _askable(_statements(queries)) if queries else (None, [])
    values: Parameters = dict(map(_parameter, parameters))
    check(values, {one.name: names(one.sql) for one in given_queries or ()})
    made, unread = _readable(tables, cache, progress, csv)
    statements = given_queries if given_queries is not None else _starters(tables)
    schemas, findings, unanswered = _described(chosen[0], made, statements, values, cache, progress)
    texts = {folder / "weigh.toml": toml(chosen, tables, values, folder, csv, given_files.called(data))}
    texts |= _queries(schemas, folder / QUERIES)
    _write(texts, force=force)
    return Written(
        files=tuple(texts),
        tables={table: len(files) for table, files in made.tables.items()},
        conversions=made.conversions,
        queries=tuple(one.name for one in schemas),
        findings=tuple(findings),
        left_out=(*unread, *refused, *unanswered),
        alone=_alone(folder / QUERIES),
    )


def add(queries: Sequence[Path], path: Path, cache: Path, progress: Progress, *, force: bool) -> Written:
    """Add queries to those of a weigh.toml. Everything that it declares stays as it is.

    Args:
        queries: files of SELECT statements, and folders of them.
        path: of weigh.toml; its first contender is asked, over its tables, with its parameters.
        cache: weigh's cache directory.
        progress: receives messages.
        force: whether queries that exist are written over.

    Raises:
        UsageError: it has no tables, the queries cannot be read, or one of that name exists.
        DataFault: a file is damaged.
        EngineFault: the first contender answers no query: why not the first one.
    """
    file = read_file(path)
    files = named_files.user_files(file, path, {}, progress)
    if files is None or files.folder is None or file.sql is None:
        raise UsageError(
            f"its workload is {file.experiment.workload}, which has its own questions",
            where=str(path),
            remedy="queries are added to one of your own data: weigh init --data FILES --sql FILES",
        )
    statements, refused = _askable(_statements(queries))
    (first, *_) = chosen_contenders(file, (), None)
    made = Converted(files.tables, files.conversions)
    schemas, findings, unanswered = _described(first, made, statements, file.sql.parameters, cache, progress)
    texts = _queries(schemas, files.folder)
    _write(texts, force=force)
    return Written(
        files=tuple(texts),
        tables={table: len(paths) for table, paths in files.tables.items()},
        conversions=(),
        queries=tuple(one.name for one in schemas),
        findings=tuple(findings),
        left_out=(*refused, *unanswered),
        alone=_alone(files.folder),
    )


def _alone(folder: Path) -> tuple[Path, ...]:
    """Files of SQL without a result schema."""
    return tuple(one for one in sorted(folder.glob("*.sql")) if not one.with_suffix(".toml").exists())


def _queries(schemas: Mapping[Statement, QueryFile], folder: Path) -> dict[Path, str]:
    """The text of each query, and what a right answer to it looks like, by file."""
    texts = {}
    for one, schema in schemas.items():
        texts[folder / f"{one.name}.sql"] = one.sql.rstrip(";").rstrip() + ";\n"
        texts[folder / f"{one.name}.toml"] = schema_toml(schema)
    return texts


def _readable(
    tables: user_files.Tables, cache: Path, progress: Progress, csv: CsvTable
) -> tuple[Converted, list[WeighError]]:
    """The tables as Parquet; files that cannot be read are taken out of ``tables``, and tables of nothing else.

    Raises:
        WeighError: no file can be read: why the first one cannot.
    """
    from weigh._native import hash_file

    found: user_files.Tables = {}
    conversions: list[Conversion] = []
    unread: list[WeighError] = []
    for table, files in list(tables.items()):
        for file in list(files):
            try:
                made = converted({table: [file]}, cache, progress, csv)
                for parquet in made.tables[table]:
                    user_files.facts(parquet, table, str(file), hash_file(parquet), cache)
            except (DataFault, UsageError) as error:
                unread.append(error)
                files.remove(file)
                continue
            found.setdefault(table, []).extend(made.tables[table])
            conversions += made.conversions
        if not files:
            del tables[table]
    if not found:
        raise unread[0]
    return Converted(found, tuple(conversions)), unread


def _parameter(text: str) -> tuple[str, list[Value]]:
    name, equals, values = text.partition("=")
    name = name.strip().lstrip("$").strip("{}")
    if not equals or not (name.isidentifier() or name.isdigit()):
        raise UsageError(
            f"--param {text} is no parameter with its values", remedy="write --param city=Rome,Oslo or --param 1=10,100"
        )
    return name, [_number(value.strip()) for value in values.split(",")]


def _number(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _statements(queries: Iterable[Path]) -> list[Statement]:
    found: list[Statement] = []
    files = [file for path in queries for file in (sorted(path.glob("*.sql")) if path.is_dir() else [path])]
    for path in files:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(unreadable(error), where=str(path), remedy="name files of SQL") from None
        found += infer_schema.split(text, path.stem)
    names = [one.name for one in found]
    if not found:
        raise UsageError("there is no statement in it", where=", ".join(map(str, queries)), remedy="write SELECT ...")
    for name in names:
        if names.count(name) > 1 or Path(name).name != name or not name.isprintable():
            raise UsageError(
                f"'{name}' cannot be the name of a query, or two have it",
                remedy="write another with a comment before the statement: -- name: daily_totals",
            )
    return found


def _askable(statements: list[Statement]) -> tuple[list[Statement], list[WeighError]]:
    """Those that are questions with one right answer, and why the others are none.

    Raises:
        UsageError: all are none: why not the first one.
    """
    found: list[Statement] = []
    refused: list[WeighError] = []
    for one in statements:
        try:
            refuse(one.sql, f"query {one.name}")
        except UsageError as error:
            refused.append(error)
        else:
            found.append(one)
    if not found:
        raise refused[0]
    return found, refused


def _starters(tables: user_files.Tables) -> list[Statement]:
    """Where the user named no query: the simplest one on each table, to be replaced."""
    return [infer_schema.Statement(name=f"rows_{table}", sql=f"SELECT count(*) AS n FROM {table}") for table in tables]


def _described(
    contender: Contender,
    data: Converted,
    statements: list[Statement],
    values: Parameters,
    cache: Path,
    progress: Progress,
) -> tuple[dict[Statement, QueryFile], list[Finding], list[WeighError]]:
    """What a right answer looks like, of each statement that is answered; what to look at; why others are not.

    Raises:
        WeighError: none is answered: why not the first one.
    """
    progress.say("reading the data")
    stored = user_files.open_files(data.tables, cache, 0, data.conversions)
    progress.say(f"environment of {contender.name}")
    one = ready(contender, cache)
    schemas: dict[Statement, QueryFile] = {}
    findings: list[Finding] = []
    unanswered: list[WeighError] = []
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, stored.folder, ignore_errors=True)
        link = stack.enter_context(DataLink({contender.layout: stored}))
        session = stack.enter_context(QuerySession(one, link, _TIMEOUT))
        for number, statement in enumerate(statements):
            try:
                table = session.ask(_filled(statement, values)).table
            except UsageError as unfilled:
                unanswered.append(unfilled)
                continue
            except WorkerEnded as ended:
                unanswered.append(
                    EngineFault(
                        f"{contender.name} cannot answer it: {one_line(reason(ended.detail))}",
                        where=f"query {statement.name}",
                        remedy=f"the tables are {', '.join(data.tables)}; mend the query, have the data read otherwise "
                        "(--data TABLE=FILES, --csv), or let another engine begin: --contender ENGINE",
                    )
                )
                continue
            schema = schemas[statement] = infer_schema.describe(statement.sql, table)
            unchecked = infer_schema.unchecked_order(statement.sql, schema)
            if infer_schema.any_rows(statement.sql, schema):
                findings.append(_any_rows(statement.name, unchecked=unchecked))
            elif unchecked:
                findings.append(_any_order(statement.name))
            progress.step(number + 1, len(statements), "asking")
    if not schemas:
        raise unanswered[0]
    return schemas, findings, unanswered


def _filled(statement: Statement, values: Parameters) -> str:
    """The query with the first value of each of its parameters."""
    (first, *_) = grid(values, statement.name, names(statement.sql), (), f"query {statement.name}")
    return fill(braced(statement.sql), first.literals)


def _any_order(query: str) -> Finding:
    return codes.A7_ORDER.finding(
        operation=query,
        text=f"it has an {infer_schema.UNCHECKED_ORDER}: rows in any order agree",
        remedy="select what it is ordered by, by name; or write ordered_by into its .toml",
    )


def _any_rows(query: str, *, unchecked: bool) -> Finding:
    what = "an ORDER BY that its answer can be compared by" if unchecked else "ORDER BY"
    return codes.A7_LIMIT.finding(
        operation=query,
        text=f"it has LIMIT without {what}: any rows are a right answer, so other rows confirm nothing: unverified",
        remedy="add ORDER BY over columns that leave no ties",
    )


def _is_there(path: Path, text: str) -> bool:
    """Whether a file says that already, but for white space and the semicolon at its end."""
    try:
        return path.read_text().strip(" \n;") == text.strip(" \n;")
    except (OSError, UnicodeDecodeError):
        return False


def _write(texts: dict[Path, str], *, force: bool) -> None:
    # A query that lies there as it was given stands in nobody's way.
    texts = {path: text for path, text in texts.items() if not _is_there(path, text)}
    there = [path for path in texts if path.exists()]
    if there and not force:
        more = f", and {units.count(len(there) - 1, 'more file')}" if there[1:] else ""
        raise UsageError(
            f"{there[0].name} exists already{more}",
            where=str(there[0].parent),
            remedy="work in another folder, or write over them with --force",
        )
    made: list[Path] = []
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            whole.write(path, text.encode())
            made += [] if path in there else [path]
    except OSError as error:
        # A half of it would stand in the way of the next attempt.
        for path in made:
            path.unlink(missing_ok=True)
        raise EnvironmentFault(
            f"it cannot be written: {refusal(error)}", where=str(error.filename or path), remedy=remedy_of(error)
        ) from error
