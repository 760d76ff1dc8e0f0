"""``weigh sign``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.output import say


@click.command()
@evidence_argument
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Private SSH key; the public one, where an agent holds the private one.",
)
def sign(evidence: Path, key: Path) -> None:
    """Vouch for evidence: sign its seal with an SSH key, as `ssh-keygen -Y sign` does.

    Of a ladder the seal of each rung is signed. What does not pass `weigh verify` is not signed: exit 1. The signature
    lies alongside the seal; `weigh verify --key` checks it.
    """
    from weigh.cli.evidence.verify import print_line
    from weigh.evidence import signature
    from weigh.evidence.bundle import holder
    from weigh.kinds.table import kind_of
    from weigh.model.errors import ExitCode, UsageError
    from weigh.model.text import one_line

    if holder(evidence):
        raise UsageError(
            "it is a bundle, and evidence is signed before it is bundled",
            where=str(holder(evidence)),
            remedy="sign the evidence directory, then weigh export --bundle",
        )
    with others_evidence(evidence):
        kind = kind_of(evidence)
        # A ladder follows from its rungs, which have the seals.
        sealed = kind.inside(evidence) if kind.has_rungs else (evidence,)
        found = kind.verify(evidence)
    if not found.passed:
        for line in kind.lines(found):
            print_line(line)
        click.get_current_context().exit(int(ExitCode.FOUND))
    for one in sealed:
        say(one_line(str(signature.sign(one, key))))
