"""Evidence forged with weigh's own functions, as somebody would who has read its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh.evidence import journal, seal, sealing
from weigh.experiment import derived
from weigh.experiment.report import files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Weigh

Events = list[journal.Event]


def rewrite(evidence: Path, change: Callable[[Events], Events]) -> None:
    """Change the journal, chain its lines anew, and change nothing that follows from it."""
    (evidence / journal.NAME).write_bytes(b"".join(journal.chained(change(journal.read(evidence)))))


def reseal(evidence: Path) -> None:
    """Seal it as it is now."""
    sealing.seal(evidence, seal.read_seal(evidence).weigh)


def forge(evidence: Path, change: Callable[[Events], Events]) -> None:
    """Change the journal, derive everything from it, and seal."""
    rewrite(evidence, change)
    derived.derive(evidence)
    files.write(evidence)
    reseal(evidence)


def problems(weigh: Weigh, evidence: Path) -> set[tuple[str, str]]:
    """(code, file) of what `weigh verify` finds; it must exit as it says."""
    run = weigh("verify", str(evidence), "--json")
    found = {(problem["code"], problem["file"]) for problem in run.json["verification"]["problems"]}
    assert run.code == (1 if found else 0), run.err
    assert run.json["passed"] is not bool(found)
    return found


def samples(events: Events) -> list[dict[str, Any]]:
    """The samples in them, to be changed in place."""
    return [sample for event in events if event.event == "turn" for sample in event.body["samples"]]
