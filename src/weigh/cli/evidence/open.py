"""``weigh open``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.output import print_results, say

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.kinds.kind import Kind


@click.command("open")
@evidence_argument
@click.option("--verbose", is_flag=True, help="Print all that there is to say as well.")
def open_page(evidence: Path, verbose: bool) -> None:
    """Open the report's page in a browser, and print where it lies. `latest` is the newest of runs."""
    import webbrowser

    from weigh.kinds.table import kind_of
    from weigh.model.text import one_line

    with others_evidence(evidence):
        kind = kind_of(evidence)
        page = _page(kind, evidence)
        say(one_line(str(page)))
        if verbose:
            print_results(kind, kind.read(evidence), evidence, as_json=False, verbose=True)
    try:
        opened = webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        opened = False
    if not opened:
        say("no browser was found; the page is one file without any other: open it wherever there is one", err=True)


def _page(kind: Kind[Any, Any], evidence: Path) -> Path:
    """The page that is kept with the evidence; of an attempt that was killed or goes on, one of what there is."""
    import tempfile
    from pathlib import Path

    from weigh.evidence.files import is_regular

    page = evidence / kind.page
    if is_regular(page):
        return page
    # Not into the evidence: an attempt that goes on seals what it wrote itself.
    made = Path(tempfile.mkdtemp(prefix="weigh-")) / kind.page
    made.write_bytes(kind.html(evidence))
    return made
