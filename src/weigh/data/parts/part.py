"""One part, on a worker: made, put where it belongs, read back. What comes back are facts, and no row."""

from __future__ import annotations

import resource
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from weigh.cluster.place import Unwanted, wanted
from weigh.data.layout import file_facts
from weigh.data.making import Making
from weigh.data.parts.destination import destination
from weigh.host import scratch
from weigh.model.dataset import DatasetName, FileFacts
from weigh.model.errors import DataFault, EnvironmentFault
from weigh.model.spec import LayoutSpec
from weigh.model.units import Bytes, Seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.data.generator import PartSource
    from weigh.data.making import Environment
    from weigh.data.parts.destination import Destination

MARK = "making.json"
"""What is being made there, while it is."""
_REQUESTS = 8
"""Of a store for one part of one file: four puts with what they are compared with, and two small reads."""


class PartJob(msgspec.Struct, frozen=True, kw_only=True):
    """A part to be made.

    Attributes:
        dataset: of which it is a part.
        layout: of the dataset, complete; it has a file of each table for every part.
        number: from 0.
        to: the place.
    """

    dataset: DatasetName
    layout: LayoutSpec
    number: int
    to: str

    @property
    def mark(self) -> bytes:
        """The same of all parts of one dataset in one layout."""
        plain = {"dataset": msgspec.to_builtins(self.dataset), "layout": msgspec.to_builtins(self.layout)}
        return msgspec.json.encode(plain, order="deterministic")


class PartCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a part took.

    Attributes:
        cpu_s: processor seconds of the worker and of the programs that it started.
        wall_s: seconds.
        bytes: of its files.
        requests: of a store, about; 0 of a folder.
        host: that made it.
    """

    cpu_s: Seconds
    wall_s: Seconds
    bytes: Bytes
    requests: int
    host: str


class PartFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a part is, as it was read back.

    Attributes:
        number: of the part.
        files: one of each table that it has rows of.
        cost: of making it.
    """

    number: int
    files: tuple[FileFacts, ...]
    cost: PartCost


def facts_name(number: int) -> str:
    """Where the facts of a part lie until all are made."""
    return f"parts/{number:06}.json"


def known_name(number: int) -> str:
    """Where what is known of its rows lies until all are made."""
    return f"parts/{number:06}.known"


def file_name(table: str, number: int, suffix: str) -> str:
    """What the file of a table of a part is called: a folder a table, as readers of folders want it."""
    return f"{table}/{table}-{number:06}{suffix}"


def number_of(name: str) -> int:
    """Of the part that a file of such a name is of."""
    return int(Path(name).stem.rpartition("-")[2])


class MadePart(NamedTuple):
    """What a worker holds of a part.

    Attributes:
        facts: :class:`PartFacts` as JSON.
        known: of its rows, to be added to that of others.
        found: whether it was there before.
    """

    facts: bytes
    known: bytes
    found: bool = False


def make_part(job: PartJob, environment: Environment) -> MadePart:
    """Make a part, or find it there: the same part twice is the same files.

    Args:
        job: which.
        environment: for the generator's and the writer's requirements.

    Raises:
        UsageError, DataFault, EnvironmentFault: as :func:`weigh.data.cache.ensure`, and as the place refuses.
        Unwanted: nobody waits for it any more.
    """
    to = destination(job.to)
    _see(to, job)
    if (found := found_part(to, job.number)) is not None:
        return found
    to.sweep()
    began, used = time.monotonic(), _processor_seconds()
    aside = to.scratch()
    try:
        one = msgspec.structs.replace(job.layout, files=1)
        part = job.number, job.layout.files
        making = Making(job.dataset, one, environment, None, 1, _go_on, part, 1)
        with ThreadPoolExecutor(1, "generate") as pool:
            manifest, source = making.fill(aside, pool)
        files = tuple(_stored(to, aside, file, job.number) for file in manifest.files)
        known = cast("PartSource", source).counted()
        cost = PartCost(
            cpu_s=_processor_seconds() - used,
            wall_s=time.monotonic() - began,
            bytes=sum(file.bytes for file in files),
            requests=_REQUESTS if job.to.startswith("s3://") else 0,
            host=socket.gethostname(),
        )
        facts = msgspec.json.encode(PartFacts(number=job.number, files=files, cost=cost))
        to.replace(known, known_name(job.number))
        # The last of all: a part with facts is whole.
        to.replace(facts, facts_name(job.number))
        return MadePart(facts, known)
    finally:
        scratch.remove(aside)


def found_part(to: Destination, number: int) -> MadePart | None:
    """A part that was made before and is there still; None where it must be made."""
    facts, known = to.read(facts_name(number)), to.read(known_name(number))
    if facts is None or known is None:
        return None
    try:
        files = msgspec.json.decode(facts, type=PartFacts).files
    except msgspec.DecodeError:
        return None
    for file in files:
        there = to.stat(file.path)
        if there is None or there.bytes != file.bytes or there.checksum != (file.checksum or ""):
            return None
    return MadePart(facts, known, found=True)


def _see(to: Destination, job: PartJob) -> None:
    """Refuse a place that is another one here than where the work was begun."""
    found = to.read(MARK)
    if found == job.mark:
        return
    where = f"{socket.gethostname()}: {job.to}"
    if found is None:
        raise EnvironmentFault(
            "the worker does not find there what was begun",
            where=where,
            remedy="name a folder on a file system that all machines share, or s3://BUCKET/PREFIX",
        )
    raise DataFault("another dataset is being made there", where=where, remedy="name another place")


def _stored(to: Destination, aside: Path, file: FileFacts, number: int) -> FileFacts:
    """A file of the part where it belongs; what lies there then was read."""
    name = file_name(file.table, number, Path(file.path).suffix)
    to.put(aside / file.path, name)
    there = to.hash(name)
    if there != (file.bytes, file.blake3):
        # Somebody else made it meanwhile, or before a kill: the same rows are the same part, whatever the bytes.
        file = _others(to, aside, file, name)
    there_now = to.stat(name)
    if there_now is None or there_now.bytes != file.bytes:
        raise _changed(to, name)
    return msgspec.structs.replace(file, path=name, checksum=there_now.checksum or msgspec.UNSET)


def _others(to: Destination, aside: Path, file: FileFacts, name: str) -> FileFacts:
    try:
        found = file_facts.file_facts(to.local(name, aside), file.table, name, 1)
    except DataFault:
        raise _changed(to, name) from None
    if found.digest != file.digest:
        raise _changed(to, name)
    return found


def _changed(to: Destination, name: str) -> DataFault:
    return DataFault(
        f"{name} is not what was put there: it holds other rows, or none",
        where=str(to),
        remedy=f"remove {str(to).rstrip('/')}/{name}, and go on with --resume; where it comes back, the store "
        "truncates, loses or changes what it is given, or somebody else writes there: name another place",
    )


def _go_on(_made: int, _total: int, _what: str) -> None:
    if not wanted.get()():
        raise Unwanted


def _processor_seconds() -> Seconds:
    spent = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def facts_of(made: MadePart) -> tuple[bytes, bool]:
    """What goes back to who waits for a part: its facts, and whether it was there before."""
    return made.facts, made.found


def known_of(generator: str, made: Sequence[MadePart]) -> bytes:
    """What is known of the rows of several parts together."""
    return added(generator, [one.known for one in made])


def added(family: str, known: Sequence[bytes]) -> bytes:
    """The same of several sums of parts."""
    from weigh.data.generator import generator, parted

    return parted(generator(family)).add(known)


def removed(to: str, numbers: Sequence[int]) -> int:
    """Remove what was kept of parts while they were made; how many they were."""
    place = destination(to)
    for number in numbers:
        place.remove(facts_name(number))
        place.remove(known_name(number))
    return len(numbers)
