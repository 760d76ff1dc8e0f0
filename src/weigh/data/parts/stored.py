"""Data that was made by parts into a store, where it is used: objects read where they lie.

Nobody needs room for all of it. What weigh itself must read is copied: tables while they are small, of larger ones some
files, which are drawn anew each time.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec

from weigh.data.cache import TRUTH, CachedData
from weigh.data.ground_truth import INDEX, Truth
from weigh.data.parts.destination import destination
from weigh.data.parts.examine import manifest_of
from weigh.data.parts.make import MANIFEST
from weigh.data.parts.part import MARK
from weigh.host import scratch
from weigh.model import codes
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.data.parts.destination import Destination
    from weigh.model.codes.code import Fixed
    from weigh.model.dataset import FileFacts, Manifest
    from weigh.model.finding import Finding
    from weigh.model.units import Bytes

WHOLE: Bytes = 1 << 30
"""Tables are copied whole, the smallest first, as long as all of them together are no larger."""
SAMPLE = 8
"""Objects of the other tables that are copied, or hashed at the end: drawn anew each time."""
_AT_ONCE = 16
"""Requests to the store at the same moment."""


def manifest_in_store(address: str) -> Manifest:
    """The manifest of the generated data there.

    Raises:
        DataFault: there is none, or it cannot be read.
        UsageError, EnvironmentFault: the store cannot be had; or the data is none that contenders can be given.
    """
    to = destination(address)
    if to.stat(MANIFEST) is None and to.stat(MARK) is not None:
        raise DataFault(
            "the dataset there is not finished",
            where=address,
            remedy="make the rest: the weigh data make --on that began it, with --resume",
        )
    return manifest_of(address)


def opened(address: str) -> CachedData:
    """The data that lies there, proven; its folder is a new one, which whoever opened it removes with its parent.

    Raises:
        DataFault: it is not what its manifest says (D8).
        UsageError, EnvironmentFault: the store cannot be had.
    """
    to = destination(address)
    room = scratch.folder("objects")
    try:
        # Engines that run as another user must get there.
        room.chmod(0o755)
        folder = room / "data"
        folder.mkdir()
        manifest = manifest_in_store(address)
        _copy_truth(to, folder)
        problems = _sizes(to, manifest, address)
        if not problems:
            problems = _copies(to, _chosen(manifest), folder, address)
        if problems:
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            first = problems[0]
            raise DataFault(f"{first.code} {first.text}{more}", where=address, remedy=first.remedy)
        return CachedData(
            folder, manifest, Truth.load(folder / TRUTH, manifest.truth or ""), placed=True, store=address
        )
    except BaseException:
        scratch.remove(room)
        raise


def proof(data: CachedData) -> list[Finding]:
    """What is no longer as the manifest says: size and checksum of every object, the bytes of some, drawn now."""
    to = destination(data.store)
    if problems := _sizes(to, data.manifest, data.store):
        return problems
    files = list(data.manifest.files)
    drawn = random.SystemRandom().sample(files, min(SAMPLE, len(files)))
    with ThreadPoolExecutor(SAMPLE, "store") as pool:
        found = pool.map(lambda file: to.hash(file.path), drawn)
        return [
            _changed(file, data.store)
            for file, now in zip(drawn, found, strict=True)
            if now != (file.bytes, file.blake3)
        ]


def _copy_truth(to: Destination, folder: Path) -> None:
    place = folder / TRUTH
    place.mkdir()
    index = to.local(f"{TRUTH}/{INDEX}", place)
    try:
        names = msgspec.json.decode(index.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise DataFault(
            f"the ground truth cannot be read ({error})", where=str(to), remedy="make the data again"
        ) from None
    for name in names:
        to.local(f"{TRUTH}/{name}.parquet", place)


def _chosen(manifest: Manifest) -> list[FileFacts]:
    """Files that weigh reads itself: all of small tables; of each other one the first and some that are drawn."""
    tables = {table: [one for one in manifest.files if one.table == table] for table in manifest.tables}
    found: list[FileFacts] = []
    rest: list[FileFacts] = []
    room = WHOLE
    for files in sorted(tables.values(), key=lambda some: sum(one.bytes for one in some)):
        room -= sum(one.bytes for one in files)
        if room >= 0:
            found += files
        else:
            found.append(files[0])
            rest += files[1:]
    return found + random.SystemRandom().sample(rest, min(SAMPLE, len(rest)))


def _sizes(to: Destination, manifest: Manifest, address: str) -> list[Finding]:
    def look(file: FileFacts) -> Finding | None:
        found = to.stat(file.path)
        if found is None:
            return _problem(codes.D8_MISSING, f"{file.path} is missing", address)
        if found.bytes != file.bytes:
            return _problem(codes.D8_SIZE, f"{file.path} has {found.bytes:,} bytes, not {file.bytes:,}", address)
        return _changed(file, address) if file.checksum and found.checksum != file.checksum else None

    with ThreadPoolExecutor(_AT_ONCE, "store") as pool:
        return [one for one in pool.map(look, manifest.files) if one]


def _copies(to: Destination, files: list[FileFacts], folder: Path, address: str) -> list[Finding]:
    """Have them in the folder, and say which are not what they were."""
    from weigh._native import hash_file

    def copy(file: FileFacts) -> Finding | None:
        place = (folder / file.path).parent
        place.mkdir(parents=True, exist_ok=True)
        path = to.local(file.path, place)
        return None if hash_file(path) == file.blake3 else _changed(file, address)

    with ThreadPoolExecutor(SAMPLE, "store") as pool:
        return [one for one in pool.map(copy, files) if one]


def _changed(file: FileFacts, address: str) -> Finding:
    return _problem(codes.D8_BYTES, f"{file.path} was written anew since: other bytes", address)


def _problem(code: Fixed, text: str, address: str) -> Finding:
    return code.finding(
        text=text,
        remedy=f"remove it and the manifest from {address}, and make them again: the same weigh data make --on",
    )
