"""Kept evidence: sealed directories, each made from a record or from a recorded journal when somebody asks for it.

What lies beside a journal follows from it, so only journals are kept in the repository: a word that changes in a page
does not break their seals.
"""

from __future__ import annotations

import functools
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from golden import made
from support import evidence_files, load_comparison_records, load_records, sessions
from weigh._version import __version__
from weigh.evidence import journal
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import seal
from weigh.experiment import derived
from weigh.experiment import record as experiment_record
from weigh.experiment.report import files as experiment_files
from weigh.ladder.plan import LadderPlan
from weigh.ladder.report import files as ladder_files
from weigh.load import record as load_record
from weigh.load.comparison import record as comparison_record
from weigh.load.comparison.report import files as comparison_files
from weigh.load.report import files as load_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.experiment.record import Record
    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.record import LoadRecord

RECORDED = Path(__file__).parent / "evidence"
ROOT = "runs"
"""The folder of all evidence; the experiments in it are called by names instead of the hash of their specs."""


class Kept:
    """A folder as a user would have it, whose evidence is made when it is named.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._root = folder / ROOT
        self._root.mkdir()
        self._made: dict[str, str] = {}
        others = Path(__file__).parents[1] / "fixtures" / "judge"
        (folder / "judge").symlink_to(others)
        (folder / "cut.json").write_bytes((others / "hyperfine" / "fixed-order.json").read_bytes()[:900])

    def path(self, name: str) -> str:
        """Where the evidence of that name lies, from the folder."""
        if name not in self._made:
            self._made[name] = str(_MAKERS[name](self).relative_to(self.folder))
        return self._made[name]

    def attempt(self, name: str, number: int = 1) -> Path:
        """An empty directory for an attempt."""
        path = self._root / f"20260102-{name}-{number}"
        path.mkdir()
        return path

    def copy(self, name: str, new: str) -> Path:
        """A copy of other evidence, of the same name in another folder."""
        original = self.folder / self.path(name)
        return shutil.copytree(original, self.folder / new / original.name)


def _sealed(folder: Path) -> Path:
    """Everything that follows from the journal of an experiment, and the seal."""
    if load_record.is_load(folder):
        load_files.write(folder)
    elif comparison_record.is_load_comparison(folder):
        comparison_files.write(folder)
    else:
        derived.derive(folder)
        experiment_files.write(folder)
    seal(folder, __version__)
    return folder


def _made(name: str, record: Callable[[], Record], kept: Kept) -> Path:
    folder = kept.attempt(name)
    whole = record()
    sessions.written_in(folder, 1, whole)
    return _sealed(folder) if whole.end else folder


def _again(kept: Kept) -> Path:
    """Two attempts of one experiment."""
    for number in (1, 2):
        folder = kept.attempt("again", number)
        sessions.written_in(folder, number, made.agreed())
        _sealed(folder)
    return folder


def _load(name: str, record: Callable[[], LoadRecord], kept: Kept) -> Path:
    """The evidence of a load whose record was made."""
    whole, folder = record(), kept.attempt(name)
    assert whole.environment is not None
    written = Journal(folder)
    written.append(load_record.OPENED, load_record.LoadOpened(attempt=1, spec=whole.spec))
    written.append("environment", whole.environment)
    for run in whole.runs:
        begun = {field: getattr(run, field) for field in load_record.RunBegun.__struct_fields__}
        written.append("run", load_record.RunBegun(**begun))
        for interval in run.intervals:
            written.append("interval", load_record.RunInterval(run=run.number, interval=interval))
        if run.summary is not None:
            written.append("summary", load_record.RunEnded(run=run.number, summary=run.summary))
    if whole.end is not None:
        written.append("end", whole.end)
    written.close()
    return _sealed(folder) if whole.end else folder


def _servers(name: str, record: Callable[[], LoadComparisonRecord], kept: Kept) -> Path:
    """The evidence of several servers under one load, whose record was made."""
    folder = kept.attempt(name)
    load_comparison_records.written(folder, record())
    return _sealed(folder)


def _recorded(name: str, kept: Kept) -> Path:
    """A journal that a real run wrote."""
    folder = kept.attempt(name)
    # Without their chain: a line that is recorded anew changes nothing else in the repository.
    lines = (RECORDED / f"{name}.jsonl").read_bytes().splitlines()
    events = (msgspec.json.decode(line, type=journal.Event) for line in lines)
    (folder / journal.NAME).write_bytes(b"".join(evidence_files.chained(events)))
    return _sealed(folder)


def _ladder(kept: Kept) -> Path:
    """A real ladder of two rungs."""
    folders = [kept.folder / kept.path(name) for name in ("rung-1", "rung-2")]
    specs = [experiment_record.read(folder).spec for folder in folders]
    plan = msgspec.json.decode((RECORDED / "ladder.json").read_bytes(), type=LadderPlan)
    plan = msgspec.structs.replace(plan, experiments=tuple(spec.id for spec in specs))
    return ladder_files.write(kept.folder / ROOT, plan, list(zip(plan.scales, folders, strict=True)))


def _climbed(kept: Kept) -> Path:
    """A noisy rung and a quiet one, and one that was not reached."""
    scales = (0.1, 1.0, 10.0)
    folders = []
    for scale, noise in zip(scales, (0.3, 0.002), strict=False):
        record = made.agreed(noise=noise)
        record = msgspec.structs.replace(record, spec=msgspec.structs.replace(record.spec, scale=scale))
        folder = kept.attempt(f"climbed-{scale:g}")
        sessions.written_in(folder, 1, record)
        folders.append(_sealed(folder))
    experiments = tuple(experiment_record.read(folder).spec.id for folder in folders)
    plan = LadderPlan(
        scales=scales, experiments=(*experiments, "0123456789ab"), command="weigh ladder --scales 0.1,1,10"
    )
    return ladder_files.write(kept.folder / ROOT, plan, list(zip(scales, folders, strict=False)))


def _edited(kept: Kept) -> Path:
    """Two figures of the report are not those of the samples."""
    folder = kept.copy("run", "edited")
    verdicts, page = folder / experiment_files.VERDICTS, folder / experiment_files.HTML
    text, number = re.subn(r'"ratio": [0-9.]+', '"ratio": 0.5', verdicts.read_text(), count=1)
    assert number == 1
    verdicts.write_text(text)
    page.write_text(page.read_text().replace("</title>", " (final)</title>"))
    return folder


def _forged(kept: Kept) -> Path:
    """One execution was made faster, and one file is gone."""
    folder = kept.copy("run", "forged")
    path = folder / journal.NAME
    before, found, after = path.read_text().rpartition('"wall":')
    assert found
    path.write_text(before + found + re.sub(r"^\[(\d+),\d+", r"[\1,1", after))
    (folder / "gate.json").unlink()
    return folder


def _damaged(kept: Kept) -> Path:
    """A line of the journal is cut."""
    folder = kept.copy("run", "damaged")
    path = folder / journal.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:40] + b"\n"
    path.write_bytes(b"".join(lines))
    return folder


def _edited_load(kept: Kept) -> Path:
    folder = kept.copy("load", "edited-load")
    path = folder / load_files.TEXT
    path.write_text(path.read_text().replace("p99", "p50"))
    return folder


def _edited_ladder(kept: Kept) -> Path:
    folder = shutil.copytree(kept.folder / kept.path("ladder"), kept.folder / ROOT / "ladder-edited")
    path = folder / ladder_files.HTML
    path.write_text(path.read_text().replace("</title>", " (final)</title>"))
    return folder


def _empty(kept: Kept) -> Path:
    """Killed before its first event."""
    folder = kept.attempt("empty")
    (folder / journal.NAME).touch()
    return folder


_MAKERS: dict[str, Callable[[Kept], Path]] = {
    **{
        record.__name__: functools.partial(_made, record.__name__, record)
        for record in (
            made.agreed, made.ranked, made.diverged, made.refused, made.few, made.failed, made.contended, made.killed,
            made.clickhouse, made.both, made.precision, made.other_data,
        )
    },
    "again": _again,
    "monday": functools.partial(_made, "monday", functools.partial(made.session, 1, "2.1.0", 1.0)),
    "tuesday": functools.partial(_made, "tuesday", functools.partial(made.session, 2, "2.2.0", 1.2)),
    "elsewhere": functools.partial(
        _made, "elsewhere", functools.partial(made.session, 3, "2.2.0", 1.2, "Another Processor")
    ),
    "stalled": functools.partial(_load, "stalled", lambda: load_records.stalled(100)),
    "repeated": functools.partial(_load, "repeated", made.calm_load),
    "killed-load": functools.partial(_load, "killed-load", made.killed_load),
    "wrong-load": functools.partial(_load, "wrong-load", made.wrong_load),
    **{name: functools.partial(_recorded, name) for name in ("run", "rung-1", "rung-2", "load")},
    "servers": functools.partial(_servers, "servers", made.servers),
    "unequal-servers": functools.partial(_servers, "unequal-servers", made.unequal_servers),
    "ladder": _ladder,
    "climbed": _climbed,
    "edited": _edited,
    "forged": _forged,
    "damaged": _damaged,
    "edited-load": _edited_load,
    "edited-ladder": _edited_ladder,
    "empty": _empty,
}  # fmt: skip
