"""Which writers give pages checksums, and which engines notice a flipped bit in such a page (D4).

One column of numbers is written by each engine that can write Parquet, in every codec. In copies of the files one bit
is flipped, such that the page can still be decoded where there is such a bit: what raises then has compared the
checksum, or its decompressor has one of its own. The same is done to files without checksums, to tell the two apart.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from weigh._native import hash_file
from weigh.answers import arrow_stream
from weigh.answers.arrow_messages import BadStream
from weigh.data import damage
from weigh.data.layout import page_checksums
from weigh.doctor import checksum_writer
from weigh.engines import prepared
from weigh.engines.exchange import WorkerEnded
from weigh.engines.loaded import Tables
from weigh.host import scratch
from weigh.model.contender import parse_contender
from weigh.model.errors import DataFault, EngineFault
from weigh.model.sample import Outcome
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.model.progress import Progress

CODECS = ("none", "snappy", "zstd", "gzip", "lz4")
ENGINES = (
    "duckdb",
    "chdb",
    "chdb?input_format_parquet_verify_checksums=false",
    "datafusion",
    "polars",
    "pyarrow",
    "pyarrow?page_checksum_verification=true",
)
SEED = 42
"""Of the values and of the bits that are flipped."""
_ROWS, _DISTINCT = 20_000, 2_000
"""Few enough values for a dictionary, whose numbers and the references to them are as good as random: what no codec
makes smaller stays byte by byte where it is."""
_TIMEOUT = 60.0
"""Seconds for one file."""
_DETAIL = 200
"""Characters of what was raised that are kept."""
_QUERIES: dict[str, tuple[dict[str, object], ...]] = {
    "pyarrow": ({"write_page_checksum": True}, {}),
    "chdb": ({"output_format_parquet_write_checksums": 1}, {"output_format_parquet_write_checksums": 0}),
}
"""Settings of writers that have one for checksums: with and without them."""

_NOTHING: tuple[dict[str, object], ...] = ({},)
_WRITER = "pyarrow"
"""Writes where none of the contenders has a setting for checksums: without a file that has them nobody can be asked."""

Noticed = Literal["raised", "wrong", "right"]


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine writes.

    Attributes:
        engine, version: who.
        settings: of its writer.
        checksums: for each codec whether all pages have one; None where it could not write that codec.
    """

    engine: str
    version: str
    settings: dict[str, object]
    checksums: dict[str, bool | None]

    @property
    def whole(self) -> bool:
        """Whether every file that it wrote has checksums."""
        known = [one for one in self.checksums.values() if one is not None]
        return bool(known) and all(known)


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a contender made of one file with a flipped bit.

    Attributes:
        contender: its name.
        writer: engine that wrote the file.
        checksums: whether its pages have them.
        codec: of the file.
        page: what the bit was flipped in.
        decodes: whether the page can still be decoded by who looks at no checksum.
        noticed: whether it raised, gave another sum, or the right one.
        detail: what it said when it raised.
    """

    contender: str
    writer: str
    checksums: bool
    codec: str
    page: damage.Kind
    decodes: bool
    noticed: Noticed
    detail: str = ""


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """A contender that was asked.

    Attributes:
        name: as it was given.
        engine, version: who.
        settings: of its own.
    """

    name: str
    engine: str
    version: str
    settings: dict[str, object]


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """The whole matrix."""

    writers: tuple[Writing, ...]
    readers: tuple[Reader, ...]
    readings: tuple[Reading, ...]


class _File(NamedTuple):
    path: Path
    writer: str
    checksums: bool
    codec: str
    page: damage.Kind | None
    decodes: bool


def probe(named: Sequence[str], cache: Path, progress: Progress) -> Probe:
    """Write the files, flip bits, and ask everybody.

    Args:
        named: contenders, as on the command line.
        cache: weigh's cache directory.
        progress: receives messages.

    Raises:
        UsageError: no such contender.
        EngineFault: one cannot be started, or does not read an undamaged file right.
        EnvironmentFault: an environment cannot be made.
    """
    contenders = [parse_contender(one) for one in named]
    for one in contenders:
        prepared.check(one)
    made = []
    for one in contenders:
        progress.say(f"environment of {one.name}")
        made.append(prepared.ready(one, cache))
    writing = list(made)
    if not any(one.engine.name in _QUERIES for one in made):
        writing.append(prepared.ready(parse_contender(_WRITER), cache))
    drawn = random.Random(SEED)
    distinct = [drawn.randrange(1 << 40) for _ in range(_DISTINCT)]
    values = [drawn.choice(distinct) for _ in range(_ROWS)]
    versions = {one.name: _version(one) for one in writing}
    place = scratch.folder("checksums")
    # Engines that run as another user must get there.
    place.chmod(0o755)
    try:
        writers, files = _written(writing, versions, values, place, progress)
        readings: list[Reading] = []
        for ready in made:
            progress.say(f"asking {ready.name}")
            readings += _readings(ready, files, sum(values), place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    readers = tuple(
        Reader(name=one.name, engine=one.engine.name, version=versions[one.name], settings=dict(one.contender.settings))
        for one in made
    )
    return Probe(writers=tuple(writers), readers=readers, readings=tuple(readings))


def _version(ready: PreparedContender) -> str:
    return prepared.read_back(ready)[0].version


def _written(
    made: Iterable[PreparedContender], versions: Mapping[str, str], values: list[int], place: Path, progress: Progress
) -> tuple[list[Writing], list[_File]]:
    """The files of every writer; those with checksums, and the same without, once whole and once for every kind."""
    writers: list[Writing] = []
    files: list[_File] = []
    chance = random.Random(SEED)
    # One of each engine: contenders that differ in how they read write alike.
    for one in {ready.engine.name: ready for ready in reversed(list(made))}.values():
        name = one.engine.name
        if name not in checksum_writer.WRITERS:
            continue
        progress.say(f"files of {name}")
        found = []
        for number, settings in enumerate(_QUERIES.get(name, _NOTHING)):
            folder = place / f"{name}-{number}"
            folder.mkdir()
            writing = _write(one, versions[one.name], settings, values, folder)
            found.append((writing, folder))
            writers.append(writing)
        # Who never writes checksums adds nothing to the controls of those who do.
        if any(writing.whole for writing, _ in found):
            for writing, folder in found:
                for codec, has in writing.checksums.items():
                    if has is not None:
                        files += _damaged(folder / f"{codec}.parquet", name, codec, chance, checksums=has)
    return writers, files


def _write(
    ready: PreparedContender, version: str, settings: dict[str, object], values: list[int], folder: Path
) -> Writing:
    job = {
        "engine": ready.engine.name,
        "values": values,
        "files": {codec: str(folder / f"{codec}.parquet") for codec in CODECS},
        "settings": settings,
    }
    done = subprocess.run(
        [str(ready.environment.python), "-I", str(Path(checksum_writer.__file__))],
        input=json.dumps(job), capture_output=True, text=True, timeout=_TIMEOUT, check=False, cwd=folder,
    )  # fmt: skip
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise EngineFault(f"its writer ended: {one_line(lines[-1])}", where=ready.name, remedy="report this")
    reply = json.loads(done.stdout)
    has: dict[str, bool | None] = {}
    for codec in CODECS:
        if reply[codec] is not None:
            has[codec] = None
            continue
        checks, bad = page_checksums.check(folder / f"{codec}.parquet")
        if bad:
            raise DataFault(
                f"{bad[0].code} {bad[0].text}", where=ready.name, remedy="report this: it wrote that file now"
            )
        has[codec] = 0 < checks.with_checksum == checks.pages
    return Writing(engine=ready.engine.name, version=version, settings=settings, checksums=has)


def _damaged(path: Path, writer: str, codec: str, chance: random.Random, *, checksums: bool) -> Iterator[_File]:
    """The file as it is, and copies with a flipped bit."""
    yield _File(path, writer, checksums, codec, None, True)
    kinds: tuple[damage.Kind, ...] = ("data", "dictionary")
    for kind in kinds:
        copy = path.with_name(f"{codec}-{kind}.parquet")
        shutil.copy(path, copy)
        flipped = damage.flip(copy, 0, "n", chance, kind)
        if flipped is not None:
            yield _File(copy, writer, checksums, codec, kind, flipped.decodes)


def _readings(ready: PreparedContender, files: Iterable[_File], expected: int, place: Path) -> Iterator[Reading]:
    """What one contender makes of every file.

    Raises:
        EngineFault: it does not read a whole file right.
    """
    with _Asking(ready, place) as asking:
        for file in files:
            found: int | None = None
            try:
                found = asking.sum(file.path)
                detail = "" if found == expected else f"sum {found}, not {expected}"
            except WorkerEnded as ended:
                detail = ended.detail if ended.outcome is Outcome.ERROR else str(ended)
            if file.page is not None:
                yield Reading(
                    contender=ready.name,
                    writer=file.writer,
                    checksums=file.checksums,
                    codec=file.codec,
                    page=file.page,
                    decodes=file.decodes,
                    noticed="raised" if found is None else "right" if found == expected else "wrong",
                    detail=one_line(detail)[:_DETAIL],
                )
            elif found != expected:
                raise EngineFault(
                    f"it cannot sum an undamaged column of a file by {file.writer}, {file.codec}: {one_line(detail)}",
                    where=f"contender {ready.name}",
                    remedy="leave it out of --engines",
                )


class _Asking:
    """Sums of the column of one file after another; a life that dies is followed by another."""

    def __init__(self, ready: PreparedContender, place: Path) -> None:
        # What it loads goes with the files.
        self._ready = msgspec.structs.replace(ready, cache=place)
        self._life: WorkerProcess | None = None
        self._number = 0

    def __enter__(self) -> _Asking:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def sum(self, path: Path) -> int | None:
        """The sum that it says.

        Raises:
            WorkerEnded: it raised, or died of it.
        """
        self._number += 1
        table = f"t{self._number}"
        try:
            life = self._bound(table, path)
            life.prepare(f"SELECT sum(n) AS s FROM {table}", _TIMEOUT)
            life.run(_TIMEOUT)
            answer, _ = life.answer(_TIMEOUT)
            found = arrow_stream.read(answer).column(0)[0].as_py()
            answer.unlink()
        except WorkerEnded as ended:
            if not ended.alive:
                self._life = None
            raise
        except BadStream as error:
            raise WorkerEnded(Outcome.ERROR, f"what it handed out is no Arrow stream: {error}", alive=True) from None
        return None if found is None else int(found)

    def _bound(self, table: str, path: Path) -> WorkerProcess:
        tables = {table: [str(path)]}
        if self._ready.engine.copies:
            self._end()
            self._life = self._ready.start(Tables(tables, hash_file(path)))
        else:
            self._life = self._life or self._ready.open()
            self._life.bind(tables)
        return self._life

    def _end(self) -> None:
        if self._life is not None:
            self._life.close()
        self._life = None
