"""``weigh report``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli import completing
from weigh.cli.evidence.path import others_evidence
from weigh.cli.output import print_results, print_rich, say
from weigh.cli.page import html_option, write_page
from weigh.kinds.folder import LATEST, resolve

DEFAULT_PORT = 8787


@click.command()
@click.argument(
    "evidence",
    metavar="[EVIDENCE]",
    type=click.Path(path_type=Path),
    required=False,
    shell_complete=completing.evidence,
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@html_option
@click.option("--markdown", is_flag=True, help="The first screen in Markdown, for a pull request or a CI summary.")
@click.option("--verbose", is_flag=True, help="All that there is to say, below the first screen.")
@click.option("--notes", is_flag=True, help="Only the findings, and how to read the figures.")
@click.option("--bug", is_flag=True, help="The text of a bug report about wrong answers, to be pasted.")
@click.option(
    "--serve", "served", is_flag=True, help="Show all evidence of a folder [runs] in the browser, on loopback."
)
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Of --serve; 0 takes one that is free [8787].")
def report(
    evidence: Path | None,
    as_json: bool,
    html: Path | None,
    markdown: bool,
    verbose: bool,
    notes: bool,
    bug: bool,
    served: bool,
    port: int | None,
) -> None:
    """Print the report of an evidence directory, finished or not; without one that of the newest of runs.

    With --serve: list all evidence of a folder, show each page, and compare two, until Ctrl-C.
    """
    from weigh.host import scratch
    from weigh.kinds.table import kind_of
    from weigh.model.errors import UsageError

    # Whoever looks at what a killed run left is not asked to measure again to have it tidied up.
    scratch.sweep()
    forms = {
        "--html": html, "--json": as_json, "--markdown": markdown, "--verbose": verbose, "--notes": notes,
        "--bug": bug, "--serve": served,
    }  # fmt: skip
    if len(chosen := [name for name, given in forms.items() if given]) > 1:
        raise UsageError(f"{' and '.join(chosen)} are several forms of one report", remedy="ask for one of them")
    if port is not None and not served:
        raise UsageError("--port is of --serve", remedy="add --serve, or leave it out")
    if served:
        _serve(evidence, DEFAULT_PORT if port is None else port)
        return
    unnamed, evidence = evidence is None, resolve(evidence or Path(LATEST))
    if unnamed:
        _say_passed_over(evidence)
    with others_evidence(evidence):
        kind = kind_of(evidence)
        if html:
            page = kind.html(evidence)
            _say_edited(evidence)
            write_page(html, page)
            return
        results = kind.read(evidence)
        _say_edited(evidence)
        if bug:
            _bug(evidence)
            return
        if markdown:
            say(kind.markdown(results, str(evidence)))
        elif notes:
            print_rich(kind.notes(results))
        else:
            print_results(kind, results, evidence, as_json=as_json, verbose=verbose)


def _say_passed_over(evidence: Path) -> None:
    """One line where the last attempt has nothing to show."""
    from weigh.kinds.folder import passed_over
    from weigh.model.text import one_line

    if newer := passed_over(evidence):
        what = one_line(f"the last attempt ended before anything was measured: weigh report {newer[0]}")
        say(f"note: {what}. This is {one_line(str(evidence))}", err=True)


def _say_edited(evidence: Path) -> None:
    """One line above the report of evidence that was changed after it was sealed; it is printed as it is."""
    from weigh.evidence.verification import edited
    from weigh.model.text import one_line

    if names := edited(evidence):
        rest = f" and {len(names) - 1} more" if len(names) > 1 else ""
        text = f"{names[0]}{rest} changed after it was sealed: believe nothing of this before weigh verify {evidence}"
        say(f"warning: {one_line(text)}", err=True)


def _bug(evidence: Path) -> None:
    from weigh.experiment.report.bug import bug
    from weigh.kinds.table import RUN, kind_of
    from weigh.model.errors import UsageError

    runs = [one for one in kind_of(evidence).inside(evidence) if kind_of(one) is RUN]
    text = "\n".join(filter(None, (bug(RUN.read(one)) for one in runs)))
    if not text:
        raise UsageError("no wrong answer was found in it", where=str(evidence), remedy="leave out --bug")
    say(text.rstrip())


def _serve(folder: Path | None, port: int) -> None:
    """Until it is interrupted."""
    from weigh.kinds.folder import DEFAULT_OUT, entries
    from weigh.kinds.table import recognised
    from weigh.model.errors import UsageError
    from weigh.model.text import one_line
    from weigh.serve.server import Server

    folder = folder or DEFAULT_OUT
    # A directory that holds a single evidence is a folder of them; `latest` is none.
    folder = folder if folder.exists() else resolve(folder)
    if folder.is_dir() and recognised(folder) is not None:
        raise UsageError("it is one evidence, and not a folder of them", where=str(folder), remedy="name its folder")
    entries(folder)
    with Server(folder, port) as server:
        say(one_line(server.url))
        say(f"it shows {one_line(str(folder))} to whoever has an account here; Ctrl-C ends it", err=True)
        server.serve_forever()
