"""The inputs: the files that a user names, read, with the names that they give to what is in them."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.judge.formats import criterion_folder, registry
from weigh.judge.formats.source import MAX_TEXT, Source
from weigh.model.errors import DataFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.judge.formats.reading import Reading
    from weigh.judge.formats.registry import Reader
    from weigh.model.errors import WeighError
    from weigh.model.units import Seconds

_THREAD = re.compile(r"^(.+\.\d+)\.\d{1,3}$")
"""The log of a further thread of one run of pgbench."""
_NUMBERED = re.compile(r"[-_. ]*\d+$")


@dataclass(frozen=True, slots=True)
class Input:
    """One file (or the logs of one run), read.

    Attributes:
        path: as the user named it.
        label: of the file: given, or made of its name.
        given: whether the user gave the label.
        reading: what it holds.
    """

    path: str
    label: str
    given: bool
    reading: Reading


def read(files: Sequence[str], format_: str, unit: str, expected: Seconds = 0.0) -> tuple[Reader, list[Input]]:
    """All files, and the one format that they have.

    Args:
        files: ``FILE`` or ``LABEL=FILE``.
        format_: name of the format; empty to tell by the content of each file.
        unit: of values whose unit the format leaves open.
        expected: seconds between two requests by which the percentiles of a log are corrected; 0 for none.

    Raises:
        DataFault: files cannot be read, are not what their format promises, or are there twice; all are named.
        UsageError: unknown format, or files of different formats.
    """
    forced = registry.named(format_) if format_ else None
    chosen: Reader | None = None
    inputs: list[Input] = []
    paths_by_digest: dict[bytes, str] = {}
    faults: list[WeighError] = []
    for label, path, paths in _runs(files):
        try:
            data = b"\n".join(_bytes(one).rstrip(b"\n") for one in paths) + b"\n"
            source = Source(path, data, unit, expected)
            reader = forced or registry.detect(source)
            if not data.strip():
                raise source.fault("it is empty")
            if chosen is not None and reader is not chosen:
                raise UsageError(
                    f"it is {reader.name}, and {inputs[0].path} is {chosen.name}",
                    where=path,
                    remedy="compare what one tool measured; --format forces a format",
                )
            if expected and reader.name != "hlog":
                raise UsageError(
                    f"--expected-interval corrects an HdrHistogram log, and this is {reader.name}",
                    where=path,
                    remedy="leave it out",
                )
            digest = hashlib.sha256(data).digest()
            if digest in paths_by_digest:
                raise DataFault(
                    f"it holds the same bytes as {paths_by_digest[digest]}",
                    where=path,
                    remedy="a copy is no further measurement",
                )
            inputs.append(Input(path, label or _label(path), bool(label), reader.read(source)))
            chosen, paths_by_digest[digest] = reader, path
        except (DataFault, UsageError) as fault:
            faults.append(fault)
    if faults:
        raise _of_all(faults, len(faults) + len(inputs))
    assert chosen is not None
    return chosen, inputs


def _of_all(faults: Sequence[WeighError], files: int) -> WeighError:
    """One fault for all files that cannot be judged, each with its reason."""
    if len(faults) == 1:
        return faults[0]
    remedies = dict.fromkeys(fault.remedy for fault in faults if fault.remedy)
    reasons = "; ".join(map(str, faults))
    return DataFault(f"{len(faults)} of {files} files cannot be judged: {reasons}", remedy="; ".join(remedies))


def _runs(files: Sequence[str]) -> Iterator[tuple[str, str, list[Path]]]:
    """Label, path and files of every run; the logs of several threads of one run are one."""
    groups: dict[tuple[str, str], list[Path]] = defaultdict(list)
    paths_read: set[Path] = set()
    for text in files:
        label, _, rest = text.partition("=")
        named = bool(rest) and "/" not in label and not Path(text).exists()
        path = Path(rest if named else text)
        place = path.resolve()
        if place in paths_read:
            raise UsageError(
                "it is named twice, and a file is no second measurement of itself",
                where=str(path),
                remedy="name each file once; a comparison with itself always finds nothing",
            )
        paths_read.add(place)
        thread = _THREAD.match(path.name)
        run = str(path.with_name(thread[1])) if thread else str(path)
        groups[label if named else "", run if run in files else str(path)].append(path)
    for (label, run), paths in groups.items():
        yield label, run, paths


def _bytes(path: Path) -> bytes:
    """A file's content; of a folder of criterion one document of all its results.

    Raises:
        DataFault: it is not there, not a file, or too large.
    """
    if criterion_folder.holds(path):
        return criterion_folder.document(path)
    if not path.is_file():
        what = "it is not a file" if path.exists() else "there is no such file"
        raise DataFault(what, where=str(path), remedy="name files that a benchmark tool wrote")
    size = path.stat().st_size
    if size > MAX_TEXT:
        raise DataFault(f"it has {size:,} bytes", where=str(path), remedy=f"at most {MAX_TEXT:,} bytes are read")
    return path.read_bytes()


def _label(path: str) -> str:
    """A file's name without what numbers it: ``old-03.json`` is of ``old``."""
    place = criterion_folder.labelled(Path(path))
    stem = place.name if place.is_dir() else place.stem
    return _NUMBERED.sub("", stem) or stem
