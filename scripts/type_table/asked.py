"""What ``weigh gate`` says of each type and engine: every cell is read off a run of the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from type_table.columns import TYPES
from type_table.expressions import EXPRESSIONS

ENGINES = ("duckdb", "duckdb@1.5.5", "chdb", "polars", "datafusion", "pyarrow", "sqlite", "postgres")
_WITNESSES = ("duckdb", "pyarrow")
"""Who is asked together with an engine that is asked alone."""
_GROUP = 8
"""Types that are asked for in one run; an engine that fails on all of them at once is asked for each alone."""
_WORDS = 110

Cells = dict[str, dict[str, str]]
"""By type and engine: ``agreed ...``, ``refused: ...``, ``unchecked: ...``, ``other: ...`` or ``ACCUSED: ...``."""


def table(types: list[str], engines: tuple[str, ...] = ENGINES) -> Cells:
    """Ask all engines for all types.

    Args:
        types: names of :data:`type_table.columns.TYPES` and of :data:`type_table.expressions.EXPRESSIONS`.
        engines: contenders.
    """
    found: Cells = {}
    for begin in range(0, len(types), _GROUP):
        group = types[begin : begin + _GROUP]
        cells = _run(group, engines)
        lost = [engine for engine in engines if all(_refused(cells[one][engine]) for one in group)]
        for one in group if lost and len(group) > 1 else ():
            alone = _run([one], tuple(dict.fromkeys((*_WITNESSES, *lost))))
            cells[one] |= {engine: alone[one][engine] for engine in lost}
        print(json.dumps(cells), file=sys.stderr, flush=True)
        found |= cells
    return found


def _refused(cell: str) -> bool:
    return cell.startswith("refused")


def _run(types: list[str], engines: tuple[str, ...]) -> Cells:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "asked").mkdir()
        flags = []
        for name in types:
            if name in EXPRESSIONS:
                (folder / "asked" / f"t_{name}.sql").write_text(EXPRESSIONS[name])
            else:
                TYPES[name](folder / f"t_{name}.parquet")
                (folder / "asked" / f"t_{name}.sql").write_text(f"SELECT * FROM t_{name}\n")
                flags += ["--data", f"t_{name}=t_{name}.parquet"]
        if not flags:
            TYPES["int32"](folder / "t.parquet")
            flags = ["--data", "t=t.parquet"]
        made = _weigh(folder, "init", "--quiet", "--sql", "asked", *flags, "--contender", "duckdb")
        if made.returncode:
            why = _short(made.stderr)
            if len(types) > 1:
                return {name: cell for one in types for name, cell in _run([one], engines).items()}
            return {types[0]: dict.fromkeys(engines, f"refused: weigh init: {why}")}
        asked = (flag for engine in engines for flag in ("--contender", engine))
        ran = _weigh(folder, "gate", "--json", "--quiet", "--no-shrink", *asked)
        try:
            document = json.loads(ran.stdout)
        except ValueError:
            raise SystemExit(f"weigh gate over {', '.join(types)}: {ran.stderr}") from None
        (evidence,) = (folder / "runs").iterdir()
        gate = json.loads((evidence / "gate.json").read_bytes())
        return {name: {engine: _cell(f"t_{name}", engine, document, gate) for engine in engines} for name in types}


def _weigh(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "weigh", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _cell(table: str, engine: str, document: dict[str, Any], gate: dict[str, Any]) -> str:
    findings = [one for one in document["findings"] if one["contender"] in (engine, None)]
    texts = {code: [one["text"] for one in findings if one["code"] == code and table in one["text"].replace(",", " ").replace(":", " ").split()] for code in ("A4.rows", "A4.unread", "A14.readers", "A14.unchecked", "A14.form")}  # fmt: skip
    if texts["A4.rows"]:
        return f"ACCUSED: {texts['A4.rows'][0]}"
    checks = [one for one in gate["checks"] if one["operation"] == table and one["contender"] == engine]
    statuses = {one["status"] for one in checks}
    details = [one["detail"] for one in checks if one.get("detail")]
    if statuses & {"error", "unsupported"} or not checks:
        words = details or [text.rpartition("on disk: ")[2] for text in texts["A4.unread"]] or ["it did not start"]
        return f"refused: {_short(words[0])}"
    notes = [note for one in checks for note in one.get("notes", ())]
    forms = dict.fromkeys([note.partition(": ")[2].partition(" of ")[0] for note in notes if note.startswith("A7")] + [text.partition(" in v of")[0] for text in texts["A14.form"]])  # fmt: skip
    unchecked = [note.partition("compared: ")[2] for note in notes if note.startswith("A14")]
    unchecked += [text.partition(": ")[2] for text in texts["A14.unchecked"] + texts["A14.readers"]]
    if "diverged" in statuses:
        (first, *_) = [one for check in checks for one in check.get("differences", ())] or [{}]
        against = next((one["witness"] for one in checks if one["status"] == "diverged"), "")
        return f"other: {first.get('got')}, not {first.get('expected')}, by {against}"
    how = f" ({'; '.join(forms)})" if forms else ""
    if unchecked:
        return f"unchecked: {_short(unchecked[0])}" + (f"; agreed{how}" if "agreed" in statuses else "")
    return f"agreed{how}" if "agreed" in statuses else f"alone{how}"


def _short(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return " ".join((lines or [""])[0].split())[:_WORDS]
