"""The cache of datasets: made once, moved into place whole, verified whenever used.

::

    <cache>/data/<dataset>/<layout>/manifest.json
                                    truth/...
                                    <table>-<number>.parquet or .vortex
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data.generator import generator
from weigh.data.ground_truth import Truth
from weigh.data.layout import file_facts, parquet
from weigh.data.layout.program import fault
from weigh.data.making import Making
from weigh.data.parallel import processors
from weigh.model import units
from weigh.model.errors import DataFault, EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Executor

    from weigh.data.generator import Progress
    from weigh.data.making import Environment, GivenRows
    from weigh.model.dataset import DatasetName, Manifest
    from weigh.model.spec import LayoutSpec
    from weigh.model.units import Bytes

_LOOSER = {"zstd": 1.0, "gzip": 1.0, "snappy": 1.5, "lz4": 1.5, "none": 3.0, "vortex": 1.5}
"""Bytes of a layout over those with zstd, at most about: of TPC-H and netflow; by codec, or format without codecs."""
TRUTH = "truth"
"""The folder with what is known about the rows, alongside their files."""


class CachedData(NamedTuple):
    """A dataset in one layout on disk.

    Attributes:
        folder: where the manifest's relative paths begin.
        manifest: its files.
        truth: what is known about the rows.
        registered: the name that a user's own files are registered under; empty for none.
        placed: whether it lies where it was made by parts, and is proven by a sample.
        store: where its files lie as objects, ``s3://BUCKET/PREFIX``; the folder has copies of some of them. Empty
            where they lie in the folder.
    """

    folder: Path
    manifest: Manifest
    truth: Truth
    registered: str = ""
    placed: bool = False
    store: str = ""


def layout_key(spec: LayoutSpec) -> str:
    """Twelve hex digits that name a layout: the spec, and the version of the writer that carries it out."""
    plain = msgspec.json.encode([msgspec.to_builtins(spec), parquet.writer(spec)], order="deterministic")
    return hashlib.sha256(plain).hexdigest()[:12]


def ensure(
    name: DatasetName,
    spec: LayoutSpec,
    cache: Path,
    *,
    environment: Environment | None = None,
    given: GivenRows | None = None,
    threads: int = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> CachedData:
    """The dataset in that layout: from the cache after verification, or made now.

    Args:
        name: the dataset, with its generator's version.
        spec: the layout.
        cache: weigh's cache directory.
        environment: for the generator's and the writer's requirements; asked only if something is made.
        given: the rows, where no generator makes them.
        threads: to make it with; 0 for all processors.
        executor: where rows are made; by default a pool of ``threads`` threads.
        progress: receives messages now and then.

    Raises:
        UsageError: no such generator, or not this version of it; an impossible layout.
        DataFault: the cached data was changed since it was made; a writer wrote other rows.
        EnvironmentFault: disk full, cache not writable, no environment for the writer.
    """
    spec, folder = _place(name, spec, cache)
    try:
        with _alone(folder):
            folder = _of_this_version(folder)
            if not _there(folder):
                made = Making(name, spec, environment, given, threads or processors(), progress)
                if executor is not None:
                    _make(made, folder, executor)
                else:
                    with ThreadPoolExecutor(made.threads, "generate") as pool:
                        _make(made, folder, pool)
    except OSError as error:
        raise fault(error, cache) from error
    return open_stored(folder)


def check(name: DatasetName, specs: Iterable[LayoutSpec], cache: Path, size: Bytes = 0) -> None:
    """Refuse what cannot be made, before anything is made.

    Args:
        name: the dataset.
        specs: the layouts that are wanted.
        cache: weigh's cache directory.
        size: of files that hold the rows already, where no generator makes them.

    Raises:
        UsageError: no such generator; an impossible layout.
        EnvironmentFault: not all of them are in the cache, and there is less space than the others need.
    """
    placed = {_of_this_version(folder): spec for spec, folder in (_place(name, one, cache) for one in specs)}
    whole: float = size
    if not name.from_user:
        whole = (getattr(generator(name.generator.partition("/")[0]), "unit_bytes", None) or 0) * (name.scale or 0)
    missing = {folder: spec for folder, spec in placed.items() if not _there(folder)}
    if not missing or not whole:
        return
    made = _made_sizes(cache / "data" / str(name))
    needed = sum(max(made.get(_packed(spec), 0), int(whole * _LOOSER[_packed(spec)])) for spec in missing.values())
    first = next(iter(missing))
    there = next(path for path in (first, *first.parents) if path.exists())
    free = shutil.disk_usage(there).free
    if needed > free:
        try:
            # Where nothing can be made at all, e.g. in /proc, no byte is free either, and no disk is full.
            (cache / "data").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise fault(error, cache) from error
        raise EnvironmentFault(
            f"{_rows(name)}{_in(len(missing))} need about {units.size(needed)}, and {units.size(free)} are free",
            where=str(cache / "data"),
            remedy=("use fewer layouts" if name.from_user else "choose a smaller --scale")
            + ", free space, or set WEIGH_CACHE to another disk",
        )


def _there(folder: Path) -> bool:
    """Whether it was made; a damaged one was."""
    return (folder / "manifest.json").exists()


def _of_this_version(folder: Path) -> Path:
    """Where it lies: next to what a version of weigh with other digests of rows made, which may just be read."""
    try:
        file_facts.load(folder)
    except file_facts.OtherSchemeError:
        return folder.with_name(f"{folder.name}-{file_facts.scheme()}")
    except DataFault:
        pass
    return folder


def _packed(spec: LayoutSpec) -> str:
    """What decides most about the size of its files: the codec, of Vortex the format."""
    return "vortex" if spec.vortex else str(spec.codec)


def _made_sizes(dataset: Path) -> dict[str, Bytes]:
    """By codec or format the bytes of the largest layout of the same rows that is there; damaged ones are left out."""
    found: dict[str, Bytes] = {}
    for path in dataset.glob("*/manifest.json"):
        try:
            one = file_facts.load(path.parent)
        except DataFault:
            continue
        if one.layout is not None:
            found[_packed(one.layout)] = max(found.get(_packed(one.layout), 0), one.bytes)
    return found


def _rows(name: DatasetName) -> str:
    return "your own files" if name.scale is None else f"{units.scale(name.scale)} of {name.generator}"


def _in(layouts: int) -> str:
    return f" in {layouts} layouts" if layouts > 1 else ""


def _place(name: DatasetName, spec: LayoutSpec, cache: Path) -> tuple[LayoutSpec, Path]:
    """The layout with nothing left open, and where it lies; raises as ``parquet.check``."""
    parquet.check(spec, name.generator.partition("/")[0])
    spec = parquet.complete(spec)
    return spec, cache / "data" / str(name) / layout_key(spec)


def open_stored(folder: Path, depth: file_facts.Depth = "hash") -> CachedData:
    """A stored dataset, verified.

    Raises:
        DataFault: it is not what its manifest says.
    """
    manifest = file_facts.load(folder)
    problems = file_facts.verify(folder, manifest, depth)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = problems[0]
        raise DataFault(f"{first.code} {first.text}{more}", where=str(folder), remedy=first.remedy)
    return CachedData(folder, manifest, Truth.load(folder / TRUTH))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One maker at a time for each layout; the lock ends with its process, so that a kill leaves none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(making: Making, folder: Path, executor: Executor) -> None:
    """Make everything aside and move it into place."""
    aside_prefix = f"making-{folder.name}-"
    # Under the lock nobody else is making it: what lies here was left by a maker that was killed.
    for left in folder.parent.glob(f"{aside_prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(prefix=aside_prefix, dir=folder.parent))
    # mkdtemp's 0700 would hide the data from engines that run as another user.
    aside.chmod(0o755)
    try:
        manifest, source = making.fill(aside, executor)
        source.truth().save(aside / TRUTH)
        file_facts.save(manifest, aside)
        if folder.exists():
            shutil.rmtree(folder)
        aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
