"""``weigh report``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.output import print_results, print_rich, say
from weigh.cli.page import html_option, write_page

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@evidence_argument
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@html_option
@click.option("--markdown", is_flag=True, help="The first screen in Markdown, for a pull request or a CI summary.")
@click.option("--verbose", is_flag=True, help="All that there is to say, below the first screen.")
@click.option("--notes", is_flag=True, help="Only the findings, and how to read the figures.")
def report(evidence: Path, as_json: bool, html: Path | None, markdown: bool, verbose: bool, notes: bool) -> None:
    """Print the report of an evidence directory, finished or not. `latest` is the newest of runs."""
    from weigh._kinds import kind_of
    from weigh.host import scratch
    from weigh.model.errors import UsageError

    # Whoever looks at what a killed run left is not asked to measure again to have it tidied up.
    scratch.sweep()
    forms = {"--html": html, "--json": as_json, "--markdown": markdown, "--verbose": verbose, "--notes": notes}
    if len(asked := [name for name, given in forms.items() if given]) > 1:
        raise UsageError(f"{' and '.join(asked)} are several forms of one report", remedy="ask for one of them")
    scratch.sweep()
    with others_evidence(evidence):
        kind = kind_of(evidence)
        if html:
            write_page(html, kind.html(evidence))
            return
        results = kind.read(evidence)
        if markdown:
            say(kind.markdown(results, str(evidence)))
        elif notes:
            print_rich(kind.notes(results))
        else:
            print_results(kind, results, evidence, as_json=as_json, verbose=verbose)
