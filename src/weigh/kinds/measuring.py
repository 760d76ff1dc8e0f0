"""An experiment from Python: what ``weigh run`` does, with frames and SQL that are in memory."""

from __future__ import annotations

import hashlib
import inspect
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.experiment import request
from weigh.experiment import run as experiment
from weigh.experiment.config import run_request, tables
from weigh.experiment.config.file import DEFAULT_FILE, read_file
from weigh.experiment.report import files
from weigh.kinds.evidence import Evidence
from weigh.model.errors import UsageError, nearest
from weigh.model.progress import Silence

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from weigh.model.progress import Progress

_LISTS = ("contender", "command", "vary", "data", "price")
_FLAGS = {
    *tables.ExperimentTable.__struct_fields__,
    *inspect.signature(run_request.RunRequest).parameters,
    *_LISTS,
    "sql", "frames", "csv", "output",
}  # fmt: skip
_NAME = re.compile(r"\w[\w.-]*")
_TYPED = (
    "ingest", "seed", "starts", "rounds", "runs", "duet", "temperature", "quick", "on_divergence", "truth", "rule",
    "expect_storage", "budget", "timeout", "margin", "confidence", "precision",
)  # fmt: skip
_NOT_FLAGS = {"root", "user_files", "measure", "plan"}


def run(
    contender: str | Sequence[str] = (),
    *,
    data: Any = None,
    sql: str | os.PathLike[str] | Mapping[str, str] | None = None,
    out: str | os.PathLike[str] = "runs",
    progress: Progress | None = None,
    **flags: Any,
) -> Evidence:
    """Carry out an experiment, and open its evidence.

    Args:
        contender: who is compared; one, or several.
        data: files, a folder or a pattern as ``--data`` takes it, or tables by name: each a frame of any library that
            has the Arrow PyCapsule interface (pandas, Polars, PyArrow, DuckDB ...), or files.
        sql: questions as ``--sql`` takes them, or by name as text.
        out: folder of all evidence; tables and texts that were in memory are written below it.
        progress: reports what is done; nobody is by default.
        flags: every other flag of ``weigh run``, by its name with _ for -.

    Raises:
        UsageError: there is no such flag, or as ``weigh run`` refuses.
        WeighError: as ``weigh run`` fails.
    """
    for name in flags:
        if name not in _FLAGS - _NOT_FLAGS:
            raise UsageError(f"weigh.run has no argument '{name}'", remedy=nearest(name, _FLAGS - _NOT_FLAGS))
    try:
        msgspec.convert({name: flags[name] for name in _TYPED if flags.get(name) is not None}, tables.ExperimentTable)
    except msgspec.ValidationError as error:
        raise UsageError(f"weigh.run: {error}", remedy="give what the flag takes (weigh run --help)") from None
    root = Path(out)
    given: dict[str, Any] = {**flags, "contender": contender, "data": _files(data, root), "sql": _questions(sql, root)}
    given = {name: _several(value) if name in _LISTS else value for name, value in given.items()}
    file = read_file(DEFAULT_FILE) if DEFAULT_FILE.exists() else None
    path = DEFAULT_FILE if file else None
    spec, wanted = request.requested(file, path, given, root, _command(given), progress or Silence())
    return Evidence(experiment.run(spec, wanted, progress or Silence(), files.write))


def _several(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(str(one) for one in value)


def _files(data: Any, root: Path) -> Sequence[str]:
    """Data as ``--data`` takes it; frames are written as Parquet, called by what is in them."""
    if data is None:
        return ()
    if not isinstance(data, Mapping):
        files = [data] if isinstance(data, (str, Path)) or hasattr(data, "__arrow_c_stream__") else list(data)
        for one in files:
            if not isinstance(one, (str, Path)):
                raise UsageError(
                    f"data is a {type(one).__name__} without a name", remedy='name the table: data={"events": frame}'
                )
        return [str(one) for one in files]
    return [f"{name}={_file(name, one, root)}" for name, one in data.items()]


def _named(what: str, name: object) -> str:
    """A name that files may have."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"no {what} can be called {name!r}", remedy="write letters, digits, _, - and .")
    return name


def _file(name: str, one: Any, root: Path) -> str:
    if isinstance(one, (str, Path)):
        return str(one)
    _named("table", name)
    if not hasattr(one, "__arrow_c_stream__"):
        raise UsageError(
            f"table {name} is a {type(one).__name__}, and no frame",
            remedy="give files, or what has __arrow_c_stream__: frames of Polars, PyArrow, DuckDB, pandas from 2.2 on",
        )
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = root / "data" / f"{name}.parquet"
    place.parent.mkdir(parents=True, exist_ok=True)
    made = place.with_suffix(".new")
    try:
        pq.write_table(pa.table(one), made)
    except (ValueError, TypeError, pa.ArrowException) as error:
        made.unlink(missing_ok=True)
        raise UsageError(
            f"table {name} cannot be written as Parquet: {error}", remedy="give its columns other types or names"
        ) from None
    contents = hashlib.sha256(made.read_bytes()).hexdigest()[:16]
    place = place.with_name(f"{name}-{contents}.parquet")
    made.replace(place)
    return str(place)


def _questions(sql: Any, root: Path) -> str | None:
    """Questions as ``--sql`` takes them; texts are written to a folder called by what they say."""
    if not isinstance(sql, Mapping):
        if sql is not None and (
            not isinstance(sql, (str, Path)) or (len(str(sql).split()) > 1 and not Path(sql).is_dir())
        ):
            raise UsageError(
                "sql is neither a folder nor texts by name", remedy='name the question: sql={"top": "SELECT ..."}'
            )
        return None if sql is None else str(sql)
    for name, text in sql.items():
        _named("question", name)
        if not isinstance(text, str):
            raise UsageError(f"question {name} is a {type(text).__name__}, and no text", remedy="give its SQL")
    texts = "\0".join(f"{name}\0{text}" for name, text in sql.items())
    folder = root / "sql" / hashlib.sha256(texts.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sql.items():
        (folder / f"{name}.sql").write_text(text)
    return str(folder)


def _command(given: Mapping[str, Any]) -> str:
    """The command line that does it again."""
    words = ["weigh", "run"]
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "operations" and not isinstance(value, str) and value:
            words += [flag, ",".join(value)]
        elif isinstance(value, (list, tuple)):
            words += [word for one in value for word in (flag, str(one))]
        elif value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, str(value)]
    return shlex.join(words)
