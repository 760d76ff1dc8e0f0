"""Writers that are programs: each in an environment of its own, fed through a pipe."""

from __future__ import annotations

import errno
import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa

from weigh.model.errors import DataFault, EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMES = {"duckdb": "DuckDB", "polars": "Polars", "arro3-io": "parquet-rs", "vortex-data": "Vortex"}


def by_program(
    script: str,
    job: dict[str, Any],
    program: str,
    parts: Iterable[tuple[Path, Iterator[pa.RecordBatch]]],
    paths: list[Path],
    *,
    schema: pa.Schema,
    python: Path | None,
) -> None:
    """Have a program of its own environment write files.

    Args:
        script: the program, which is told ``job`` and the files as JSON, and gets one Arrow stream a file.
        job: what else it is told.
        program: the package that it says the version of when it is done, with that version.
        parts: rows of each file.
        paths: the files.
        schema: of the rows, where there are none.
        python: interpreter of the environment.

    Raises:
        EnvironmentFault: the disk is full or cannot be written, or there is no such interpreter.
        DataFault: it failed.
    """
    name, _, version = program.partition("==")
    if python is None:
        raise EnvironmentFault(
            f"the {_NAMES[name]} writer needs an environment of its own",
            remedy=f"make one with {program} and nanoarrow",
        )
    job = {"files": [str(path) for path in paths], **job}
    command = [str(python), "-I", str(Path(script)), json.dumps(job)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        try:
            # A writer that died closes the pipe; what it said about it is on stderr.
            with suppress(BrokenPipeError):
                for _, part in parts:
                    _stream(part, schema, process.stdin)
            output, complained = process.communicate()
        except BaseException:
            process.kill()
            # What is still buffered has no reader any more, and that must not hide the error.
            with suppress(BrokenPipeError):
                process.stdin.close()
            raise
    if process.returncode:
        failed(_NAMES[name], complained, process.returncode, paths[0].parent)
    if json.loads(output)[name] != version:
        raise EnvironmentFault(
            f"the writer's environment holds another {_NAMES[name]} than {program}", where=str(python)
        )


def _stream(batches: Iterator[pa.RecordBatch], schema: pa.Schema, pipe: Any) -> None:
    first = next(batches, None)
    with pa.ipc.new_stream(pipe, first.schema if first is not None else schema) as stream:
        if first is not None:
            stream.write_batch(first)
        for batch in batches:
            stream.write_batch(batch)


def failed(name: str, complained: bytes, code: int, place: Path) -> NoReturn:
    """Say what ended such a program.

    Args:
        name: of the writer, for people.
        complained: what it wrote to stderr.
        code: that it ended with.
        place: where it wrote.

    Raises:
        EnvironmentFault: the disk is full.
        DataFault: anything else.
    """
    complaint = complained.decode(errors="replace")
    if "No space left" in complaint:
        raise fault(OSError(errno.ENOSPC, "No space left on device"), place)
    lines = complaint.strip().splitlines()
    other = "leave out format = 'vortex'" if name == "Vortex" else "write with writer = 'pyarrow'"
    raise DataFault(
        f"the {name} writer ended with code {code}: {lines[-1] if lines else 'it said nothing'}",
        where=str(place),
        remedy=f"{other}, or remove weigh's cached environments and try again",
    )


def fault(error: OSError, place: Path) -> EnvironmentFault:
    """What an operating system error means for somebody who wanted data written to ``place``."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return EnvironmentFault(
            "the disk is full", where=str(place), remedy="free space, or set WEIGH_CACHE to another disk"
        )
    return EnvironmentFault(
        f"cannot write data ({error.strerror or error})",
        where=str(place),
        remedy="make it writable, or set WEIGH_CACHE to a folder that is",
    )
