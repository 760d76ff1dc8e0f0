"""Sealing: the last thing that happens to the evidence of any experiment, however it ended."""

from __future__ import annotations

import datetime
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import msgspec

from weigh._version import __version__
from weigh.evidence import files
from weigh.evidence.attempts import attempts, number_of
from weigh.evidence.postponed import postponed
from weigh.evidence.seal import SEAL, Seal, file_names, write_json
from weigh.model.errors import EnvironmentFault, WeighError, refusal, remedy_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weigh.evidence.journal import Journal


@contextmanager
def sealed(folder: Path, journal: Journal, end: End | None) -> Iterator[None]:
    """Write the end and close the journal; what is derived from it is written in the body; then seal.

    Args:
        folder: the attempt's directory.
        journal: of the attempt.
        end: how it ended; None where the journal says so already.

    Raises:
        EnvironmentFault: there is no room.
    """
    journal.release()
    try:
        if end is not None:
            journal.append("end", msgspec.structs.replace(end, at=now()))
        journal.close()
        yield
        seal(folder, __version__)
    except OSError as error:
        raise EnvironmentFault(
            f"the evidence cannot be sealed: {refusal(error)}",
            where=str(error.filename or folder),
            remedy=f"{remedy_of(error)}; `weigh report` reads the journal as it is",
        ) from error


class Course:
    """How an attempt goes: whoever makes it says how it ended, and nothing said is a mistake of weigh's own.

    Attributes:
        end: as it will be written.
    """

    def __init__(self) -> None:
        # A mistake of weigh's own must not seal half a measurement as a whole one.
        self.end = End(how="stopped", reason="weigh failed")

    def complete(self) -> None:
        """It did what it was to do."""
        self.end = End(how="complete")

    def stop(self, reason: str) -> None:
        """It ended before that.

        Args:
            reason: in a few words.
        """
        self.end = End(how="stopped", reason=reason)


@contextmanager
def attempted(
    folder: Path, journal: Journal, write: Callable[[], object], before: Callable[[End], object] | None = None
) -> Iterator[Course]:
    """Whatever becomes of the body: how it ended is written down, and the attempt is sealed.

    Args:
        folder: the attempt's directory.
        journal: of the attempt.
        write: everything that is derived from the journal.
        before: receives the end before the journal is closed.

    Raises:
        EnvironmentFault: there is no room. What the body raises is raised with the evidence's place as a note.
    """
    course = Course()
    try:
        yield course
    except KeyboardInterrupt as error:
        course.stop("interrupted")
        error.add_note(f"what was measured until then is kept in {folder}: weigh report {folder.name} shows it")
        raise
    except WeighError as error:
        course.stop(str(error))
        error.add_note(f"what happened until then is kept in {folder}")
        raise
    except Exception as error:
        course.stop(f"weigh failed: {type(error).__name__}: {error}")
        error.add_note(f"what happened until then is kept in {folder}")
        raise
    finally:
        if before is not None:
            before(course.end)
        # Whoever has interrupted already does not wait for the second time.
        whole = course.end.how == "complete"
        with postponed(f"all of it is in {folder}") if whole else nullcontext(), sealed(folder, journal, course.end):
            write()


class End(msgspec.Struct, frozen=True, kw_only=True):
    """How the attempt ended.

    Attributes:
        how: ``complete`` or ``stopped``; there is no end where it was killed.
        reason: why it stopped.
        at: when, in UTC, ISO 8601; absent in older evidence.
    """

    how: str
    reason: str = ""
    at: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def date(self) -> str:
        """The day, in UTC; empty in older evidence."""
        return self.at[:10] if isinstance(self.at, str) else ""


def now() -> str:
    """The moment as a journal has it: UTC, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def seal(folder: Path, weigh: str) -> Seal:
    """Hash every file and write ``seal.json``. Nothing is written afterwards."""
    number = number_of(folder)
    experiment = folder.name.rsplit("-", 2)[1]
    earlier = {
        path.name: files.hashed(path / SEAL)
        for path in attempts(folder.parent, experiment)
        if number_of(path) < number and files.is_regular(path / SEAL)
    }
    hashes = {name: files.hashed(folder / name) for name in file_names(folder)}
    made = Seal(files=hashes, earlier=earlier, weigh=weigh)
    write_json(folder, SEAL, made)
    return made
