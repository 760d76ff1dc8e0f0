"""What lies there, read again on a cluster: every byte hashed, every page compared, every row digested."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data.ground_truth import INDEX, hashed
from weigh.data.layout import file_facts, page_checksums
from weigh.data.parts import manifest as manifests
from weigh.data.parts.destination import destination
from weigh.data.parts.make import MANIFEST, TRUTH
from weigh.host import scratch
from weigh.model import codes
from weigh.model.errors import DataFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.cluster.place import Part, Place
    from weigh.data.layout.page_checksums import PageChecks
    from weigh.model.codes.code import Fixed
    from weigh.model.dataset import FileFacts, Manifest
    from weigh.model.finding import Finding
    from weigh.model.progress import Progress

_FILES_IN_PART = 8
"""Files that are one part of the work."""
_AHEAD = 4


class Examined(NamedTuple):
    """One file as it is now.

    Attributes:
        expected: what the manifest says of it.
        facts: what it is; None where it cannot be read.
        pages: how many fit their checksums; None where it cannot be read.
        findings: what is not as it should be.
    """

    expected: FileFacts
    facts: FileFacts | None
    pages: PageChecks | None
    findings: tuple[Finding, ...]


def manifest_of(place: str) -> Manifest:
    """The manifest of the dataset that lies there, without the facts about columns.

    Raises:
        DataFault: there is none, or it cannot be read.
        UsageError: it is of files that are no Parquet.
        EnvironmentFault: the store does not answer.
    """
    to = destination(place)
    aside = scratch.folder("manifest")
    try:
        if to.stat(MANIFEST) is None:
            raise DataFault(
                "there is no manifest: it is no dataset, or one that is being made",
                where=place,
                remedy="name the place that weigh data make --on printed, or finish it with --resume",
            )
        found = manifests.read(to.local(MANIFEST, aside))
    except DataFault as fault:
        # Of an object that is where its copy was.
        raise DataFault(fault.what, where=place, remedy=fault.remedy) from None
    except (OSError, msgspec.DecodeError) as error:
        raise DataFault(f"the manifest cannot be read ({error})", where=place, remedy="make the data again") from None
    finally:
        scratch.remove(aside)
    if found.vortex:
        raise UsageError("it is Vortex, and Parquet alone is read on a cluster", where=place, remedy="leave out --on")
    return found


def truth_of(place: str, manifest: Manifest) -> list[Finding]:
    """What is wrong with the truth that lies with generated data; nothing of a user's own files, which have none."""
    if manifest.dataset.from_user or manifest.dataset.scale is None:
        return []
    to = destination(place)
    aside = scratch.folder("truth")
    try:
        index = to.local(f"{TRUTH}/{INDEX}", aside)
        hashes = msgspec.json.decode(index.read_bytes(), type=dict[str, str])
        paths = {name: to.local(f"{TRUTH}/{name}.parquet", aside) for name in hashes}
        if manifest.truth and hashed(index) != manifest.truth:
            return [_finding(codes.D8_DAMAGED, "the ground truth is that of other rows", place)]
        return [
            _finding(codes.D8_DAMAGED, f"{TRUTH}/{name}.parquet is not what it was when it was made", place)
            for name, path in paths.items()
            if hashed(path) != hashes[name]
        ]
    except (OSError, msgspec.DecodeError, DataFault) as error:
        text = error.what if isinstance(error, DataFault) else f"it cannot be read ({error})"
        return [_finding(codes.D8_MISSING, f"the ground truth is not whole: {text}", place)]
    finally:
        scratch.remove(aside)


def examine(place: str, files: Sequence[FileFacts]) -> list[Examined]:
    """On a worker: read files whole.

    Args:
        place: where they lie.
        files: what the manifest says of them.
    """
    to = destination(place)
    found = []
    for file in files:
        aside = to.scratch()
        try:
            found.append(_one(to.local(file.path, aside), file, place))
        except DataFault as error:
            found.append(Examined(file, None, None, (_finding(codes.D8_MISSING, error.what, place),)))
        finally:
            scratch.remove(aside)
    return found


def examined(place: Place, where: str, manifest: Manifest, progress: Progress) -> Iterator[Examined]:
    """Every file of a dataset, as workers read it; in any order, and few at a time whatever their number.

    Raises:
        EnvironmentFault: the cluster is gone, or the store does not answer.
    """
    files = iter(manifest.files)
    ahead = _AHEAD * sum(worker.threads for worker in place.workers())
    waiting: list[Part] = []
    done = 0
    while True:
        while len(waiting) < ahead and (some := list(islice(files, _FILES_IN_PART))):
            waiting.append(place.submit(examine, where, some))
        if not waiting:
            return
        for one in place.gather(list(waiting)):
            if one.fault is not None:
                place.cancel(waiting)
                raise one.fault
            waiting.remove(one.part)
            done += len(one.value)
            progress.step(done, len(manifest.files), "data: files read")
            yield from one.value
            break


def _one(path: Path, file: FileFacts, place: str) -> Examined:
    from weigh._native import hash_file

    size = path.stat().st_size
    changed = size != file.bytes or hash_file(path) != file.blake3
    try:
        pages, findings = page_checksums.check(path, file.path, 1)
        facts = file_facts.file_facts(path, file.table, file.path, 1)
    except DataFault as error:
        return Examined(file, None, None, (_finding(codes.D8_DAMAGED, f"{file.path} is damaged: {error.what}", place),))
    if facts.digest != file.digest:
        findings.append(_finding(codes.D8_ROWS, f"{file.path} holds other rows than when it was made", place))
    elif changed:
        text = f"{file.path} was written anew since: same rows, other bytes"
        findings.append(_finding(codes.D8_BYTES, text, place))
    return Examined(file, facts, pages, tuple(findings))


def _finding(code: Fixed, text: str, place: str) -> Finding:
    return code.finding(text=text, remedy=f"remove {place}, and make the data again")
