"""``weigh audit``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from weigh.cli.output import print_json, print_rich, say
from weigh.cli.page import html_option, write_page


@click.command()
@click.argument("places", metavar="[FILE|FOLDER]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--claim",
    "claims",
    is_flag=True,
    help="The files are questionnaires about a claim without figures, such as a PDF; without a file one is printed, to "
    "be filled in.",
)
@click.option(
    "--toml",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the smallest experiment that would settle the first result.",
)
@html_option
@click.option("--verbose", is_flag=True, help="All rows of the catalogue, of all results.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/audit-results/1).")
def audit(
    places: tuple[Path, ...], claims: bool, toml: Path | None, html: Path | None, verbose: bool, as_json: bool
) -> None:
    """Read what others publish, and say what it shows, what it does not, and what contradicts itself.

    Reads results of BenchBox, ClickBench, BenchBase, k6, go-tpc, YCSB, go-ycsb, YCSB-cpp, HammerDB, sysbench, pgbench,
    memtier_benchmark, redis-benchmark, wrk and wrk2, the numerical quantities of a full disclosure of TPC-C, and what
    `weigh export`, `weigh report --json` and bundles hold. Each row of `weigh lies` is shown, not shown, or
    contradicted by the file's own figures. Exit 1 when one contradicts itself. Nothing in a file is executed.

    \b
    weigh audit results/
    weigh audit --claim > claim.toml    # fill it in, then
    weigh audit --claim claim.toml
    """
    from weigh.audit import claim, report
    from weigh.audit.experiment import toml as smallest
    from weigh.audit.run import audit as audited
    from weigh.evidence import whole
    from weigh.model.errors import UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    if not places:
        if not claims:
            raise UsageError("no file is named", remedy="weigh audit FILE, or weigh audit --claim for a questionnaire")
        sys.stdout.write(claim.template())
        return
    found = audited(() if claims else places, places if claims else ())
    if toml:
        whole.write(toml, smallest(found.results[0].published).encode())
        say(f"written: {toml}", err=True)
    if html:
        write_page(html, report.page(found))
    elif as_json:
        print_json(report.document(found))
    else:
        print_rich(report.text(found, verbose=verbose))
    click.get_current_context().exit(int(found.exit_code()))
