"""The files of a reproduction, and verifying them: both evidences, and that what is reported follows from them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh._version import __version__
from weigh.evidence import bundle, files, seal, whole
from weigh.evidence.seal import SEAL, SIGNATURE
from weigh.evidence.verification import UNKEYED, Outcome, Problem, hashes, not_following, read_seal
from weigh.experiment.verify.verify import Verification
from weigh.experiment.verify.verify import verify as verify_run
from weigh.load.verify import LoadVerification
from weigh.load.verify import verify as verify_load
from weigh.model import codes
from weigh.model.errors import EvidenceFault, WeighError
from weigh.reproduce import record
from weigh.reproduce.record import BUNDLE, JSON, LOAD, ReproductionRecord
from weigh.reproduce.report import document, page
from weigh.reproduce.results import reproduction_results

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.reproduce.results import ReproductionResults

HTML = "reproduction.html"


class ReproductionVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying a reproduction.

    Attributes:
        reproduction: name of its directory.
        weigh: the version that sealed it.
        original, here: what came of each evidence; None of one that cannot be read, and of loads.
        original_load, here_load: the same of loads; left out of runs.
        problems: of the reproduction's own files.
    """

    reproduction: str
    weigh: str
    original: Verification | None
    here: Verification | None
    problems: tuple[Problem, ...]
    original_load: LoadVerification | msgspec.UnsetType | None = msgspec.UNSET
    here_load: LoadVerification | msgspec.UnsetType | None = msgspec.UNSET

    @property
    def sides(self) -> tuple[Verification | LoadVerification | None, Verification | LoadVerification | None]:
        """What came of the original, and of what was measured here."""
        return self.original or self.original_load or None, self.here or self.here_load or None

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong anywhere."""
        return not self.problems and all(one and one.passed for one in self.sides)


def read(folder: Path) -> ReproductionResults:
    """The conclusion, computed anew.

    Raises:
        EvidenceFault: one of the evidences cannot be read.
    """
    return reproduction_results(folder)


def html(folder: Path) -> bytes:
    """The report as one page.

    Raises:
        EvidenceFault: as of :func:`read`.
    """
    return page(read(folder))


def write(folder: Path, written: ReproductionRecord) -> None:
    """Write what follows from both evidences, and seal the whole directory.

    Args:
        folder: of the reproduction, with the bundle and the new evidence in it.
        written: which they are.

    Raises:
        EvidenceFault: one of the evidences cannot be read.
        OSError: it cannot be written.
    """
    # What was signed is not what is written now.
    (folder / SIGNATURE).unlink(missing_ok=True)
    seal.write_json(folder, JSON, written)
    for name, content in _rendered(folder).items():
        whole.write(folder / name, content)
    made = {name: files.hashed(folder / name) for name in seal.file_names(folder)}
    seal.write_json(folder, SEAL, seal.Seal(files=made, earlier={}, weigh=__version__))


def _rendered(folder: Path) -> dict[str, bytes]:
    results = read(folder)
    return {JSON: seal.json_bytes(document(results, "")), HTML: page(results)}


def verify(folder: Path) -> ReproductionVerification:
    """Verify both evidences, and compute anew what is reported of them.

    Raises:
        EvidenceFault: it was never sealed, or its document cannot be read.
    """
    sealed, problems = read_seal(folder)
    problems += hashes(folder, sealed)
    written = record.read(folder)
    original: Verification | LoadVerification | None = None
    here: Verification | LoadVerification | None = None
    try:
        with tempfile.TemporaryDirectory(prefix="weigh-bundle-") as place:
            unpacked = bundle.unpacked(folder / BUNDLE, Path(place))
            original = verified(unpacked.head.kind, unpacked.folder)
            problems += _sealed(Path(place) / written.original.evidence, written.original)
        here = verified(unpacked.head.kind, folder / written.here.evidence)
        problems += _sealed(folder / written.here.evidence, written.here)
        problems += not_following(folder, _rendered(folder), sealed, "it does not follow from the two evidences")
    except (WeighError, OSError) as error:
        problems.append(Problem(code=codes.R4_DERIVED.code, file=JSON, text=str(error)))
    found = ReproductionVerification(
        reproduction=folder.resolve().name,
        weigh=sealed.weigh,
        original=original if isinstance(original, Verification) else None,
        here=here if isinstance(here, Verification) else None,
        problems=tuple(problems),
    )
    if not any(isinstance(one, LoadVerification) for one in (original, here)):
        return found
    loads = [one if isinstance(one, LoadVerification) else None for one in (original, here)]
    return msgspec.structs.replace(found, original_load=loads[0], here_load=loads[1])


def verified(kind: str, folder: Path) -> Verification | LoadVerification:
    """Verify evidence of a run or of a load; raises as they do."""
    return verify_load(folder) if kind == LOAD else verify_run(folder)


def _sealed(folder: Path, place: record.Place) -> list[Problem]:
    """That an evidence is the one that was compared: whoever reseals it has another seal."""
    try:
        if files.hashed(folder / SEAL) == place.seal:
            return []
    except (OSError, EvidenceFault):
        pass
    text = f"{place.evidence} is not the evidence that was compared: it has another seal"
    return [Problem(code=codes.R4_HASH.code, file=JSON, text=text)]


def recomputed(one: Verification | LoadVerification) -> str:
    """What was computed again, in words."""
    if isinstance(one, LoadVerification):
        return f"{one.files} files hashed, figures recomputed from {one.histograms} histograms"
    return f"{one.files} files hashed, {one.verdicts} verdicts recomputed"


def lines(found: ReproductionVerification) -> Iterator[Problem | Outcome]:
    """What is reported of it: each evidence, then the whole."""
    for what, one in zip(("the original", "what was measured here"), found.sides, strict=True):
        if one is None:
            yield Outcome(f"{what} cannot be read", passed=False)
            continue
        yield from one.problems
        state = f"passes: {recomputed(one)}" if one.passed else "FAILS"
        yield Outcome(f"{what}, {one.evidence}, {state}", passed=one.passed)
    yield from found.problems
    state = "passes: each outcome follows from both" if found.passed else "FAILS"
    yield Outcome(f"{found.reproduction} {state}", passed=found.passed)
    if found.passed:
        yield UNKEYED
