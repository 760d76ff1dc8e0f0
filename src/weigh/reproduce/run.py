"""Reproduce: the seal checked, data and environments made, everything measured again, both compared."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import bundle, files, whole
from weigh.evidence.seal import SEAL
from weigh.experiment import run as experiment
from weigh.experiment.record import read as read_record
from weigh.experiment.report import files as reports
from weigh.experiment.verify.verify import verify
from weigh.load import record as load_record
from weigh.load import run as load
from weigh.load.files import LoadFiles
from weigh.load.report import files as load_files
from weigh.load.target.registry import target
from weigh.load.verify import verify as verify_load
from weigh.model.errors import EvidenceFault
from weigh.model.spec import QUICK
from weigh.reproduce import record
from weigh.reproduce.files import write
from weigh.reproduce.loads import plan as loads
from weigh.reproduce.plan import planned
from weigh.reproduce.repeatable import why_not

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.evidence.bundle import Unpacked
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.config.user_data import UserFiles
    from weigh.experiment.verify.verify import Verification
    from weigh.load.verify import LoadVerification
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How it is carried out.

    Attributes:
        out: folder of all evidence.
        command: that does it again.
        instead: contenders in the place of the original's.
        user_data: data and questions that a bundle does not hold.
        answers: file of pinned answers that a bundle does not hold.
        affinity: CPUs in the place of those that the original named.
        resume: go on where it was killed.
        quick: as of ``weigh run --quick``: a first look, after which most verdicts are not decided.
    """

    out: Path
    command: str
    instead: tuple[str, ...] = ()
    user_data: UserFiles | None = None
    answers: Path | None = None
    affinity: tuple[int, ...] | None = None
    resume: bool = False
    quick: bool = False


class Refused(EvidenceFault):
    """The original does not pass `weigh verify`: nothing is measured.

    Args:
        found: what came of verifying it.
    """

    def __init__(self, found: Verification | LoadVerification) -> None:
        first = found.problems[0]
        super().__init__(
            f"it does not pass `weigh verify`: {first.code} {first.file}: {first.text}",
            where=found.evidence,
            remedy="nothing was measured; ask whoever published it for the evidence as it was sealed",
        )


def original(path: Path, place: Path) -> Original | OriginalLoad:
    """A bundle that passes `weigh verify`, to be measured again.

    Args:
        path: of the bundle.
        place: an empty folder that it is unpacked to.

    Raises:
        EvidenceFault: it is none, is of a kind that is not measured again, does not pass, or has no verdict.
    """
    unpacked = bundle.unpacked(path, place)
    if why := why_not(unpacked.head.kind, unpacked.folder):
        raise EvidenceFault(
            f"it is not measured again: {why}",
            where=unpacked.head.evidence,
            remedy="weigh verify checks it; its report has the command that made it",
        )
    return (OriginalLoad if unpacked.head.kind == record.LOAD else Original)(path, unpacked)


class OriginalLoad:
    """A load that passes `weigh verify`, to be offered again.

    Args:
        path: of the bundle.
        unpacked: what is in it.

    Raises:
        EvidenceFault: it does not pass, or measured nothing.
    """

    def __init__(self, path: Path, unpacked: Unpacked) -> None:
        self._path, self.unpacked = path, unpacked
        self.verification = verify_load(unpacked.folder)
        if not self.verification.passed:
            raise Refused(self.verification)
        if not self.verification.histograms:
            raise EvidenceFault(
                "it has no figure that could be confirmed: it ended before",
                where=str(path),
                remedy="its report says how it ended, and has the command that made it",
            )
        self.spec = load_record.read_spec(unpacked.folder)

    def measured(self, wanted: Wanted, progress: Progress) -> Path:
        """Offer it again, compare both, and seal them together; the directory of the reproduction.

        Raises:
            WeighError: it could not be measured.
        """
        spec = loads.planned(self.spec, wanted.instead)
        server = target(spec.target)
        # Without its password: that is no part of a spec.
        spec = msgspec.structs.replace(spec, target=server.text)
        folder = _folder(self.unpacked, wanted.out, spec.id, self.spec.id)
        here = load.run(spec, server, folder, wanted.command, progress, load_files.write, LoadFiles())
        return _compared(self._path, self.unpacked, folder, here, {self.spec.target: spec.target})


def _folder(unpacked: Unpacked, out: Path, here: str, there: str) -> Path:
    """A folder of its own: beside the original it would be taken for another attempt, and judged together with it."""
    # Whoever measures again until it fits has all attempts in it, and of a run they are judged together, too (T8).
    other = "" if here == there else f"-as-{here[:6]}"
    return out / f"reproduction-{unpacked.head.evidence}{other}"


def _compared(path: Path, unpacked: Unpacked, folder: Path, here: Path, names: dict[str, str]) -> Path:
    """Keep the bundle alongside what was measured, compare both, and seal them together."""
    whole.write(folder / record.BUNDLE, files.named(path, files.MOST))
    write(
        folder,
        record.ReproductionRecord(
            schema=record.SCHEMA,
            original=record.Place(evidence=unpacked.head.evidence, seal=unpacked.head.seal),
            here=record.Place(evidence=here.name, seal=files.hashed(here / SEAL)),
            names=names,
        ),
    )
    return folder


class Original:
    """A run that passes `weigh verify`, to be measured again.

    Args:
        path: of the bundle.
        unpacked: what is in it.

    Raises:
        EvidenceFault: it does not pass, or has no verdict.
    """

    def __init__(self, path: Path, unpacked: Unpacked) -> None:
        self._path, self.unpacked = path, unpacked
        self.verification = verify(self.unpacked.folder)
        if not self.verification.passed:
            raise Refused(self.verification)
        if not self.verification.verdicts:
            raise EvidenceFault(
                "it has no verdict that could be confirmed: it ended before, or compared answers alone",
                where=str(path),
                remedy="its report says how it ended, and has the command that made it",
            )
        self.record = read_record(self.unpacked.folder)

    def requested(self, wanted: Wanted) -> tuple[Spec, RunRequest, dict[str, str]]:
        """What is measured; raises as :func:`weigh.reproduce.plan.planned`."""
        spec, request, names = planned(
            self.record,
            wanted.out,
            wanted.command,
            instead=wanted.instead,
            user_data=wanted.user_data,
            answers=wanted.answers,
            affinity=wanted.affinity,
            resume=wanted.resume,
        )
        if wanted.quick:
            spec = msgspec.structs.replace(spec, quick=True, budget=min(spec.budget or QUICK, QUICK))
        folder = _folder(self.unpacked, wanted.out, spec.id, self.record.spec.id)
        return spec, dataclasses.replace(request, root=folder), names

    def measured(self, spec: Spec, request: RunRequest, names: dict[str, str], progress: Progress) -> Path:
        """Measure it, compare both, and seal them together.

        Returns:
            The directory of the reproduction.

        Raises:
            WeighError: it could not be measured, or the data is other data.
        """
        here = experiment.run(spec, request, progress, reports.write)
        return _compared(self._path, self.unpacked, request.root, here, names)
