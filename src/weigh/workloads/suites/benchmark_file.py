"""DuckDB's ``.benchmark`` files, as its benchmark runner reads them (benchmark/README.md of DuckDB).

A line begins a command. ``load``, ``run``, ``init`` and ``cleanup`` are followed by SQL until an empty line, or name a
file of it; ``template`` names a file that is read with ``${NAME}`` replaced.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.model.errors import UsageError
from weigh.workloads.askable import refuse
from weigh.workloads.infer_schema import split
from weigh.workloads.suites import naming
from weigh.workloads.suites.question import FileRead, LeftOut, Question, Unread
from weigh.workloads.suites.sql_file import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.workloads.parameters import Parameters

_SQL = ("load", "run", "init", "cleanup", "postrun", "reload")
_TAKEN = ("name", "group", "subgroup", "load", "run", "require", "template", "argument")
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
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_MOST_TEMPLATES = 16


class _Command(NamedTuple):
    """A command with what follows it on its line, and the lines after it until an empty one."""

    key: str
    rest: str
    body: str


def read(folder: Path, files: Sequence[Path], parameters: Parameters) -> Iterator[FileRead]:
    """The question of every file."""
    del parameters
    for file in files:
        yield _read(folder, file)


def _read(folder: Path, file: Path) -> FileRead:
    name, place = naming.of_file(folder, file), str(file.relative_to(folder))
    try:
        commands = _expanded(folder, file, {"BENCHMARK_DIR": str(folder)})
        said = {one.key: one for one in reversed(commands)}
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
        if "run" not in said:
            return FileRead(left_out=(LeftOut(name=name, why="it has no run"),), unread=unread)
        if repeated := next((one for one in ("load", "run") if sum(c.key == one for c in commands) > 1), ""):
            return FileRead(left_out=(LeftOut(name=name, why=f"it has more than one {repeated}"),), unread=unread)
        sql = _text(folder, file, said["run"])
        load = _text(folder, file, said["load"]) if "load" in said else ""
        statements = split(sql, name)
        if len(statements) != 1:
            return FileRead(left_out=(LeftOut(name=name, why="its run is not one statement"),), unread=unread)
        refuse(statements[0].sql, name)
    except UsageError as error:
        return FileRead(left_out=(LeftOut(name=name, why=error.what),))
    about = said["name"].rest if "name" in said else ""
    return FileRead(
        questions=(Question(name=name, sql=statements[0].sql, file=place, load=load, about=about),), unread=unread
    )


def _expanded(folder: Path, file: Path, values: dict[str, str], depth: int = 0) -> list[_Command]:
    """The commands of a file, or of the template that it names."""
    commands = list(_commands(text_of(file), values))
    for one in commands:
        if one.key == "argument":
            key, _, value = one.rest.partition(" ")
            values.setdefault(key, value.strip())
    template = next((one for one in commands if one.key == "template"), None)
    if template is None:
        return commands
    if depth == _MOST_TEMPLATES:
        raise UsageError("its templates name one another", where=str(file), remedy="mend the files")
    for line in template.body.splitlines():
        key, equals, value = line.partition("=")
        if not equals:
            raise UsageError("a line after template is not NAME=VALUE", where=str(file), remedy="mend the file")
        values[key.strip()] = value.strip()
    return _expanded(folder, _named(folder, file, template.rest), values, depth + 1)


def _commands(text: str, values: dict[str, str]) -> Iterator[_Command]:
    lines = iter(text.splitlines())
    for written in lines:
        line = _filled(written, values).strip()
        if not line or line.startswith("#"):
            continue
        key, _, rest = line.partition(" ")
        key, rest = key.lower(), rest.strip()
        body: list[str] = []
        if key in _SQL or key in ("template", "result", "result_query", "assert") or key not in (*_TAKEN, *_NO_EFFECT):
            for following in lines:
                if not following.strip():
                    break
                body.append(_filled(following, values).rstrip())
        yield _Command(key, rest, "\n".join(body))


def _filled(text: str, values: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values.get(found.group(1), found.group(2) or found.group(0)), text)


def _text(folder: Path, file: Path, command: _Command) -> str:
    """Its SQL: what follows it, or that of the file that it names."""
    if command.rest:
        return text_of(_named(folder, file, command.rest))
    if not command.body.strip():
        raise UsageError(f"its {command.key} is empty", where=str(file), remedy="mend the file")
    return command.body


def _named(folder: Path, file: Path, name: str) -> Path:
    """A file that another one names: from the root of DuckDB's sources, wherever that is above, or beside it."""
    above = [folder.resolve(), *folder.resolve().parents]
    for place in (file.parent, *above):
        if (found := place / name).is_file():
            return found
    raise UsageError(f"the file {Path(name).name} that it names is not there", where=str(file), remedy="add it")
