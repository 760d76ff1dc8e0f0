"""Verifying one sealed directory, as it is done for every kind of evidence.

1. The seal is read, and every file that it covers hashed.
2. The chain of the journal is followed, and earlier attempts are looked for.
3. The kind computes anew what follows from the journal; what cannot be computed is a problem and no error of weigh's.
4. Every file must be what was computed.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from weigh._version import __version__
from weigh.evidence import journal, naming, timeline
from weigh.evidence.verification import (
    UNKEYED,
    Outcome,
    Problem,
    chain,
    hashes,
    not_following,
    read_seal,
    removed,
    uncomputable,
)
from weigh.model import codes
from weigh.model.errors import WeighError
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from weigh.evidence.timeline import Timeline
    from weigh.model.codes.code import Entry

_R = TypeVar("_R")


class Verified(Protocol):
    """What came of verifying a sealed directory of any kind."""

    @property
    def weigh(self) -> str:
        """The version that sealed it."""

    @property
    def evidence(self) -> str:
        """Its name."""

    @property
    def files(self) -> int:
        """How many the seal covers."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong."""


class Verifying:
    """What is wrong with a sealed directory, as far as it is known.

    Args:
        folder: the evidence.

    Attributes:
        sealed: its seal.
        problems: what is wrong with its files and the chain of its journal, and whatever is added.

    Raises:
        EvidenceFault: it was never sealed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sealed, self.problems = read_seal(folder)
        self.problems += hashes(folder, self.sealed) + chain(folder)

    def attempts(self) -> None:
        """Look for the earlier attempts that it names."""
        self.problems += removed(self.folder)

    def named(self, experiment: str) -> None:
        """The id in its name is a hash of the spec: another one is a spec that was edited.

        Earlier versions may have hashed a spec that had less in it.

        Args:
            experiment: the id by the spec of its journal.
        """
        name = naming.parsed(naming.given(self.folder.resolve()))
        if name and name.experiment != experiment and self.sealed.weigh == __version__:
            text = (
                f"its spec is that of an experiment {experiment}, and its name says {name.experiment}: one was edited"
            )
            self.found(codes.R4_DERIVED, [text])

    def found(self, kind: Entry, texts: Iterable[str], file: str = journal.NAME) -> None:
        """Add a problem for each of these texts."""
        self.problems += [Problem(code=kind.code, file=file, text=text) for text in texts]

    @contextmanager
    def computing(self, *, faults: bool = True) -> Iterator[None]:
        """While this lasts, what cannot be read or computed is a problem; without ``faults`` those are raised."""
        try:
            yield
        except WeighError as error:
            if not faults:
                raise
            self.found(codes.R4_DERIVED, [error.what])
        except Exception as error:
            # Whoever sends evidence with such values does not get away with an error of the reader's.
            self.found(codes.R4_DERIVED, [uncomputable(error)])

    def follow(self, computed: Mapping[str, bytes], text: str) -> None:
        """Every file must be what was computed; ``text`` is reported of one that is not."""
        self.problems += not_following(self.folder, computed, self.sealed, text)

    def result(self, kind: Callable[..., _R], **counts: Any) -> _R:
        """What came of it, with what this kind of evidence counts."""
        return kind(
            evidence=self.folder.resolve().name,
            files=len(self.sealed.files),
            weigh=self.sealed.weigh,
            problems=tuple(self.problems),
            **counts,
        )


def other_moments(folder: Path, watched: Timeline) -> Iterator[Problem]:
    """A timeline that is not the journal's.

    Args:
        folder: the evidence.
        watched: what the journal says of the moments.
    """
    try:
        if timeline.same(folder, watched):
            return
        text = "its moments are not the journal's"
    except WeighError as error:
        text = error.what
    yield Problem(code=codes.R4_DERIVED.code, file=timeline.TIMELINE, text=text)


def concluded(found: Verified, passes: str) -> Iterator[Problem | Outcome]:
    """What is reported of it: each problem, then the outcome.

    Args:
        found: what came of it.
        passes: what was hashed and recomputed, where nothing is wrong.
    """
    yield from found.problems
    if found.problems:
        yield Outcome(f"{found.evidence} FAILS: {count(len(found.problems), 'problem')}", passed=False)
        return
    yield Outcome(f"{found.evidence} passes: {passes}")
    yield UNKEYED
