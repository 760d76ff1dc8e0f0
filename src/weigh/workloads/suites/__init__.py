"""Suites: folders of many small questions, each an operation, in the forms in which database teams keep them.

``read`` takes a folder of ``.sql`` files, of DuckDB's ``.benchmark`` files, or of ClickHouse's performance tests in
XML. Nothing is executed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import UsageError
from weigh.workloads.suites import benchmark_file, performance_test, sql_file
from weigh.workloads.suites.question import Suite, merged

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.workloads.parameters import Parameters

_TAKEN = "name a folder of .sql, .benchmark or .xml files (docs/guide/suites.md)"
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
    return merged(_FORMS[form](folder, files, parameters or {}))
