"""A suite with its data, as an experiment over one's own files takes it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import msgspec

from weigh import workloads
from weigh.data import registered, user_files
from weigh.engines import engine as engines
from weigh.engines.prepared import cache_folder
from weigh.experiment.config import given_files, named_files
from weigh.experiment.config.contenders import chosen_contenders
from weigh.experiment.config.conversion import converted
from weigh.experiment.config.file import File
from weigh.experiment.config.user_data import UserFiles, chosen_csv
from weigh.experiment.suite import findings
from weigh.experiment.suite.load import load
from weigh.experiment.suite.schemas import schemas
from weigh.model.contender import parse_contender
from weigh.model.data.frames import is_frames
from weigh.model.errors import UsageError
from weigh.model.operation import Case, Operation
from weigh.model.progress import Silence
from weigh.model.units import parse_duration
from weigh.workloads import suites, user_sql
from weigh.workloads.suites.question import LeftOut, Unread
from weigh.workloads.suites.tables import renamed
from weigh.workloads.user_sql import QueryFile, result_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weigh.data.cache import CachedData
    from weigh.model.contender import Contender
    from weigh.model.progress import Progress
    from weigh.workloads.suites.question import Question

_WORD = re.compile(r"\w+")
_SETTING = "a setting"
_FIRST_ANSWER = "90s"
"""Budget of a run that one line describes, where none is asked for."""
_REASONS = 8
"""Reasons that are told where nothing of a suite can be asked."""


def user_data(
    file: File | None, path: Path | None, flags: Mapping[str, Any], progress: Progress | None = None
) -> tuple[Callable[[], UserFiles | None], dict[str, Any]]:
    """What reads the user's own data and queries, a suite's too, and the flags with the workload that they are.

    Nothing is read and converted before it is called, once.

    Args:
        file: weigh.toml, if there is one.
        path: where it lies.
        flags: values of the command line by name.
        progress: receives messages.

    Raises:
        WeighError: they are not there, or nothing of them can be asked.
    """
    options = dict(flags)
    if sql := options.get("sql"):
        if options.get("workload"):
            raise UsageError("--sql and --workload both name the questions", remedy="leave out one of the two")
        options["workload"] = str(sql)
        if file is None and not any(options.get(one) for one in ("budget", "starts", "precision", "quick")):
            options["budget"] = _FIRST_ANSWER
    elif options.get("data"):
        options["workload"] = options.get("workload") or "sql"
    folder = Path(sql).expanduser() if sql else named(file, path, options)

    @cache
    def read() -> UserFiles | None:
        frames = named_files.frames_place(file, path, options)
        if folder:
            found = suite_files(folder, file, path, options, progress)
            return found._replace(written=_written(file, options), frames=frames)
        files = named_files.user_files(file, path, options, progress)
        if files is None and frames:
            raise UsageError(
                "--frames names functions for your own questions, and the workload has its own",
                remedy="name data and questions as well: --data FILES --sql PATH",
            )
        return files and files._replace(frames=frames)

    return read, {**options, "workload": "sql"} if folder else options


def named(file: File | None, path: Path | None, flags: Mapping[str, Any]) -> Path | None:
    """The folder of a suite that ``--workload`` or weigh.toml names; None where the workload is another.

    What contains a slash, or is a folder that no workload is called like, is one.
    """
    text = _written(file, flags)
    root = Path() if flags.get("workload") or path is None else path.parent
    folder = root / Path(text).expanduser()
    if "/" in text or text.startswith("~"):
        return folder
    return folder if folder.is_dir() and text not in (user_sql.NAME, *workloads.names()) else None


def _written(file: File | None, flags: Mapping[str, Any]) -> str:
    """The workload in the user's words."""
    return str(flags.get("workload") or (file or File()).experiment.workload)


def suite_files(
    folder: Path, file: File | None, path: Path | None, flags: Mapping[str, Any], progress: Progress | None = None
) -> UserFiles:
    """A suite as an experiment takes it: its questions with their result schemas, and its data.

    Args:
        folder: of the suite.
        file: weigh.toml, if there is one; ``[sql.tables]`` and ``[sql.parameters]`` of it are the suite's.
        path: where it lies.
        flags: values of the command line by name.
        progress: receives messages.

    Raises:
        UsageError: nothing of it can be asked, or its data is not there.
        DataFault: a file is damaged.
        WeighError: an engine that is needed cannot be had.
    """
    progress, cache = progress or Silence(), cache_folder()
    sql = file.sql if file else None
    suite = suites.read(folder, sql.parameters if sql else None)
    given = _given(file, path, flags, cache, progress)
    made = load((one.load for one in suite.questions), suite.dialect, folder, cache, progress)
    clash = sorted(set(given.tables) & set(made.tables))
    if clash:
        raise UsageError(
            f"the table {clash[0]} is named, and the suite makes one of that name",
            where=str(folder),
            remedy="leave out one of the two",
        )
    tables = {**given.tables, **made.tables}
    left = list(suite.left_out)
    left += [LeftOut(name=one.name, why=made.failed[one.load]) for one in suite.questions if one.load in made.failed]
    questions: list[Question] = []
    for one in suite.questions:
        if one.load in made.failed:
            continue
        if why := _needs(one.sql, made.others.get(one.load, {})):
            left.append(LeftOut(name=one.name, why=why))
            continue
        names = made.names.get(one.load, {})
        text = renamed(one.sql, names, suite.dialect)
        others = {key: renamed(written, names, key) for key, written in one.dialect.items()}
        if text is None or None in others.values():
            left.append(LeftOut(name=one.name, why="other questions make other tables of the same names"))
        else:
            written_keys = {key: written for key, written in others.items() if written is not None}
            questions.append(msgspec.structs.replace(one, sql=text, dialect=written_keys))
    if made.ignored:
        why = "it decides how fast tables are made, and every contender has settings of its own"
        ignored = tuple(Unread(key=f"load: SET {name}", why=why, file="") for name in made.ignored)
        suite = msgspec.structs.replace(suite, unread=(*suite.unread, *ignored))
    if questions and not tables:
        unknown = ", ".join(dict.fromkeys(one.key for one in suite.unread if not one.why))
        raise UsageError(
            "it has no tables: neither the suite makes any, nor does somebody name them"
            + (f"; keys of its files that are not understood: {unknown}" if unknown else ""),
            where=str(folder),
            remedy="add load.sql with CREATE TABLE ... AS, write [sql.tables] into weigh.toml, or name --data",
        )
    conversions = (*given.conversions, *made.conversions)
    content = user_files.hashes(tables, given.known)

    def data() -> CachedData:
        return user_files.open_files(tables, cache, 0, conversions, known=given.known)

    contenders = chosen_contenders(
        file, flags.get("contender") or (), flags.get("baseline") or (file or File()).experiment.baseline
    )
    files = tuple(file for found in tables.values() for file in found)
    key = msgspec.json.encode(content, order="deterministic").decode()
    timeout = parse_duration(str(flags.get("timeout") or (file or File()).experiment.timeout))
    speaking = _speaking(contenders, file, flags)
    schemas_found = schemas(questions, speaking, key, data, files, cache, timeout, progress)
    left += schemas_found.left_out
    operations = tuple(
        _operation(one, schemas_found.schemas[one.name]) for one in questions if one.name in schemas_found.schemas
    )
    if not operations:
        # Why the load failed comes first: what is missing after it follows from that.
        reasons = dict.fromkeys(sorted((one.why for one in left), key=lambda why: not why.startswith("its load")))
        reasons_listed = "; ".join(
            f"{next(one.name for one in left if one.why == why)}: {why}" for why in [*reasons][:_REASONS]
        )
        raise UsageError(
            f"nothing of it can be asked: {reasons_listed}" if reasons_listed else "it has no question",
            where=str(folder),
            remedy=f"the tables are {', '.join(tables)}; name them with --data TABLE=FILES, or mend the questions"
            if flags.get("sql")
            else "docs/guide/suites.md says what is not taken",
        )
    return UserFiles(
        tables=tables,
        folder=None,
        conversions=conversions,
        known=given.known,
        registered=given.registered,
        operations=operations,
        left_out=tuple(left),
        unread=suite.unread,
        literals={one.name: one.literals for one in questions if one.literals},
        findings=tuple(
            findings.of(
                suite,
                tuple(left),
                schemas_found.any_rows,
                schemas_found.any_order,
                len(operations),
                # The command takes a suite by its folder, and no questions by --sql.
                tables=tuple(tables),
                lists="" if flags.get("sql") else f"weigh workloads audit {quote(str(folder))}",
            )
        ),
    )


def _speaking(contenders: Sequence[Contender], file: File | None, flags: Mapping[str, Any]) -> list[Contender]:
    """Who is asked what the result schemas are read off, the first one first.

    Data frames take no SQL, and a service may charge for its answers: where there is nobody else, DuckDB comes before
    services; where money is short, or a plan is all that is wanted, none of those is asked.
    """
    local = [one for one in contenders if not one.remote and not is_frames(engines.of(one).dialect)]
    sparing = flags.get("plan") or flags.get("spend") or (file or File()).experiment.spend
    services = [] if sparing else [one for one in contenders if one.remote]
    return [*(local or [parse_contender("duckdb")]), *services]


def _needs(sql: str, others: Mapping[str, str]) -> str:
    """Why a question cannot be asked that needs what a load made besides tables; empty where it needs nothing of that.

    A setting is needed by whatever is asked after it.
    """
    words = {word.lower() for word in _WORD.findall(sql)} if others else set()
    return next((why for name, why in others.items() if name.lower() in words or _SETTING in why), "")


def _given(
    file: File | None, path: Path | None, flags: Mapping[str, Any], cache: Path, progress: Progress
) -> UserFiles:
    """The tables that are named alongside the suite."""
    data = flags.get("data") or ([file.sql.data] if file and file.sql and file.sql.data else [])
    csv = chosen_csv(file.sql if file else None, flags)
    if flags.get("data") and given_files.are_files(data, cache):
        given = converted(given_files.tables(data, cache), cache, progress, csv)
        for line in given_files.described(given.tables):
            progress.say(line)
        for one in given.conversions:
            for note in one.notes or ():
                progress.say(f"{one.source}: {note}")
        return UserFiles(given.tables, None, given.conversions)
    if data:
        if flags.get("data"):
            given_files.say_which(data, progress)
        found = registered.confirmed(data[0], cache)
        return UserFiles(
            {key: [Path(one.path) for one in files] for key, files in found.tables.items()},
            None,
            known={Path(one.path): one.blake3 for one in found.files},
            registered=data[0],
        )
    if file is None or path is None or file.sql is None or not file.sql.tables:
        return UserFiles({}, None)
    patterns = {table: [one] if isinstance(one, str) else one for table, one in file.sql.tables.items()}
    read = converted(user_files.find(patterns, path.parent), cache, progress, csv)
    return UserFiles(read.tables, None, read.conversions)


def _operation(question: Question, described: QueryFile) -> Operation:
    return Operation(
        name=question.name,
        sql=question.sql,
        dialect=question.dialect,
        schema=result_schema(described, Path(question.file), question.sql),
        cases=(Case(name="only", timed=True),),
        about=question.about,
        template=question.template or msgspec.UNSET,
    )
