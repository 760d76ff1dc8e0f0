"""Reproducers: a divergence as a folder that stands alone: data, query, and a script that shows it."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh._version import __version__
from weigh.answers import compare
from weigh.engines import surroundings
from weigh.experiment.reproducer import script
from weigh.experiment.reproducer.subset import slug
from weigh.host import scratch
from weigh.model.data.catalog import FORMATS, TITLES
from weigh.model.text import one_line
from weigh_worker import confinement

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.reproducer.pair import Found, Question
    from weigh.model.units import Seconds

FOLDER = "reproducers"
"""In the evidence."""
SCRIPT = "reproduce.py"
QUERY = "query.sql"
EMBEDDED_ROWS = 1000
"""Up to this many rows of the right answer are written into a script."""

_MARKERS = ("# --- the script ---\n", "# --- the engine ---\n")
_PLAIN = (str, int, float, bool, bytes, type(None))


class Reproducer(NamedTuple):
    """What a reproducer shows.

    Attributes:
        ready: the contender that is wrong.
        operation: the operation it is wrong on.
        question: what it is asked.
        found: its answer and that of the witness.
        witness: name of the witness.
        story: sentences on how it was found.
        undecided: whether nothing tells which of the two is right.
    """

    ready: PreparedContender
    operation: str
    question: Question
    found: Found
    witness: str
    story: tuple[str, ...]
    undecided: bool = False


def add_script(one: Reproducer, folder: Path, tables: Tables, timeout: Seconds) -> str:
    """Write ``query.sql`` alongside the data, and the script where it shows the divergence.

    Args:
        one: what it shows.
        folder: where the data is.
        tables: its files.
        timeout: seconds that the script may take when it is tried.

    Returns:
        Why there is no script; empty where there is one.
    """
    (folder / QUERY).write_text(one.question.sql + "\n", encoding="utf-8")
    if one.ready.build is not msgspec.UNSET:
        return "it is a build that no index has, and a script installs its packages from one"
    if one.ready.contender.catalog in FORMATS:
        return f"it reads through {TITLES[one.ready.contender.catalog]}, and a script has no catalog of these files"
    if not one.ready.engine.script:
        return f"engine '{one.ready.engine.name}' brings no script"
    if one.found.expected.num_rows > EMBEDDED_ROWS:
        return f"the right answer has {one.found.expected.num_rows:,} rows"
    rows = _rows(one.found.expected, one.question)
    if rows is None:
        return "the right answer holds values that a script cannot"
    path = folder / SCRIPT
    path.write_text(text(one, tables, rows), encoding="utf-8")
    # What is handed out was observed to fail, with the very packages that it names.
    complaint = _tried(one, path, timeout)
    if complaint:
        path.unlink()
    return complaint


def text(one: Reproducer, tables: Tables, rows: list[tuple[Any, ...]]) -> str:
    """The whole script."""
    packages = [pin.partition("==")[0].partition("[")[0] for pin in one.ready.engine.requirements(one.ready.contender)]
    minor = ".".join(map(str, sys.version_info[:2]))
    pins = [line.strip() for line in one.ready.environment.lock.splitlines() if "==" in line]
    script_text = Path(script.__file__).read_text(encoding="utf-8")
    shared = script_text.partition(_MARKERS[0])[2].partition(_MARKERS[1])[0]
    constants = {
        "PACKAGES": packages,
        "TABLES": {table: [Path(path).name for path in paths] for table, paths in tables.paths.items()},
        # Settings of weigh's own are for its adapter, and may name a server with a password.
        "SETTINGS": {key: value for key, value in one.ready.settings.items() if not key.startswith("weigh.")},
        "COLUMNS": [(column.name, column.kind, column.match, column.rel) for column in one.question.schema.columns],
        "ORDERED_BY": list(one.question.schema.ordered_by),
        "NULLS_OPEN": None if (nulls_open := one.question.schema.nulls_open) is msgspec.UNSET else list(nulls_open),
        "LIMIT": one.question.schema.limit,
        "TIMES": one.question.times,
        "WITNESS": one.witness,
    }
    return "\n".join(
        [
            "# /// script",
            f'# requires-python = "=={minor}.*"',
            "# dependencies = [",
            *(f"#   {json.dumps(pin)}," for pin in pins),
            "# ]",
            "# ///",
            _docstring(one, packages),
            "",
            "from __future__ import annotations",
            "",
            "import datetime",
            "import itertools",
            "import math",
            "import os",
            "import sys",
            "from decimal import Decimal",
            "from importlib.metadata import version",
            "from pathlib import Path",
            "from typing import Any",
            "",
            "inf, nan = math.inf, math.nan",
            *(f"{name} = {value!r}" for name, value in constants.items()),
            "EXPECTED = [",
            *(f"    {row!r}," for row in rows),
            "]",
            "\n",
            shared.strip() + "\n\n",
            "sys.excepthook = no_answer\n",
            one.ready.engine.script.strip(),
            "\n",
            'if __name__ == "__main__":',
            "    end_now(show(ask))",
            "",
        ]
    )


def place(evidence: Path, one: Reproducer) -> Path:
    """Where in an evidence directory it belongs: a name that is free."""
    name = f"{slug(one.operation)}-{slug(one.ready.name)}"
    folders = (evidence / FOLDER / f"{name}{suffix}" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(folder for folder in folders if not folder.exists())


def keep(folder: Path, final: Path) -> None:
    """Move a reproducer to its place, whole or not at all.

    Raises:
        OSError: there is no room.
    """
    aside = final.with_name(f".{final.name}")
    try:
        final.parent.mkdir(exist_ok=True)
        # Left by an attempt that was killed here and resumed.
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        for path in folder.iterdir():
            shutil.copyfile(path, aside / path.name)
        aside.rename(final)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(OSError):
            final.parent.rmdir()
        raise


def _docstring(one: Reproducer, packages: list[str]) -> str:
    other = " ".join(f"--with {package}==VERSION" for package in packages)
    lines = [
        f"{one.ready.name} (engine {one.ready.engine.name}) answers {QUERY} "
        f"{f'differently from {one.witness}' if one.undecided else 'wrongly'}: "
        f"{'; '.join(map(str, one.found.differences[:1]))}.",
        "",
        *one.story,
        f"The answer it is compared with is that of {one.witness}.",
        f"Made by weigh {__version__}. Nothing of weigh is needed:",
        "",
        f"    uv run {SCRIPT}",
        "",
        "asks the version that was measured; exit code 1 says that its answer still differs. For another version:",
        "",
        f"    uv run {other} {SCRIPT}",
        "",
        "Exit code 0 says that the answers agree, 2 that there was none.",
    ]
    safe = [line if line.startswith("    ") else one_line(line) for line in lines]
    inside = "\n".join(safe).replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{inside}\n"""'


def _rows(table: pa.Table, question: Question) -> list[tuple[Any, ...]] | None:
    """An answer as Python literals, or None where it holds something that has none."""
    import pyarrow as pa

    try:
        columns = [
            [_naive(value) for value in _micro(column).to_pylist()]
            for column in compare.conform(table, question.schema).columns
        ]
    except pa.ArrowInvalid:
        return None
    rows = list(zip(*columns, strict=True))
    return rows if all(_literal(value) for row in rows for value in row) else None


def _micro(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Instants as Python has them; raises where nanoseconds would be lost."""
    import pyarrow as pa

    return column.cast(pa.timestamp("us", column.type.tz)) if pa.types.is_timestamp(column.type) else column


def _naive(value: Any) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def _literal(value: Any) -> bool:
    from decimal import Decimal

    if isinstance(value, (list, tuple)):
        return all(map(_literal, value))
    if isinstance(value, dict):
        return all(map(_literal, value.values()))
    return isinstance(value, (*_PLAIN, Decimal, datetime.date, datetime.time, datetime.timedelta))


def _tried(one: Reproducer, path: Path, timeout: Seconds) -> str:
    """Why the script does not show the divergence; empty where it does."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    command, place = [str(one.ready.environment.python), "-I", str(path)], path.parent.parent
    room = scratch.folder("reproducer")
    if one.ready.readable is not None and one.ready.engine.confined:
        # The query is others'.
        command = surroundings.confined(command, [place.resolve()], room)
        environment = confinement.environment(str(room))
    try:
        done = subprocess.run(
            command,
            cwd=place,
            env={**environment, "TZ": "UTC"},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"its script gave no answer within {timeout:.0f} s"
    finally:
        shutil.rmtree(room, ignore_errors=True)
    if done.returncode == 1 and "\nDIFFERS " in done.stdout:
        return ""
    if done.returncode == 0:
        return "asked by its script, the engine is right"
    lines = done.stderr.strip().splitlines() or done.stdout.strip().splitlines() or ["nothing"]
    return f"its script ended with code {done.returncode} ({one_line(lines[-1], 200)})"
