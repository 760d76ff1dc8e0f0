"""What ``weigh runs`` lists: one row an evidence directory (schema ``weigh/runs/1``)."""

from __future__ import annotations

import msgspec


class EvidenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """An evidence directory.

    Attributes:
        evidence: the directory.
        kind: ``run`` (of ``run``, ``gate`` and ``demo``), ``ladder``, ``load``, or ``load-comparison``
            (of ``load`` with several contenders).
        written: when something was recorded last, ISO 8601 in UTC.
        workload, about: what it is of, for people; None where it cannot be read.
        says: its answer in one sentence, as it was written down with it; None where it did not end, or where that is
            not what was sealed.
        tier: what that is good for; None where nothing was timed.
        end: ``complete`` or ``stopped``; None where it was killed, goes on, has rungs to come, or cannot be read.
        error: why it cannot be read; None where it can.
    """

    evidence: str
    kind: str
    written: str
    workload: str | None = None
    about: str | None = None
    says: str | None = None
    tier: str | None = None
    end: str | None = None
    error: str | None = None


class OtherDirectoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """A directory that weigh wrote alongside evidence, and that is none: a profile, a capture, a history, ...

    Attributes:
        path: the directory.
        what: it is, for people.
        shows: the file or the command that shows it.
    """

    path: str
    what: str
    shows: str


class RunsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of evidence.

    Attributes:
        folder: the folder.
        runs: the newest first.
        other_directories: what else weigh wrote into it, by name.
    """

    folder: str
    runs: tuple[EvidenceRow, ...]
    other_directories: tuple[OtherDirectoryRow, ...] = msgspec.field(name="beside")
