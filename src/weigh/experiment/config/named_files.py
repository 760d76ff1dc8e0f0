"""Files that a user names: own data, queries, pinned answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.engines.prepared import cache_folder
from weigh.experiment.config import given_files
from weigh.experiment.config.conversion import converted
from weigh.experiment.config.file import File
from weigh.experiment.config.user_data import UserFiles, chosen_csv, queries_folder
from weigh.model.errors import UsageError
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.progress import Progress


def user_files(
    file: File | None, path: Path | None, flags: Mapping[str, Any], progress: Progress | None = None
) -> UserFiles | None:
    """The user's own data and queries, where the workload is ``sql``.

    Args:
        file: weigh.toml, if there is one.
        path: where it lies.
        flags: values of the command line by name.
        progress: reports what is converted.

    Raises:
        UsageError: they are not named, or are not there.
        DataFault: one of them is damaged.
    """
    section = (file or File()).experiment.with_flags(flags)
    workload = "sql" if flags.get("data") and not flags.get("workload") else section.workload
    if workload != "sql":
        if flags.get("data"):
            raise UsageError(
                f"--data names data of your own, and the workload {workload} has its own",
                remedy="leave out one of the two",
            )
        return None
    data = flags.get("data") or ([file.sql.data] if file and file.sql and file.sql.data else [])
    if data:
        if not flags.get("data") and file and file.sql and file.sql.tables:
            raise UsageError("it names both data and tables", where=f"{path}, [sql]", remedy="leave out one of the two")
        queries = file.sql if file else None
        if queries is None and not section.ingest:
            given_files.refuse_missing(data, cache_folder())
            raise UsageError(
                "there are no questions about the data",
                remedy="name a file or a folder of SELECT statements with --sql, or load the tables: --ingest",
            )
        if flags.get("data") and given_files.are_files(data, cache_folder()):
            cache = cache_folder()
            made = converted(given_files.tables(data, cache), cache, progress or Silence(), chosen_csv(queries, flags))
            place = queries_folder(queries, path.parent) if queries and path and not section.ingest else None
            return UserFiles(made.tables, place, made.conversions, queries.parameters if queries and place else None)
        if flags.get("data"):
            given_files.say_which(data, progress or Silence())
        return UserFiles.of(
            data[0], cache_folder(), None if section.ingest else queries, path.parent if path else Path()
        )
    if file is None or path is None or file.sql is None:
        raise UsageError(
            "the workload 'sql' needs [sql] in weigh.toml: which tables, and which folder of queries",
            remedy="let weigh init write it: weigh init --data FILES --sql FILES",
        )
    if not file.sql.tables:
        raise UsageError(
            "it names no table",
            where=f"{path}, [sql.tables]",
            remedy='write NAME = "FILES.parquet", or data = "NAME" of registered data',
        )
    csv = chosen_csv(file.sql, flags)
    return UserFiles.found(file.sql, path.parent, cache_folder(), progress or Silence(), csv)


def frames_place(file: File | None, path: Path | None, flags: Mapping[str, Any]) -> Path | None:
    """Where functions for data frames lie: a file or a folder; None where none are named.

    Raises:
        UsageError: they do not lie there.
    """
    if named := flags.get("frames"):
        place = Path(named).expanduser()
    elif file and path and file.sql and file.sql.frames:
        place = path.parent / Path(file.sql.frames).expanduser()
    else:
        return None
    if not place.exists():
        raise UsageError("there are no functions for data frames", where=str(place), remedy="see docs/guide/frames.md")
    return place


def answers_path(file: File | None, flags: Mapping[str, Any]) -> Path | None:
    """Where the pinned answers are, if any were named."""
    named = (file or File()).experiment.with_flags(flags).answers
    return Path(named) if named else None


def hash_of(answers: str | Path | None) -> str:
    """What is in the file belongs to the spec; where it lies does not."""
    if answers is None:
        return ""
    from weigh._native import DigestError, hash_file

    try:
        return hash_file(answers)
    except (DigestError, OSError) as error:
        raise UsageError(
            f"no pinned answers: {error}", where=str(answers), remedy="pin answers with: weigh gate --pin FILE"
        ) from None
