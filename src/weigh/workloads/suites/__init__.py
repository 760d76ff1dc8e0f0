"""Suites: folders of many small questions, each an operation, in the forms in which database teams keep them.

``read`` takes a folder of ``.sql`` files, of DuckDB's ``.benchmark`` files, or of ClickHouse's performance tests in
XML. Nothing is executed here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weigh.model.errors import UsageError
from weigh.workloads.suites import benchmark_file, naming, performance_test, sql_file
from weigh.workloads.suites.place import LARGEST, SuiteFolder, too_large
from weigh.workloads.suites.question import FileRead, LeftOut, Suite, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from weigh.workloads.parameters import Parameters

_TAKEN = "name a folder of .sql, .benchmark or .xml files, or one such file (docs/guide/suites.md)"
_FORMS = {".sql": sql_file.read, ".benchmark": benchmark_file.read, ".xml": performance_test.read}


def read(folder: Path, parameters: Parameters | None = None) -> Suite:
    """Every question of a suite, in the order of its files' names.

    Args:
        folder: of the files; those in folders below it belong to it. Or one file.
        parameters: values of the parameters of ``.sql`` files, over those that stand in them.

    Raises:
        UsageError: there is no such folder, or no file in it that is one of a suite; a file cannot be read at all.
    """
    if folder.is_file() and folder.suffix in _FORMS:
        found, folder = [folder], folder.parent
    elif folder.is_dir():
        found = sorted(path for path in folder.rglob("*") if path.suffix in _FORMS and path.is_file())
    else:
        written = re.match(r"(select|with|from)\s", str(folder), re.IGNORECASE)
        remedy = "write the question into a file: --sql q.sql" if written else _TAKEN
        raise UsageError("there is no such file or folder", where=str(folder), remedy=remedy)
    # The statements that make the tables of .sql files are no question.
    forms = {path.suffix for path in found if path.name != sql_file.LOAD}
    if not forms:
        raise UsageError("there is no file of a suite in it", where=str(folder), remedy=_TAKEN)
    if ".benchmark" in forms:
        # What they name with `run FILE` is text of theirs.
        forms.discard(".sql")
    if len(forms) > 1:
        raise UsageError(
            f"it holds files of several kinds ({', '.join(sorted(forms))}), which ask different engines",
            where=str(folder),
            remedy="name the folder of one kind",
        )
    (form,) = forms
    files = [path for path in found if path.suffix == form and path.name != sql_file.LOAD]
    place = SuiteFolder(folder)
    left = {path: why for path in files if (why := _why_not(place, path))}
    read_of = _FORMS[form](place, [path for path in files if path not in left], parameters or {})
    return merged(_within(place, [*read_of, *(_left_out(folder, path, why) for path, why in left.items())]))


def _why_not(place: SuiteFolder, path: Path) -> str:
    """Why a file of a suite is not read; empty where it is."""
    try:
        place.check(path)
        return too_large(path).what if path.stat().st_size > LARGEST else ""
    except UsageError as error:
        return error.what
    except OSError as error:
        return f"its file cannot be read: {error.strerror}"


def _left_out(folder: Path, path: Path, why: str) -> FileRead:
    return FileRead(left_out=(LeftOut(name=naming.of_file(folder, path), why=why),))


def _within(place: SuiteFolder, files: Iterable[FileRead]) -> Iterator[FileRead]:
    """The files while there is room for their text."""
    for one in files:
        texts = {text for question in one.questions for text in (question.sql, question.load)}
        if place.take(sum(map(len, texts))):
            yield one
        else:
            why = "the text of all questions before it fills what a suite may have: name a folder below it"
            left = tuple(LeftOut(name=question.name, why=why) for question in one.questions)
            yield msgspec.structs.replace(one, questions=(), left_out=(*one.left_out, *left))
