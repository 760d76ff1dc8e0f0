"""Result schemas of a suite: read off one answer to each question, and kept for the next run."""

from __future__ import annotations

import re
import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import ready
from weigh.experiment.data.data_link import DataLink
from weigh.experiment.gate.queries import QuerySession
from weigh.model.text import one_line
from weigh.workloads import infer_schema
from weigh.workloads.suites.question import LeftOut
from weigh.workloads.user_sql import QueryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from weigh.data.cache import CachedData
    from weigh.model.contender import Contender
    from weigh.model.progress import Progress
    from weigh.workloads.suites.question import Question

_TIMEOUT = 300.0
_DETAIL = 160
"""Characters of an engine's words that stand in a finding."""
_PLACE = re.compile(r"\s+LINE \d+:")
"""What an engine goes on with to show the place: other in every question, where the reason is the same."""


class Asked(NamedTuple):
    """What one answer to each question shows.

    Attributes:
        schemas: by name of the question.
        left_out: those that no contender answers, with the words of the first.
        any_rows: names of those for which any rows are right: LIMIT without ORDER BY.
    """

    schemas: dict[str, QueryFile]
    left_out: tuple[LeftOut, ...]
    any_rows: tuple[str, ...]


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    schemas: dict[str, QueryFile]
    refused: dict[str, str]
    any_rows: list[str]


def schemas(
    questions: Sequence[Question],
    contenders: Sequence[Contender],
    key: str,
    data: Callable[[], CachedData],
    cache: Path,
    progress: Progress,
) -> Asked:
    """The result schema of every question: from the cache, or by asking the contenders, the first one first.

    Args:
        questions: of the suite.
        contenders: who may be asked.
        key: hash of the data.
        data: the data as it is, where somebody must be asked.
        cache: weigh's cache directory.
        progress: is told.

    Raises:
        WeighError: a contender cannot be made or started.
    """
    from weigh._native import hash_bytes

    said = [key, *(one.spec for one in contenders), *(f"{one.name}\0{one.sql}" for one in questions)]
    place = cache / "suites" / f"{hash_bytes(chr(1).join(said).encode())[:24]}.json"
    try:
        kept = msgspec.json.decode(place.read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        kept = _ask(questions, contenders, data(), cache, progress)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(msgspec.json.encode(kept))
    left_out = tuple(LeftOut(name=name, why=why) for name, why in kept.refused.items())
    return Asked(kept.schemas, left_out, tuple(kept.any_rows))


def _ask(
    questions: Sequence[Question], contenders: Sequence[Contender], stored: CachedData, cache: Path, progress: Progress
) -> _Kept:
    schemas: dict[str, QueryFile] = {}
    refused: dict[str, str] = {}
    any_rows: list[str] = []
    open_ = list(questions)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, stored.folder, ignore_errors=True)
        for contender in contenders:
            if not open_:
                break
            progress.say(f"environment of {contender.name}")
            plain = msgspec.structs.replace(contender, layout="", catalog="", store="file")
            one = ready(plain, cache)
            link = stack.enter_context(DataLink({"": stored}))
            with QuerySession(one, link, _TIMEOUT) as session:
                still: list[Question] = []
                for number, question in enumerate(open_):
                    try:
                        sql = question.dialect.get(one.engine.dialect, question.sql)
                        table = session.ask(sql).table
                    except WorkerEnded as ended:
                        words = one_line(_PLACE.split(ended.detail)[0], _DETAIL)
                        refused.setdefault(question.name, f"{contender.name} does not answer it: {words}")
                        still.append(question)
                    else:
                        schemas[question.name] = infer_schema.describe(question.sql, table)
                        refused.pop(question.name, None)
                    progress.step(number + 1, len(open_), "reading result schemas")
            open_ = still
    any_rows = [one.name for one in questions if one.name in schemas and infer_schema.unordered_limit(one.sql)]
    return _Kept(schemas=schemas, refused=refused, any_rows=any_rows)
