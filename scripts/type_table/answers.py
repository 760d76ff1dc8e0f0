"""What ``weigh gate`` says of each type and engine: every cell is read off a run of the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from type_table import casts
from type_table.columns import TYPES
from weigh.data.layout import second_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

READERS = ("duckdb", "duckdb@1.5.5", "chdb", "polars", "datafusion", "pyarrow")
LOADERS = ("sqlite", "postgres")
"""Engines that hold the rows themselves, and leave out a table that they have no type for."""
ENGINES = (*READERS, *LOADERS)
_WITNESS = "pyarrow"
"""Who answers first, and is asked together with an engine that is asked alone: it reads every type."""
_GROUP = 14
"""Types that are asked for in one run; an engine that fails on all of them at once is asked for each alone."""
_WORDS = 110

Cells = dict[str, dict[str, str]]
"""By type and engine: ``agreed ...``, ``refused: ...``, ``unchecked: ...``, ``other: ...`` or ``ACCUSED: ...``."""


def table(types: list[str], engines: tuple[str, ...] = ENGINES) -> Cells:
    """Ask engines for types; as :func:`groups`, in one."""
    return {name: cells for found in groups(types, engines) for name, cells in found.items()}


def groups(types: list[str], engines: tuple[str, ...] = ENGINES) -> Iterator[Cells]:
    """Ask engines for types, some in each run.

    Args:
        types: names of :data:`type_table.columns.TYPES`.
        engines: contenders.
    """
    for begin in range(0, len(types), _GROUP):
        group = types[begin : begin + _GROUP]
        cells = _without_accused(group, engines if _WITNESS in engines else (_WITNESS, *engines))
        # One table may end a run: each of these is asked for alone.
        lost = [engine for engine in engines if all(_refused(cells[one][engine]) for one in group)]
        for one in group if len(group) > 1 else ():
            if again := [engine for engine in lost if _refused(cells[one][engine])]:
                alone = cells_of_engines([one], tuple(dict.fromkeys((_WITNESS, *again))))
                cells[one] |= {engine: alone[one][engine] for engine in again}
        yield {name: {engine: of[engine] for engine in engines} for name, of in cells.items()}


def readers(name: str) -> str:
    """What weigh's two readers of Parquet read of a type: whether a column of it may accuse anybody."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "t.parquet"
        TYPES[name](path)
        try:
            rows = second_reader.table([str(path)])
        except (pa.ArrowException, OSError) as error:
            return f"the parquet crate alone: {_short(str(error))}"
        return second_reader.unlike([str(path)], rows).get(1, "agreed")


def cast(engine: str, engines: tuple[str, ...] = ENGINES) -> Cells:
    """Ask for the SQL types of an engine, in one run of a statement each, over Parquet.

    Raises:
        SystemExit: weigh could not run.
    """
    queries = casts.queries(engine)
    names = {f"cast_{number:02}": kind for number, kind in enumerate(queries)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "asked").mkdir()
        casts.write(folder / f"{casts.TABLE}.parquet")
        for name, kind in names.items():
            (folder / "asked" / f"{name}.sql").write_text(queries[kind] + "\n")
        flags = ("--data", f"{casts.TABLE}={casts.TABLE}.parquet", "--contender", engine)
        made = _weigh(folder, "init", "--quiet", "--sql", "asked", *flags)
        if made.returncode:
            raise SystemExit(f"weigh init for the types of {engine}: {made.stderr}")
        order = tuple(dict.fromkeys((engine, *engines)))
        document, gate = _gate(folder, order)
        return {
            kind: {one: _cell(name, one, document, gate, casts.TABLE) for one in engines}
            for name, kind in names.items()
        }


def _without_accused(types: list[str], engines: tuple[str, ...]) -> Cells:
    """Ask for several types, and once more without those that an engine reads otherwise: it was asked no more."""
    cells = cells_of_engines(types, engines)
    rest = [one for one in types if not any(cell.startswith("ACCUSED") for cell in cells[one].values())]
    return cells | _without_accused(rest, engines) if rest and len(rest) < len(types) else cells


def _refused(cell: str) -> bool:
    return cell.startswith("refused")


def cells_of_engines(types: list[str], engines: tuple[str, ...]) -> Cells:
    """Ask for several types in one run, of a table each; types that one engine refuses may end it for the others.

    Raises:
        SystemExit: weigh could not run.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "asked").mkdir()
        flags = []
        for name in types:
            TYPES[name](folder / f"t_{name}.parquet")
            (folder / "asked" / f"t_{name}.sql").write_text(f"SELECT * FROM t_{name}\n")
            flags += ["--data", f"t_{name}=t_{name}.parquet"]
        made = _weigh(folder, "init", "--quiet", "--sql", "asked", *flags, "--contender", _WITNESS)
        if made.returncode:
            why = _short(made.stderr)
            if len(types) > 1:
                return {name: cell for one in types for name, cell in cells_of_engines([one], engines).items()}
            return {types[0]: dict.fromkeys(engines, f"refused: weigh init: {why}")}
        document, gate = _gate(folder, engines)
        return {name: {engine: _cell(f"t_{name}", engine, document, gate) for engine in engines} for name in types}


def _gate(folder: Path, engines: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The document of a run, and what the gate wrote."""
    contenders = (flag for engine in engines for flag in ("--contender", engine))
    ran = _weigh(folder, "gate", "--json", "--quiet", "--no-shrink", *contenders)
    try:
        document = json.loads(ran.stdout)
    except ValueError:
        raise SystemExit(f"weigh gate: {ran.stderr}") from None
    (evidence,) = (folder / "runs").iterdir()
    return document, json.loads((evidence / "gate.json").read_bytes())


def _weigh(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "weigh", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _cell(operation: str, engine: str, document: dict[str, Any], gate: dict[str, Any], table: str | None = None) -> str:
    """What a run says of one operation and one engine; the table that it reads has the same name, or another one."""
    table = table or operation
    findings = [one for one in document["findings"] if one["contender"] in (engine, None)]

    def texts(code: str) -> list[str]:
        return [one["text"] for one in findings if one["code"] == code and re.search(rf"\b{table}\b", one["text"])]

    if accused := texts("A4.rows"):
        return f"ACCUSED: {accused[0]}"
    checks = [one for one in gate["checks"] if one["operation"] == operation and one["contender"] == engine]
    statuses = {one["status"] for one in checks}
    if statuses & {"error", "unsupported"} or not checks:
        words = [one["detail"] for one in checks if one.get("detail")]
        words += [text.rpartition("on disk: ")[2] for text in texts("A4.unread")]
        disqualified = [one["text"] for one in findings if one["code"] == "A4.rows"]
        why = (words or disqualified or ["it did not start"])[0]
        # Of a table without the column: why, which is all that this table asks for.
        why = re.sub(r"its table \w+ is without \w+ \((.*)\): ask for other columns", r"\1", why, flags=re.DOTALL)
        return f"refused: {_short(why)}"
    if "diverged" in statuses:
        differences = [one for check in checks for one in check.get("differences", ())]
        (first, *_) = differences or [{"got": "", "expected": ""}]
        against = next(one["witness"] for one in checks if one["status"] == "diverged")
        return f"other: {first['got']}, not {first['expected']}, by {against}"
    if "left_open" in statuses:
        notes = next(one["notes"] for one in checks if one["status"] == "left_open")
        return f"unchecked: {_short(notes[0])}"
    notes = [note.partition(": ") for one in checks for note in one.get("notes", ())]
    forms = [text.partition(" of ")[0] for code, _, text in notes if code == "A7"]
    forms += [text.partition(" in v of")[0].partition(" of t_")[0] for text in texts("A14.form")]
    forms = [one.removeprefix("compared as shown: ").removesuffix(" (v)") for one in forms]
    how = f" ({'; '.join(dict.fromkeys(forms))})" if forms else ""
    unchecked = [text.partition("compared: ")[2] for code, _, text in notes if code == "A14.unchecked"]
    unchecked += [text.partition(": ")[2] for text in texts("A14.readers")]
    unchecked += [text.partition("with the files: ")[2] for text in texts("A14.unchecked") if "with the files" in text]
    agreed = f"agreed{how}" if "agreed" in statuses else f"alone{how}"
    return f"unchecked: {_short(unchecked[0])}; {agreed}" if unchecked else agreed


def _short(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return " ".join((lines or [""])[0].split())[:_WORDS]


def versions(engines: tuple[str, ...]) -> dict[str, str]:
    """The versions that contenders without one are of."""
    from weigh.engines import engine

    return {name: name.partition("@")[2] or engine.load(name).tested for name in engines}
