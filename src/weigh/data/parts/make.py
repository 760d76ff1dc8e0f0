"""A dataset by parts: placed on a cluster, merged in a tree, and described by a manifest once all of it is there."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data.generator import generator, parted
from weigh.data.ground_truth import INDEX, hashed
from weigh.data.layout import parquet
from weigh.data.parts import manifest as manifests
from weigh.data.parts.destination import destination
from weigh.data.parts.part import MARK, PartFacts, PartJob, added, facts_of, known_of, make_part, number_of, removed
from weigh.host import scratch
from weigh.model import units
from weigh.model.dataset import Manifest
from weigh.model.errors import DataFault, UsageError, WeighError
from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.cluster.place import Part, Place
    from weigh.data.ground_truth import Truth
    from weigh.data.making import Environment
    from weigh.data.parts.destination import Destination
    from weigh.model.dataset import DatasetName, FileFacts
    from weigh.model.progress import Progress
    from weigh.model.spec import LayoutSpec
    from weigh.model.units import Bytes, Rows, Scale

MANIFEST, TRUTH = "manifest.json", "truth"
_BRANCHES = 16
"""What is known of so many parts is added on a worker at a time, and so are so many of these sums."""
_AHEAD = 4
"""Parts that are submitted at a time, for each that can be done at a time."""
_AT_ONCE = 16
"""Files whose sizes are read at a time: a store takes a while for each."""
_LISTED = 3
_REMOVED = 256
"""Parts whose own notes are removed at a time."""


class MadeByParts(msgspec.Struct, frozen=True):
    """A dataset that lies where it was asked for.

    Attributes:
        to: the place.
        manifest: what lies there; the facts of its files without those about columns.
        parts: how many there are.
        found: of them, how many were there before.
        hosts: that made parts, with how many each.
        cpu_s: processor seconds of all parts.
        wall_s: seconds.
        files_without_page_checksums: files whose pages carry no checksums.
    """

    to: str
    manifest: Manifest
    parts: int
    found: int
    hosts: dict[str, int]
    cpu_s: Seconds
    wall_s: Seconds
    files_without_page_checksums: int


def parts_of(family: str, scale: Scale) -> int:
    """Of how many parts a dataset is made where nobody says it.

    Raises:
        UsageError: its generator makes no parts.
    """
    return parted(generator(family)).parts(scale)


class Making(NamedTuple):
    """A dataset to be made by parts.

    Attributes:
        name: the dataset, with its generator's version.
        layout: how it is written; a file of each table for every part.
        to: where.
        resume: whether parts that are there already are taken.
    """

    name: DatasetName
    layout: LayoutSpec
    to: str
    resume: bool

    def check(self) -> Manifest | None:
        """Refuse what cannot be made there, before a cluster is asked for.

        Returns:
            The manifest where the dataset is there already; None where it, or some of its files, must be made.

        Raises:
            UsageError: an impossible layout; a generator without parts; another dataset, or half of this one, is there.
            DataFault: files of it are gone or truncated, and it is not to be resumed.
        """
        parquet.check(self.layout, self._family)
        made_by = parted(generator(self._family))
        if self.name.scale is not None:
            made_by.parts(self.name.scale)
        to = destination(self.to)
        there = self._there(to)
        return None if there is not None and self._damaged(to, there) else there

    @property
    def _family(self) -> str:
        return self.name.generator.partition("/")[0]

    @property
    def _spec(self) -> LayoutSpec:
        return parquet.complete(self.layout)

    def run(self, place: Place, environment: Environment, progress: Progress) -> MadeByParts:
        """Make it.

        Args:
            place: where parts are made.
            environment: for the generator's and the writer's requirements; can be imported on a worker.
            progress: receives messages.

        Raises:
            UsageError, DataFault, EnvironmentFault: as ``check``, as a part, or as the cluster.
        """
        to = destination(self.to)
        there = self._there(to)
        damaged = self._damaged(to, there) if there is not None else []
        if there is not None and not damaged:
            return MadeByParts(self.to, there, self._spec.files, self._spec.files, {}, 0.0, 0.0, 0)
        self._begin(to)
        if there is not None:
            return self._mended(place, environment, to, there, damaged)
        aside = scratch.folder("manifest")
        spool = manifests.Spool(aside / "facts")
        try:
            return self._gathered(_Gathering(self, place, environment, progress, spool), to, aside)
        except (WeighError, KeyboardInterrupt) as error:
            error.add_note(f"what is there of it stays in {self.to}; the same command with --resume makes the rest")
            raise
        finally:
            spool.close()
            shutil.rmtree(aside, ignore_errors=True)

    def job(self, number: int) -> PartJob:
        """A part of it."""
        return PartJob(dataset=self.name, layout=self._spec, number=number, to=self.to)

    def _there(self, to: Destination) -> Manifest | None:
        aside = scratch.folder("manifest")
        try:
            if to.stat(MANIFEST) is not None:
                found = manifests.read(to.local(MANIFEST, aside))
                if found.dataset != self.name or found.layout != self._spec:
                    raise UsageError(
                        f"{found.dataset} in another layout, or another dataset, is there already",
                        where=self.to,
                        remedy="name another place, or remove it",
                    )
                if to.read(MARK) == self.job(0).mark:
                    # Killed after the manifest: the dataset is whole, and what was kept of single parts is not needed.
                    removed(self.to, range(self._spec.files))
                    to.remove(MARK)
                return found
        except (OSError, msgspec.DecodeError) as error:
            raise DataFault(
                f"the manifest there cannot be read ({error})", where=self.to, remedy="name another place, or remove it"
            ) from None
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        mark = to.read(MARK)
        if mark is not None and mark != self.job(0).mark:
            raise UsageError("another dataset was begun there", where=self.to, remedy="name another place")
        if mark is not None and not self.resume:
            raise UsageError(
                "it was begun there, or somebody is making it now",
                where=self.to,
                remedy="say --resume: parts that are there are not made again",
            )
        return None

    def _damaged(self, to: Destination, there: Manifest) -> list[FileFacts]:
        """Files that are gone, or have another size than the manifest says; their bytes are not read.

        Raises:
            DataFault: there are some, and nobody said that they are to be made again.
        """
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            sizes = pool.map(to.stat, (file.path for file in there.files))
            found = [
                file for file, size in zip(there.files, sizes, strict=True) if size is None or size.bytes != file.bytes
            ]
        if found and not self.resume:
            raise DataFault(
                f"{units.count(len(found), 'file')} of the dataset there {'is' if len(found) == 1 else 'are'} gone or "
                f"of another size than when made: {', '.join(file.path for file in found[:_LISTED])}",
                where=self.to,
                remedy="say --resume: the parts that they are of are made again, and no others",
            )
        return found

    def _mended(
        self, place: Place, environment: Environment, to: Destination, there: Manifest, damaged: list[FileFacts]
    ) -> MadeByParts:
        """The parts of damaged files made again; what the manifest says of all others stays."""
        began = time.monotonic()
        for file in damaged:
            # Nothing is overwritten.
            to.remove(file.path)
        expected = {file.path: (file.bytes, file.blake3) for file in there.files}
        numbers = sorted({number_of(file.path) for file in damaged})
        made = [place.submit(facts_of, place.submit(make_part, self.job(number), environment)) for number in numbers]
        hosts: dict[str, int] = {}
        cpu_s = 0.0
        for done in place.gather(made):
            if done.fault is not None:
                place.cancel(made)
                raise done.fault
            part = msgspec.json.decode(done.value[0], type=PartFacts)
            for file in part.files:
                if expected.get(file.path) != (file.bytes, file.blake3):
                    raise DataFault(
                        f"{file.path} is made of other bytes than those that the manifest is of",
                        where=self.to,
                        remedy=f"remove {self.to}, and make the data again",
                    )
            hosts[part.cost.host] = hosts.get(part.cost.host, 0) + 1
            cpu_s += part.cost.cpu_s
        removed(self.to, numbers)
        to.remove(MARK)
        to.sweep(everything=True)
        parts = self._spec.files
        return MadeByParts(self.to, there, parts, parts - len(numbers), hosts, cpu_s, time.monotonic() - began, 0)

    def _begin(self, to: Destination) -> None:
        aside = to.scratch()
        try:
            (aside / "mark").write_bytes(self.job(0).mark)
            to.put(aside / "mark", MARK)
        finally:
            scratch.remove(aside)
        if to.read(MARK) != self.job(0).mark:
            raise DataFault("another dataset was begun there", where=self.to, remedy="name another place")

    def _gathered(self, gathering: _Gathering, to: Destination, aside: Path) -> MadeByParts:
        began, parts = time.monotonic(), self._spec.files
        gathering.run(parts)
        known = gathering.known()
        self._finish(to, aside, gathering, parted(generator(self._family)).known(known))
        manifest = manifests.read(to.local(MANIFEST, aside))
        return MadeByParts(
            to=self.to,
            manifest=manifest,
            parts=parts,
            found=gathering.found,
            hosts=gathering.hosts,
            cpu_s=gathering.cpu_s,
            wall_s=time.monotonic() - began,
            files_without_page_checksums=gathering.unchecked,
        )

    def _finish(self, to: Destination, aside: Path, gathering: _Gathering, truth: Truth) -> None:
        """The manifest last: a dataset with a manifest is whole."""
        from weigh._native import merge_digests

        rows, expected = gathering.rows, self.name.scale
        if isinstance(expected, int) and sum(rows.values()) != expected:
            raise DataFault(
                f"the parts hold {sum(rows.values()):,} rows, not {expected:,}",
                where=self.to,
                remedy="report this: a writer or a store that loses rows",
            )
        truth.save(aside / TRUTH)
        for path in sorted((aside / TRUTH).iterdir()):
            to.replace(path.read_bytes(), f"{TRUTH}/{path.name}")
        head = Manifest(
            dataset=self.name,
            layout=self._spec,
            writer=parquet.writer(self._spec),
            files=(),
            digests={table: merge_digests(gathering.digests[table]) for table in gathering.spool.tables},
            read_back=parquet.writer(self._spec) if self._spec.vortex else msgspec.UNSET,
            truth=hashed(aside / TRUTH / INDEX),
        )
        manifests.write(head, gathering.spool.lines(), aside / MANIFEST)
        to.put(aside / MANIFEST, MANIFEST)
        gathering.clean(self.to, self._spec.files)
        to.remove(MARK)
        to.sweep(everything=True)


class _Gathering:
    """Parts as they are made, and what is known of them."""

    def __init__(
        self, making: Making, place: Place, environment: Environment, progress: Progress, spool: manifests.Spool
    ) -> None:
        self._making = making
        self._place = place
        self._environment = environment
        self._progress = progress
        self._family = making.name.generator.partition("/")[0]
        self._began = time.time()
        self.spool = spool
        self.digests: dict[str, list[str]] = {}
        self.rows: dict[str, Rows] = {}
        self.bytes: Bytes = 0
        self.hosts: dict[str, int] = {}
        self.cpu_s = 0.0
        self.found = self.unchecked = 0
        self._sums: list[list[Part]] = [[]]

    def run(self, parts: int) -> None:
        """Have all parts made; a few of them are on their way at a time, however many there are."""
        numbers = iter(range(parts))
        ahead = _AHEAD * sum(worker.threads for worker in self._place.workers())
        waiting: dict[Part, Part] = {}
        done = 0
        self._progress.step(0, parts, "data: parts")
        while True:
            for number in islice(numbers, max(0, ahead - len(waiting))):
                made = self._place.submit(make_part, self._making.job(number), self._environment)
                waiting[self._place.submit(facts_of, made)] = made
            if not waiting:
                return
            for part, (facts, found) in self._first(waiting):
                self.found += found
                self._take(msgspec.json.decode(facts, type=PartFacts))
                self._add(0, waiting.pop(part))
                done += 1
                self._progress.step(done, parts, f"data: parts, {units.size(self.bytes)}")

    def _first(self, waiting: dict[Part, Part]) -> Iterator[tuple[Part, tuple[bytes, bool]]]:
        for one in self._place.gather(list(waiting)):
            if one.fault is not None:
                self._place.cancel([*waiting, *waiting.values()])
                raise one.fault
            yield one.part, one.value
            return

    def _take(self, facts: PartFacts) -> None:
        for position, file in enumerate(facts.files):
            self.spool.add(file, facts.number, position)
            self.digests.setdefault(file.table, []).append(file.digest)
            self.rows[file.table] = self.rows.get(file.table, 0) + file.rows
            self.bytes += file.bytes
            self.unchecked += not file.parquet.get("page_checksums", False)
        self.hosts[facts.cost.host] = self.hosts.get(facts.cost.host, 0) + 1
        self.cpu_s += facts.cost.cpu_s

    def _add(self, level: int, part: Part) -> None:
        """What is known of the rows stays on the workers: sums of parts, sums of sums."""
        if level == len(self._sums):
            self._sums.append([])
        self._sums[level].append(part)
        if len(self._sums[level]) == _BRANCHES:
            of, self._sums[level] = self._sums[level], []
            self._add(level + 1, self._summed(level, of))

    def _summed(self, level: int, of: Sequence[Part]) -> Part:
        return self._place.submit(known_of if level == 0 else added, self._family, list(of))

    def known(self) -> bytes:
        """What is known of all rows."""
        rest = [self._summed(level, of) for level, of in enumerate(self._sums) if of]
        return bytes(self._one(self._place.submit(added, self._family, rest)))

    def clean(self, to: str, parts: int) -> None:
        """Remove what was kept of single parts."""
        numbers = [list(range(first, min(first + _REMOVED, parts))) for first in range(0, parts, _REMOVED)]
        for one in self._place.gather([self._place.submit(removed, to, some) for some in numbers]):
            if one.fault is not None:
                raise one.fault

    def _one(self, part: Part) -> bytes:
        (done,) = self._place.gather([part])
        if done.fault is not None:
            raise done.fault
        return bytes(done.value)
