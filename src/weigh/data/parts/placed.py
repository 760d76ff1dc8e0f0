"""Data that was made by parts, where it is used: found by its manifest, read where it lies, proven by a sample."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.data.cache import TRUTH, CachedData
from weigh.data.ground_truth import Truth
from weigh.data.layout import file_facts
from weigh.data.parts import manifest as manifests
from weigh.data.parts import stored
from weigh.data.parts.make import MANIFEST
from weigh.data.parts.part import MARK
from weigh.data.store.address import SCHEME
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.units import Bytes

WHOLE: Bytes = 1 << 30
"""Up to so many bytes everything is hashed at each use, as of data in the cache."""
SAMPLE = 8
"""Files of more that are hashed: drawn anew each time."""


def manifest_in(place: str) -> Manifest | None:
    """The manifest of generated data that lies there; None where there is none, or one of a user's own files.

    Raises:
        DataFault: it cannot be read, or is not made yet.
        UsageError, EnvironmentFault: it lies in a store that cannot be had, or has none that contenders can be given.
    """
    if place.startswith(SCHEME):
        return stored.manifest_in_store(place)
    path = Path(place).expanduser() / MANIFEST
    if not path.is_file():
        _refuse_unfinished(path.parent)
        return None
    try:
        found = manifests.read(path)
    except (OSError, msgspec.DecodeError) as error:
        raise DataFault(
            f"the manifest cannot be read ({error})", where=str(path), remedy="make the data again, or remove it"
        ) from None
    return None if found.dataset.from_user or found.dataset.scale is None else found


def _refuse_unfinished(folder: Path) -> None:
    try:
        begun = msgspec.json.decode((folder / MARK).read_bytes())
    except (OSError, msgspec.DecodeError):
        return
    # A user's own file may have that name.
    if isinstance(begun, dict) and {"dataset", "layout"} <= begun.keys():
        raise DataFault(
            "the dataset there is not finished",
            where=str(folder),
            remedy="make the rest: the weigh data make --on that began it, with --resume",
        )


def opened(place: str) -> CachedData:
    """The data that lies there, proven.

    Raises:
        DataFault: it is not what its manifest says (D8).
    """
    if place.startswith(SCHEME):
        return stored.opened(place)
    folder = Path(place).expanduser().absolute()
    manifest = manifest_in(place)
    if manifest is None:
        raise DataFault("there is no manifest any more", where=place, remedy="name the folder of a dataset")
    data = CachedData(folder, manifest, Truth.load(folder / TRUTH, manifest.truth or ""), placed=True)
    if problems := proof(data):
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise DataFault(f"{problems[0].code} {problems[0].text}{more}", where=place, remedy=problems[0].remedy)
    return data


def proof(data: CachedData) -> list[Finding]:
    """What is no longer as the manifest says: the size of every file, and the bytes of some, drawn now."""
    if data.store:
        return stored.proof(data)
    # Nobody but a user makes it again.
    remedy = f"remove that file from {data.folder}, and make it again: the same weigh data make --on, with --resume"
    return [msgspec.structs.replace(one, remedy=remedy) for one in _proof(data)]


def _proof(data: CachedData) -> list[Finding]:
    problems = file_facts.verify(data.folder, data.manifest, "size")
    if problems:
        return problems
    files = data.manifest.files
    if data.manifest.bytes > WHOLE and len(files) > SAMPLE:
        files = tuple(random.SystemRandom().sample(files, SAMPLE))
    return file_facts.verify(data.folder, msgspec.structs.replace(data.manifest, files=files))
