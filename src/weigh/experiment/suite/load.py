"""Tables that a suite makes by statements: made once, by one engine, and read by every contender as Parquet."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data import user_files
from weigh.engines import suite_tables
from weigh.host import scratch
from weigh.model.dataset import Conversion
from weigh.model.errors import DataFault, EngineFault
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.data.user_files import Tables
    from weigh.model.progress import Progress
    from weigh.workloads.suites.question import Dialect

_OTHER = "its load makes a {kind} ({name}), and only tables are kept"
_FORM = "reported"
"""Of what is kept of a load; another form is another folder."""
_DATA = re.compile(
    r"""['"][^'"]*\.(?:parquet|parq|csv|tsv|json|jsonl|ndjson|txt|avro|arrow|gz|zst)['"]""", re.IGNORECASE
)
"""A text in quotes that names a file of data."""


class Made(NamedTuple):
    """What statements made.

    Attributes:
        tables: a Parquet file for each.
        failed: why there are none; empty where there are.
        report: what else came of the statements.
    """

    tables: dict[str, Path]
    failed: str = ""
    report: suite_tables.LoadReport = suite_tables.LoadReport()


class Loaded(NamedTuple):
    """The tables of all statements of a suite, under names that no two share.

    Attributes:
        tables: files by table.
        names: of the tables of each load, by what its questions call them.
        failed: why a load made nothing, by its text.
        conversions: where the files come from.
        others: what the statements of each load made besides tables that can be used, by its name: a clause.
        ignored: settings of all loads that were passed over.
    """

    tables: Tables
    names: dict[str, dict[str, str]]
    failed: dict[str, str]
    conversions: tuple[Conversion, ...]
    others: dict[str, dict[str, str]] = {}  # noqa: RUF012 - of a tuple
    ignored: tuple[str, ...] = ()


def load(texts: Iterable[str], dialect: Dialect, suite: Path, cache: Path, progress: Progress) -> Loaded:
    """Make the tables of every load, or find them in the cache.

    Args:
        texts: statements, each of them all that makes the tables of some questions.
        dialect: of the statements; says which engine executes them.
        suite: the folder of the suite: what they may read.
        cache: weigh's cache directory.
        progress: receives messages.

    Raises:
        EnvironmentFault: the engine cannot be had, or no space.
    """
    from weigh._native import hash_bytes, hash_file

    wanted = list(dict.fromkeys(text for text in texts if text))
    tables: Tables = {}
    names: dict[str, dict[str, str]] = {}
    failed: dict[str, str] = {}
    conversions: list[Conversion] = []
    content: dict[str, str] = {}
    by = suite_tables.by(dialect)
    others: dict[str, dict[str, str]] = {}
    ignored: dict[str, None] = {}
    for number, text in enumerate(wanted):
        made = _made(text, dialect, suite, cache)
        others[text] = {name: _OTHER.format(kind=kind, name=name) for name, kind in made.report.others.items()}
        others[text] |= {table: f"its table {table} cannot be used: {why}" for table, why in made.report.bad.items()}
        ignored |= dict.fromkeys(made.report.ignored)
        if made.failed:
            failed[text] = made.failed
        names[text] = {}
        for table, file in made.tables.items():
            digest = hash_file(file)
            try:
                user_files.facts(file, table, file.name, digest, cache)
            except DataFault as error:
                others[text][table] = f"its table {table} cannot be used: {error.what}"
                continue
            called, at = table, 1
            while content.get(called, digest) != digest:
                at += 1
                called = f"{table}__{at}"
            names[text][table] = called
            if called not in tables:
                content[called] = digest
                tables[called] = [file]
                source = f"{table}, made by the suite"
                conversions.append(
                    Conversion(table=called, source=source, form="SQL", blake3=hash_bytes(text.encode()), by=by)
                )
        progress.step(number + 1, len(wanted), "making tables")
    if wanted:
        progress.say(f"data: {count(len(tables), 'table')} made by the suite's own statements, by {by}")
    return Loaded(tables, names, failed, tuple(conversions), others, tuple(ignored))


def _made(text: str, dialect: Dialect, suite: Path, cache: Path) -> Made:
    from weigh._native import hash_bytes

    key = hash_bytes(f"{suite_tables.by(dialect)}\0{_FORM}\0{text}\0{_files_read(text, suite)}".encode())[:24]
    folder = cache / "data" / "files" / "suites" / key
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = scratch.folder("suite")
        try:
            report = suite_tables.make(text, dialect, suite, aside, cache)
            _moved(aside, folder, report)
        except (DataFault, EngineFault) as error:
            return Made({}, error.what)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    try:
        report = msgspec.json.decode((folder / suite_tables.REPORT).read_bytes(), type=suite_tables.LoadReport)
    except (OSError, msgspec.DecodeError) as error:
        return Made({}, f"what was kept of its tables cannot be read: {error}")
    return Made({file.stem: file for file in sorted(folder.glob("*.parquet"))}, report=report)


def _files_read(text: str, suite: Path) -> str:
    """What the files of data in a suite's folder are now, where statements may read some."""
    if not _DATA.search(text):
        return ""
    found = []
    for path in sorted(suite.rglob("*")):
        if _DATA.search(f"'{path.name}'") and path.is_file():
            state = path.stat()
            found.append(f"{path.relative_to(suite)} {state.st_size} {state.st_mtime_ns}")
    return f"{suite.resolve()}\n" + "\n".join(found)


def _moved(aside: Path, folder: Path, report: suite_tables.LoadReport) -> None:
    """Moved into place whole; who came first wins."""
    whole = folder.with_name(f"{folder.name}-{aside.name}")
    whole.mkdir()
    for file in aside.glob("*.parquet"):
        shutil.copyfile(file, whole / file.name, follow_symlinks=False)
    (whole / suite_tables.REPORT).write_bytes(msgspec.json.encode(report))
    try:
        whole.rename(folder)
    except OSError:
        shutil.rmtree(whole, ignore_errors=True)
