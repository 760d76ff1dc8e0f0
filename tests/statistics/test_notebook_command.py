"""docs/guide/notebook.ipynb is executed, cell by cell; and what weigh.run refuses."""

from __future__ import annotations

import ast
import json
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import weigh

if TYPE_CHECKING:
    from weigh import Evidence

NOTEBOOK = Path(__file__).parents[2] / "docs" / "guide" / "notebook.ipynb"


def cell(source: str, names: dict[str, Any]) -> Any:
    """The value of a cell: that of its last line."""
    *first, last = ast.parse(source).body
    exec(compile(ast.Module(first, []), str(NOTEBOOK), "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
    exec(compile(ast.Module([last], []), str(NOTEBOOK), "exec"), names)
    return None


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    cells = [one for one in json.loads(NOTEBOOK.read_text())["cells"] if one["cell_type"] == "code"]
    *_, problems = [cell("".join(one["source"]), names) for one in cells]
    assert problems == ()
    evidence: Evidence = names["evidence"]
    assert "All answers agree" in evidence._repr_html_()
    assert {row["operation"] for row in evidence.verdicts.to_arrow().to_pylist()} == {"total", "per_user"}
    assert evidence.verdicts.to_pandas().shape == evidence.verdicts.to_polars().shape
    assert evidence.verdicts._repr_html_().count("<tr>") == 1 + len(evidence.verdicts)
    (read,) = tmp_path.rglob("environment.json")
    assert "--data events=runs/data/events-" in json.loads(read.read_text())["command"]


def test_what_weigh_run_has_not_is_refused() -> None:
    with pytest.raises(weigh.errors.UsageError, match="has no argument 'budjet'") as refused:
        weigh.run("duckdb", budjet="3s")
    assert "".join(traceback.format_exception(refused.value)).endswith("'budjet'\ndid you mean 'budget'?\n")
    with pytest.raises(weigh.errors.UsageError, match="is a list, and no frame"):
        weigh.run("duckdb", data={"t": [1, 2]}, sql={"q": "SELECT 1"})
