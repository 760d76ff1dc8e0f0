"""Functions for data frames in the place of an operation's SQL: one file a library, one function an operation.

A file is read here and never executed: that happens in the environments of the contenders that it is for.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from weigh.model.data.frames import PREFIX, filled, function_name, is_frames
from weigh.model.errors import UsageError, nearest
from weigh.workloads import operation_names as names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from weigh.model.operation import Literal, Operation, Workload
    from weigh.workloads import WorkloadSource


class FrameFiles:
    """Where a source of questions has its functions: one file for one library, or a folder with ``polars.py``, ...

    Args:
        place: the file or the folder; None for none.
    """

    def __init__(self, place: Path | None) -> None:
        self.place = place

    def files(self) -> list[Path]:
        """All that is read."""
        if self.place is None:
            return []
        return sorted(self.place.glob("*.py")) if self.place.is_dir() else [self.place]

    def of(self, library: str) -> tuple[str, str] | None:
        """The text of a library's file, and its name; raises UsageError where it cannot be read."""
        if self.place is None:
            return None
        file = self.place / f"{library}.py" if self.place.is_dir() else self.place
        try:
            return file.read_text(encoding="utf-8-sig"), str(file)
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"there are no functions for {library}: {getattr(error, 'strerror', None) or error}",
                where=str(file),
                remedy=f"--frames names a file of functions, or a folder with {library}.py",
            ) from None


def with_functions(workload: Workload, source: WorkloadSource, dialects: Iterable[str]) -> Workload:
    """The workload, its operations with the functions that its source has in these dialects.

    An operation without a function is left as it is; a data frame takes no SQL, and says so. The function of one that a
    template makes is that of the template, with the values that were filled into its text.

    Args:
        workload: of the source.
        source: has ``frames(library)``, the text of that library's file and its name for errors, or None; and
            ``literals``, the values of what templates make.
        dialects: of the contenders; those of SQL are left out.

    Raises:
        UsageError: there is no file, it is no Python, or a function is named like no operation.
    """
    found: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    for dialect in sorted({one for one in dialects if is_frames(one)}):
        library = dialect.removeprefix(PREFIX)
        file = getattr(source, "frames", lambda _: None)(library)
        if file is None:
            raise UsageError(
                f"there are no functions for {library}, and data frames take no SQL",
                where=f"workload {workload.name}",
                remedy="your own ones: --data FILES --sql PATH --frames FILE",
            )
        text, where = file
        if (other := files.setdefault(where, library)) != library:
            raise UsageError(
                f"it is one file, and the contenders are of two libraries, {other} and {library}",
                where=where,
                remedy=f"name a folder with {other}.py and {library}.py: --frames FOLDER",
            )
        found[dialect] = functions(text, where)
        names = {one.template or one.name for one in workload.operations}
        _check(names.union(workload.suite, names_of(source)), text, where)
    if not found:
        return workload
    literals: Mapping[str, Mapping[str, Literal]] = getattr(source, "literals", {})
    operations = tuple(_with(one, found, literals.get(one.name, {})) for one in workload.operations)
    return msgspec.structs.replace(workload, operations=operations)


def _with(operation: Operation, found: dict[str, dict[str, str]], literals: Mapping[str, Literal]) -> Operation:
    name = function_name(operation.template or operation.name)
    ours = {
        dialect: f"# {dialect}\n{filled(texts[name], literals)}" for dialect, texts in found.items() if name in texts
    }
    return msgspec.structs.replace(operation, dialect={**operation.dialect, **ours}) if ours else operation


def _check(operations: set[str], text: str, where: str) -> None:
    known = set(map(function_name, operations))
    for name in functions(text, where):
        if name not in known:
            raise UsageError(
                f"no query is named like the function '{name}'",
                where=where,
                remedy=f"names of functions that only help begin with _; {nearest(name, known)}",
            )


@lru_cache(maxsize=16)
def functions(text: str, where: str) -> dict[str, str]:
    """The public functions of a file by name, each with the imports, constants and helpers that it needs.

    Args:
        text: of the file.
        where: its name, for errors.

    Raises:
        UsageError: it is no Python.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise UsageError(
            f"it is no Python: {getattr(error, 'msg', error)}",
            where=f"{where}, line {line}" if line else where,
            remedy="a file of functions, each named like the operation that it answers",
        ) from None
    body = [one for one in tree.body if not _is_text(one)]
    public = [one for one in body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
    return {one.name: _closure(one, body, text) for one in public}


def _closure(function: ast.FunctionDef, body: list[ast.stmt], text: str) -> str:
    """The function after what it needs of its file, in the file's order."""
    defined = {name: one for one in body if one is not function for name in _defined(one)}
    needed: dict[int, ast.stmt] = {}
    open_: list[ast.stmt] = [function]
    while open_:
        for name in _named(open_.pop()):
            one = defined.get(name)
            if one is not None and id(one) not in needed:
                needed[id(one)] = one
                open_.append(one)
    # A statement that defines nothing may still do something, such as to set an option of the library.
    parts = [one for one in body if id(one) in needed or (one is not function and not _defined(one))]
    imports = [one for one in parts if isinstance(one, ast.Import | ast.ImportFrom)]
    rest = [one for one in parts if one not in imports]
    texts = ["\n".join(_source(one, text) for one in imports), *(_source(one, text) for one in (*rest, function))]
    return "\n\n".join(one for one in texts if one) + "\n"


def _defined(one: ast.stmt) -> set[str]:
    """Names that a statement at the top of a file defines."""
    if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {one.name}
    if isinstance(one, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in one.names}
    return {node.id for node in ast.walk(one) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _named(one: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}


def _is_text(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _source(one: ast.stmt, text: str) -> str:
    decorators = getattr(one, "decorator_list", [])
    first = min([one.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(text.splitlines()[first - 1 : one.end_lineno])
