"""Result schemas of a suite: read off one answer to each question, and kept for the next run."""

from __future__ import annotations

import re
import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.engines import engine as engines
from weigh.engines.exchange import WorkerEnded
from weigh.engines.prepared import ready
from weigh.evidence import whole
from weigh.experiment.data.data_link import DataLink
from weigh.experiment.gate.queries import QuerySession
from weigh.model.sample import Outcome
from weigh.model.text import one_line, reason
from weigh.model.units import count
from weigh.workloads import infer_schema
from weigh.workloads.suites.question import LeftOut
from weigh.workloads.user_sql import QueryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from weigh.data.cache import CachedData
    from weigh.model.contender import Contender
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds
    from weigh.workloads.suites.question import Question

_FORM = "3"
"""Of what is read off an answer: other where the same answer would be described otherwise."""
_DETAIL = 160
"""Characters of an engine's words that stand in a finding."""
_SYSTEM = re.compile(r"\s*Did you mean \"(?:pg_|sqlite_|information_schema|duckdb_)[^\"]*\"\?")
"""What an engine takes a table for that is not there: none of the user's."""
_PLACE = re.compile(r"\s+LINE \d+:")
"""What an engine goes on with to show the place: other in every question, where the reason is the same."""


class Schemas(NamedTuple):
    """What one answer to each question shows.

    Attributes:
        schemas: by name of the question.
        left_out: those that no contender answers, with the words of the first.
        any_rows: names of those for which any rows are right: LIMIT without an order that can be compared.
        any_order: names of those whose ORDER BY cannot be compared.
    """

    schemas: dict[str, QueryFile]
    left_out: tuple[LeftOut, ...]
    any_rows: tuple[str, ...]
    any_order: tuple[str, ...]


class _Stored(msgspec.Struct, frozen=True, kw_only=True):
    """What one contender answered over one set of data, by hash of what it was asked.

    Attributes:
        schemas: of what it answers.
        refused: its words, where it does not.
    """

    schemas: dict[str, QueryFile] = {}
    refused: dict[str, str] = {}


def schemas(
    questions: Sequence[Question],
    contenders: Sequence[Contender],
    key: str,
    data: Callable[[], CachedData],
    readable: tuple[Path, ...],
    cache: Path,
    timeout: Seconds,
    progress: Progress,
) -> Schemas:
    """The result schema of every question: from the cache, or by asking the contenders, the first one first.

    Each question is kept by itself: where one is changed, the others are not asked again, and what was asked before an
    interruption stays.

    Args:
        questions: of the suite.
        contenders: who may be asked.
        key: hash of the data.
        data: the data as it is, where somebody must be asked.
        readable: the files of the data.
        cache: weigh's cache directory.
        timeout: that ends one question.
        progress: receives messages.

    Raises:
        WeighError: a contender cannot be made or started.
    """
    from weigh._native import hash_bytes

    found: dict[str, QueryFile] = {}
    refused: dict[str, str] = {}
    open_ = list(questions)
    with ExitStack() as stack:
        stored: CachedData | None = None
        for contender in contenders:
            if not open_:
                break
            # Whoever is called otherwise, or reads another layout, answers the same.
            plain = msgspec.structs.replace(contender, name="", layout="", catalog="", store="file")
            place = cache / "suites" / f"{hash_bytes(key.encode() + msgspec.json.encode(plain))[:24]}.json"
            dialect = engines.of(contender).dialect
            texts = {one.name: one.dialect.get(dialect, one.sql) for one in open_}
            keys = {one.name: hash_bytes(f"{_FORM}\0{one.sql}\0{texts[one.name]}".encode())[:24] for one in open_}
            cached, late = _read(place), dict[str, str]()
            unknown = [
                one for one in open_ if keys[one.name] not in cached.schemas and keys[one.name] not in cached.refused
            ]
            if unknown:
                if stored is None:
                    stored = data()
                    stack.callback(shutil.rmtree, stored.folder, ignore_errors=True)
                try:
                    late = _ask(unknown, texts, keys, contender, stored, readable, cached, cache, timeout, progress)
                finally:
                    _write(place, cached)
            still: list[Question] = []
            for one in open_:
                if described := cached.schemas.get(keys[one.name]):
                    found[one.name] = described
                    refused.pop(one.name, None)
                else:
                    words = late.get(one.name) or cached.refused[keys[one.name]]
                    refused.setdefault(one.name, f"{contender.name} does not answer it: {_SYSTEM.sub('', words)}")
                    still.append(one)
            open_ = still
    known = [(one.name, one.sql, found[one.name]) for one in questions if one.name in found]
    any_rows = tuple(name for name, sql, schema in known if infer_schema.any_rows(sql, schema))
    any_order = tuple(name for name, sql, schema in known if infer_schema.unchecked_order(sql, schema))
    any_order = tuple(name for name in any_order if name not in any_rows)
    return Schemas(found, tuple(LeftOut(name=name, why=why) for name, why in refused.items()), any_rows, any_order)


def _ask(
    questions: Sequence[Question],
    texts: Mapping[str, str],
    keys: Mapping[str, str],
    contender: Contender,
    stored: CachedData,
    readable: tuple[Path, ...],
    cached: _Stored,
    cache: Path,
    timeout: Seconds,
    progress: Progress,
) -> dict[str, str]:
    """Ask one contender, and add to what is cached of it; what took too long is returned and not cached."""
    late: dict[str, str] = {}
    progress.say(f"environment of {contender.name}")
    plain = msgspec.structs.replace(contender, layout="", catalog="", store="file")
    one = msgspec.structs.replace(ready(plain, cache), readable=readable)
    progress.say(f"reading result schemas: {count(len(questions), 'question')} to {contender.name}")
    with DataLink({"": stored}) as link, QuerySession(one, link, timeout) as session:
        for number, question in enumerate(questions):
            key = keys[question.name]
            try:
                table = session.ask(texts[question.name]).table
            except WorkerEnded as ended:
                words = one_line(reason(_PLACE.split(ended.detail)[0]), _DETAIL)
                if ended.outcome is Outcome.TIMEOUT:
                    late[question.name] = words
                else:
                    cached.refused[key] = words
            else:
                cached.schemas[key] = infer_schema.describe(question.sql, table)
            progress.step(number + 1, len(questions), "reading result schemas")
    return late


def _read(place: Path) -> _Stored:
    try:
        return msgspec.json.decode(place.read_bytes(), type=_Stored)
    except (OSError, msgspec.DecodeError):
        return _Stored()


def _write(place: Path, cached: _Stored) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    whole.write(place, msgspec.json.encode(cached))
