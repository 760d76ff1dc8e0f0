"""The store: attempts side by side in one folder, each a directory of plain files."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import journal, timeline
from weigh.experiment import record as records
from weigh.model.errors import EnvironmentFault, EvidenceFault
from weigh.model.sample import Outcome, Sample

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

    from weigh.load.spec import LoadSpec
    from weigh.model.spec import Spec

SEAL = "seal.json"
SAMPLES = "samples.parquet"


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes of every file of an attempt.

    An unkeyed seal shows accidental change and careless editing; it cannot stop somebody who edits and reseals.

    Attributes:
        files: BLAKE3 of every file by name.
        earlier: BLAKE3 of the seals of earlier attempts of the same experiment, by directory name.
        weigh: the version that sealed it.
    """

    files: dict[str, str]
    earlier: dict[str, str]
    weigh: str


def begin(root: Path, spec: Spec | LoadSpec) -> tuple[Path, int]:
    """A new directory for the next attempt of an experiment, and the attempt's number.

    Raises:
        EnvironmentFault: the folder cannot be written.
    """
    today = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d")
    try:
        root.mkdir(parents=True, exist_ok=True)
        # Those that recorded nothing keep their number: two attempts of one number could not be told apart.
        number = max((_number(path) for path in _directories(root, spec.id)), default=0) + 1
        while True:
            folder = root / f"{today}-{spec.id}-{number}"
            try:
                folder.mkdir()
                return folder, number
            except FileExistsError:
                number += 1
    except OSError as error:
        raise EnvironmentFault(
            f"the evidence cannot be written: {error.strerror}",
            where=str(root),
            remedy="choose another place with --out",
        ) from error


def attempts(root: Path, experiment: str) -> list[Path]:
    """Directories of the attempts of one experiment that recorded something, oldest first."""
    # What was sealed did record something: emptying its journal does not hide it.
    return [path for path in _directories(root, experiment) if records.begun(path) or (path / SEAL).exists()]


def write_json(folder: Path, name: str, body: Any) -> None:
    """One derived document, indented for people."""
    (folder / name).write_bytes(json_bytes(body))


def json_bytes(body: Any) -> bytes:
    """A document as it is written."""
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"


def derive(folder: Path) -> None:
    """Write the documents that follow from the journal alone."""
    record = records.read(folder)
    for name, part in parts(record).items():
        write_json(folder, name, part)
    write_samples(folder, record.samples)
    timeline.write(folder, record)


def parts(record: records.Record) -> dict[str, Any]:
    """The parts of a record that have a document of their own."""
    named = {
        "spec.json": record.spec,
        "environment.json": record.environment,
        "workload.json": record.workload,
        "manifest.json": record.manifest,
        "gate.json": record.gate,
    }
    return {name: part for name, part in named.items() if part is not None}


def write_samples(folder: Path, samples: Iterable[Sample]) -> None:
    """All samples in order as ``samples.parquet``: ``select * from 'runs/*/samples.parquet'`` works."""
    import pyarrow.parquet as pq

    pq.write_table(sample_table(samples), folder / SAMPLES, compression="zstd")


def sample_table(samples: Iterable[Sample]) -> pa.Table:
    """Samples as they are written: one row each, the fields of :class:`Sample` as columns."""
    import pyarrow as pa

    columns = {
        "attempt": pa.int32(), "block": pa.int32(), "start": pa.int32(), "turn": pa.int32(), "run": pa.int32(),
        "arm": pa.string(), "contender": pa.string(), "operation": pa.string(), "case": pa.string(),
        "outcome": pa.string(), "wall_s": pa.float64(), "cpu_s": pa.float64(),
        "prepare_cpu_s": pa.float64(), "answer_s": pa.float64(),
        "answer_cpu_s": pa.float64(), "rows": pa.int64(), "digest": pa.string(), "peak_memory": pa.int64(),
        "bytes_read": pa.int64(), "bytes_written": pa.int64(), "major_faults": pa.int64(), "at": pa.float64(),
        "detail": pa.string(),
        "temperature": pa.string(),
    }  # fmt: skip
    rows = [msgspec.to_builtins(sample) for sample in samples]
    return pa.Table.from_pylist(rows, schema=pa.schema(list(columns.items())))


def read_samples(folder: Path) -> list[Sample]:
    """The samples of ``samples.parquet``.

    Raises:
        EvidenceFault: the file is missing or damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(folder / SAMPLES).to_pylist()
        return [Sample(**{**row, "outcome": Outcome(row["outcome"])}) for row in rows]
    except (OSError, pa.ArrowException, TypeError, ValueError) as error:
        raise EvidenceFault(
            f"samples.parquet cannot be read: {error}",
            where=str(folder),
            remedy="the evidence was edited or the disk is failing",
        ) from error


def seal(folder: Path, weigh: str) -> Seal:
    """Hash every file and write ``seal.json``. Nothing is written afterwards."""
    from weigh._native import hash_file

    number = _number(folder)
    experiment = folder.name.rsplit("-", 2)[1]
    earlier = {
        path.name: hash_file(str(path / SEAL))
        for path in attempts(folder.parent, experiment)
        if _number(path) < number and (path / SEAL).exists()
    }
    files = {name: hash_file(str(folder / name)) for name in file_names(folder)}
    made = Seal(files=files, earlier=earlier, weigh=weigh)
    write_json(folder, SEAL, made)
    return made


def file_names(folder: Path) -> list[str]:
    """Every file of an attempt but its seal, relative, sorted."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (SEAL, ".ballast")
    )


def read_seal(folder: Path) -> Seal:
    """The seal.

    Raises:
        EvidenceFault: there is none, or it is damaged.
    """
    try:
        return msgspec.json.decode((folder / SEAL).read_bytes(), type=Seal)
    except FileNotFoundError:
        if not (folder / journal.NAME).exists():
            raise EvidenceFault(
                "there is no evidence in it", where=str(folder), remedy="weigh run prints the path"
            ) from None
        raise EvidenceFault(
            "there is no seal: the attempt was killed or is still running",
            where=str(folder),
            remedy="its journal can still be read with `weigh report`",
        ) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise EvidenceFault(
            f"the seal is damaged: {error}", where=str(folder / SEAL), remedy="the evidence was edited"
        ) from error


def history(folder: Path) -> list[records.Record]:
    """The records of an attempt and of the earlier attempts of the same experiment beside it, oldest first.

    Earlier attempts that recorded nothing are left out.

    Raises:
        EvidenceFault: ``folder`` is no evidence, or recorded nothing.
    """
    return [records.read(path) for path in history_folders(folder)]


def history_folders(folder: Path) -> list[Path]:
    """The directories whose records :func:`history` reads."""
    try:
        _, experiment, number = folder.resolve().name.rsplit("-", 2)
        last = int(number)
    except ValueError:
        return [folder]
    found = [path for path in attempts(folder.resolve().parent, experiment) if _number(path) <= last]
    return found if folder.resolve() in found else [folder]


def earlier(folder: Path) -> tuple[records.Record, ...]:
    """The records of the earlier attempts of the same experiment beside an attempt, oldest first.

    Raises:
        EvidenceFault: one of them is damaged.
    """
    folder = folder.resolve()
    try:
        _, experiment, number = folder.name.rsplit("-", 2)
        mine = int(number)
    except ValueError:
        return ()
    before = (path for path in attempts(folder.parent, experiment) if _number(path) < mine)
    return tuple(records.read(path) for path in before)


def missing(folder: Path) -> list[str]:
    """Earlier attempts of the same experiment that are not beside an attempt any more (T8).

    Numbers are given out without gaps and kept by attempts that recorded nothing, and each seal names those before it:
    so one that was removed is missed, unless it was the newest.

    Returns:
        Names of directories; ``attempt N`` where no seal names it.
    """
    folder = folder.resolve()
    named = _named(folder)
    try:
        _, experiment, number = folder.name.rsplit("-", 2)
        last = int(number)
    except ValueError:
        return sorted(name for name in named if not (folder.parent / name).is_dir())
    beside = [path for path in _directories(folder.parent, experiment) if _number(path) <= last]
    named = named.union(*map(_named, beside))
    names = {int(name.rsplit("-", 1)[1]): name for name in sorted(named)}
    gone = set(range(1, last)) - {_number(path) for path in beside}
    return [names.get(one, f"attempt {one}") for one in sorted(gone)]


def _named(folder: Path) -> frozenset[str]:
    """The earlier attempts that a seal names; none where there is no seal, or a damaged one."""
    try:
        return frozenset(read_seal(folder).earlier)
    except EvidenceFault:
        return frozenset()


def _directories(root: Path, experiment: str) -> list[Path]:
    """Directories of the attempts of one experiment, oldest first, whatever is in them."""
    # Whole names only: a copy beside the original is not an attempt.
    name = re.compile(rf"\d{{8}}-{re.escape(experiment)}-\d+")
    return sorted((path for path in root.glob(f"*-{experiment}-*") if name.fullmatch(path.name)), key=_number)


def _number(path: Path) -> int:
    return int(path.name.rsplit("-", 1)[1])
