"""``weigh compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weigh.cli import completing
from weigh.cli.evidence.path import EvidencePath, others_evidence
from weigh.cli.output import print_json, print_rich
from weigh.cli.page import html_option, write_page

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("first", metavar="EVIDENCE", type=EvidencePath(), shell_complete=completing.evidence)
@click.argument("second", metavar="EVIDENCE", type=EvidencePath(), shell_complete=completing.evidence)
@click.option(
    "--reference",
    metavar="NAME",
    default="",
    help="Contender of the first session that joins them [its baseline, or its first that is the same in both].",
)
@click.option(
    "--all-pairs",
    is_flag=True,
    help="Every contender against every other; without it those of the same name, if there are any.",
)
@click.option("--across-hosts", is_flag=True, help="Allow sessions of different machines; the result says so.")
@click.option(
    "--same-engine",
    is_flag=True,
    help="Compare two versions that loaded one and the same engine all the same, as an A/A, and do not refuse.",
)
@click.option("--strict", is_flag=True, help="Exit 3 when a verdict is refused or unresolved.")
@html_option
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/compare/1).")
def compare(
    first: Path,
    second: Path,
    reference: str,
    all_pairs: bool,
    across_hosts: bool,
    same_engine: bool,
    strict: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Compare the contenders of a second session with those of a first one.

    Times of different sessions are never compared. What is compared is how far each contender was from a reference
    contender that is the same in both sessions: same build, same settings, same data, same questions, same machine.
    Exit 1 when something is SLOWER than in the first session.
    """
    from weigh.compare import report
    from weigh.compare.document import document
    from weigh.compare.run import compare as audit
    from weigh.kinds.table import kind_of
    from weigh.model.errors import UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    for evidence in (first, second):
        with others_evidence(evidence):
            if refusal := kind_of(evidence).not_compared:
                raise UsageError(refusal.what, where=str(evidence), remedy=refusal.remedy)
    with others_evidence(second):
        found = audit(
            first,
            second,
            reference=reference,
            across_hosts=across_hosts,
            all_pairs=all_pairs,
            one_engine=same_engine,
        )
        if html:
            write_page(html, report.html(found, str(first), str(second)))
        elif as_json:
            print_json(document(found))
        else:
            print_rich(report.text(found, str(first), str(second)))
    click.get_current_context().exit(int(found.exit_code(strict=strict)))
