"""``weigh export``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.output import say
from weigh.evidence import whole

FORMS = ("junit", "benchfmt", "bencher", "clickbench", "openmetrics", "markdown", "csv", "parquet")
"""Those of :data:`weigh.experiment.report.export.FORMS`, named here so that ``--help`` imports nothing."""


@click.command()
@evidence_argument
@click.option("--format", "form", type=click.Choice(FORMS), required=True, help="The form of the tool that reads it.")
@click.option("--contender", metavar="NAME", help="Only this contender.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where it is written [stdout]."
)
def export(evidence: Path, form: str, contender: str | None, out: Path | None) -> None:
    """Write what a run found in the form of another tool. `latest` is the newest of runs.

    \b
    junit        a test report for CI: slower and wrong fail, no verdict is skipped
    benchfmt     Go's benchmark format, for benchstat: a line for each start
    bencher      Bencher Metric Format
    clickbench   ClickBench's results JSON, of one contender
    openmetrics  gauges and verdicts for Prometheus
    markdown     the first screen, for a pull request
    csv          figures and verdicts, a line for each operation and contender
    parquet      every execution
    """
    from weigh.kinds.table import kind_of
    from weigh.model.errors import UsageError

    if form == "parquet" and out is None and sys.stdout.isatty():
        raise UsageError("a Parquet file is not for a terminal", remedy="name a file: --out samples.parquet")
    with others_evidence(evidence):
        written, terms = kind_of(evidence).export(evidence, form, contender)
    if out is None:
        sys.stdout.buffer.write(written)
        sys.stdout.buffer.flush()
    else:
        whole.write(out, written)
        say(f"written: {out}", err=True)
    for finding in terms:
        say(f"{finding.code}: {finding.text}", err=True)
