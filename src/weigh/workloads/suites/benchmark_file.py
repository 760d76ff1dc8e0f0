"""DuckDB's ``.benchmark`` files, as its benchmark runner reads them (benchmark/README.md of DuckDB).

A line begins a command. ``load``, ``run``, ``init`` and ``cleanup`` are followed by SQL until an empty line, or name a
file of it; ``template`` names a file that is read in its place with ``${NAME}`` replaced, ``include`` one that is read
as if it stood there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.errors import UsageError
from weigh.workloads.askable import refuse
from weigh.workloads.infer_schema import split
from weigh.workloads.suites import allowed, naming
from weigh.workloads.suites.place import Budget
from weigh.workloads.suites.question import FileRead, LeftOut, Question, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.workloads.parameters import Parameters
    from weigh.workloads.suites.place import SuiteFolder

_SQL = ("load", "run", "init", "cleanup", "postrun", "reload")
_TAKEN = ("name", "group", "subgroup", "load", "run", "require", "template", "argument", "include")
_NO_EFFECT = {
    "cache": "tables are made once and kept in weigh's cache anyway",
    "storage": "every contender reads the tables as Parquet files, or as its layout has them",
    "cleanup": "questions change nothing, so nothing is to be cleaned up",
    "require_reinit": "questions change nothing, so nothing is to be made anew",
    "retry": "weigh decides by itself how often it executes",
    "timeout": "--timeout says it for all",
    "resultmode": "every row is fetched, in every engine in the same way",
    "init": "settings are those of the contender, not of a question",
    "postrun": "it would execute after the clock",
    "reload": "questions change nothing, so nothing is to be loaded again",
    "result": "the contenders' answers are compared with one another",
    "result_query": "the contenders' answers are compared with one another",
    "assert": "the contenders' answers are compared with one another",
}
_BUILT_IN = ("parquet", "core_functions", "jemalloc", "json", "icu")
"""Extensions that are part of the Python package, in every version that weigh knows."""
_WITH_BODY = (*_SQL, "template", "result", "result_query", "assert")
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_MOST_TEMPLATES = 16


class _Command(NamedTuple):
    """A command with what follows it on its line, and the lines after it until an empty one."""

    key: str
    rest: str
    body: str


def read(folder: SuiteFolder, files: Sequence[Path], parameters: Parameters) -> Iterator[FileRead]:
    """The question of every file."""
    del parameters
    for file in files:
        yield _read(folder, file)


def _read(folder: SuiteFolder, file: Path) -> FileRead:
    name, place = naming.of_file(folder.folder, file), str(file.relative_to(folder.folder))
    try:
        commands = _Expansion(folder, file).commands
        by_key = {one.key: one for one in reversed(commands)}
        unread = tuple(
            Unread(key=one.key, why=_NO_EFFECT.get(one.key, ""), file=place)
            for one in commands
            if one.key not in _TAKEN
        )
        missing = [one.rest for one in commands if one.key == "require" and one.rest not in _BUILT_IN]
        if missing:
            return FileRead(
                left_out=(LeftOut(name=name, why=f"it requires the extension {missing[0]}"),), unread=unread
            )
        if "run" not in by_key:
            return FileRead(left_out=(LeftOut(name=name, why="it has no run"),), unread=unread)
        if repeated := next((one for one in ("load", "run") if sum(c.key == one for c in commands) > 1), ""):
            return FileRead(left_out=(LeftOut(name=name, why=f"it has more than one {repeated}"),), unread=unread)
        sql = _text(folder, file, by_key["run"])
        load = _text(folder, file, by_key["load"]) if "load" in by_key else ""
        allowed.load(load, "duckdb")
        statements = split(sql, name)
        if len(statements) != 1:
            return FileRead(left_out=(LeftOut(name=name, why="its run is not one statement"),), unread=unread)
        refuse(statements[0].sql, name)
        allowed.question(statements[0].sql, "duckdb")
    except UsageError as error:
        return FileRead(left_out=(LeftOut(name=name, why=error.what),))
    about = by_key["name"].rest if "name" in by_key else ""
    return FileRead(
        questions=(Question(name=name, sql=statements[0].sql, file=place, load=load, about=about),), unread=unread
    )


class _Expansion:
    """The commands of a file, or of the template that it names, with what they include.

    Args:
        folder: of the suite.
        file: that is read.

    Raises:
        UsageError: one of its files cannot be read, they name one another, or come to too much.
    """

    def __init__(self, folder: SuiteFolder, file: Path) -> None:
        self._folder, self._budget = folder, Budget()
        self._values = {"BENCHMARK_DIR": str(folder.folder)}
        self.commands = self._expanded(file, ())

    def _expanded(self, file: Path, above: tuple[Path, ...]) -> list[_Command]:
        real = file.resolve()
        if real in above or len(above) == _MOST_TEMPLATES:
            raise UsageError("its templates name one another", where=str(file), remedy="mend the files")
        self._budget.file()
        found: list[_Command] = []
        for one in self._commands(self._folder.text(file)):
            if one.key == "argument":
                key, _, value = one.rest.partition(" ")
                self._values.setdefault(key, value.strip())
            if one.key == "include":
                found += self._expanded(self._folder.named(file, one.rest), (*above, real))
            elif one.key == "template":
                for line in one.body.splitlines():
                    key, equals, value = line.partition("=")
                    if not equals:
                        raise UsageError(
                            "a line after template is not NAME=VALUE", where=str(file), remedy="mend the file"
                        )
                    self._values[key.strip()] = value.strip()
                return self._expanded(self._folder.named(file, one.rest), (*above, real))
            else:
                found.append(one)
        return found

    def _commands(self, text: str) -> Iterator[_Command]:
        lines = iter(text.splitlines())
        for written in lines:
            line = self._filled(written).strip()
            if not line or line.startswith("#"):
                continue
            key, _, rest = line.partition(" ")
            key, rest = key.lower(), rest.strip()
            body: list[str] = []
            if key in _WITH_BODY or key not in (*_TAKEN, *_NO_EFFECT):
                for following in lines:
                    if not following.strip():
                        break
                    body.append(self._filled(following).rstrip())
            yield _Command(key, rest, "\n".join(body))

    def _filled(self, text: str) -> str:
        values = {at.start(): self._values.get(at[1], at[2] or at[0]) for at in _VARIABLE.finditer(text)}
        self._budget.take(len(text) + sum(map(len, values.values())))
        return _VARIABLE.sub(lambda at: values[at.start()], text) if values else text


def _text(folder: SuiteFolder, file: Path, command: _Command) -> str:
    """Its SQL: what follows it, or that of the file that it names."""
    if command.rest:
        return folder.text(folder.named(file, command.rest))
    if not command.body.strip():
        raise UsageError(f"its {command.key} is empty", where=str(file), remedy="mend the file")
    return command.body
