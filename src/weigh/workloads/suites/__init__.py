"""Suites: folders of many small questions, each an operation, in the forms in which database teams keep them.

``read`` takes a folder of ``.sql`` files, of DuckDB's ``.benchmark`` files, or of ClickHouse's performance tests in
XML. Nothing is executed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.errors import UsageError
from weigh.workloads.suites import benchmark_file, naming, performance_test, sql_file
from weigh.workloads.suites.question import FileRead, LeftOut, Suite, merged

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.workloads.parameters import Parameters

_TAKEN = "name a folder of .sql, .benchmark or .xml files (docs/guide/suites.md)"
LARGEST = 2 << 20
"""Bytes of a file of questions. What takes SQL apart is Python, and needs some 10 seconds for each million of them."""
_FORMS = {".sql": sql_file.read, ".benchmark": benchmark_file.read, ".xml": performance_test.read}


def read(folder: Path, parameters: Parameters | None = None) -> Suite:
    """Every question of a suite, in the order of its files' names.

    Args:
        folder: of the files; those in folders below it belong to it.
        parameters: values of the parameters of ``.sql`` files, over those that stand in them.

    Raises:
        UsageError: there is no such folder, or no file in it that is one of a suite; a file cannot be read at all.
    """
    if not folder.is_dir():
        raise UsageError("there is no such folder", where=str(folder), remedy=_TAKEN)
    found = sorted(path for path in folder.rglob("*") if path.suffix in _FORMS and path.is_file())
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
    large = [path for path in files if path.stat().st_size > LARGEST]
    read_of = _FORMS[form](folder, [path for path in files if path not in large], parameters or {})
    return merged([*read_of, *(_too_large(folder, path) for path in large)])


def _too_large(folder: Path, path: Path) -> FileRead:
    why = (
        f"its file is larger than {units.size(LARGEST)}, and the text of a question is taken apart word by word: keep "
        "a long list of values in a table, and ask for those in it"
    )
    return FileRead(left_out=(LeftOut(name=naming.of_file(folder, path), why=why),))
