"""Reproduce: the seal checked, the data made, the environments made, everything measured again, both compared."""

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
from weigh.model.errors import EvidenceFault
from weigh.model.spec import QUICK
from weigh.reproduce import record
from weigh.reproduce.files import write
from weigh.reproduce.plan import planned

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.evidence.bundle import Unpacked
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.config.user_data import UserFiles
    from weigh.experiment.verify.verify import Verification
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec

_RUN = "run"


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

    def __init__(self, found: Verification) -> None:
        first = found.problems[0]
        super().__init__(
            f"it does not pass `weigh verify`: {first.code} {first.file}: {first.text}",
            where=found.evidence,
            remedy="nothing was measured; ask whoever published it for the evidence as it was sealed",
        )


class Original:
    """A bundle that passes `weigh verify`, to be measured again.

    Args:
        path: of the bundle.
        place: an empty folder that it is unpacked to.

    Raises:
        EvidenceFault: it is none, is not of a run, does not pass, or has no verdict.
    """

    def __init__(self, path: Path, place: Path) -> None:
        self._path = path
        self.unpacked: Unpacked = bundle.unpacked(path, place)
        if self.unpacked.head.kind != _RUN:
            raise EvidenceFault(
                f"it is evidence of the kind '{self.unpacked.head.kind}', and only runs are measured again",
                where=self.unpacked.head.evidence,
                remedy="weigh verify checks it; its report has the command that made it",
            )
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
        # A folder of its own: beside the original it would be taken for another attempt, and judged together with it.
        # Whoever measures again until it fits has all attempts in it, and they are judged together, too (T8).
        other = "" if spec.id == self.record.spec.id else f"-as-{spec.id[:6]}"
        folder = wanted.out / f"reproduction-{self.unpacked.head.evidence}{other}"
        return spec, dataclasses.replace(request, root=folder), names

    def measured(self, spec: Spec, request: RunRequest, names: dict[str, str], progress: Progress) -> Path:
        """Measure it, compare both, and seal them together.

        Returns:
            The directory of the reproduction.

        Raises:
            WeighError: it could not be measured, or the data is other data.
        """
        here = experiment.run(spec, request, progress, reports.write)
        folder = request.root
        whole.write(folder / record.BUNDLE, files.named(self._path, files.MOST))
        head = self.unpacked.head
        write(
            folder,
            record.ReproductionRecord(
                schema=record.SCHEMA,
                original=record.Place(evidence=head.evidence, seal=head.seal),
                here=record.Place(evidence=here.name, seal=files.hashed(here / SEAL)),
                names=names,
            ),
        )
        return folder
