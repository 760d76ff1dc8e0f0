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

_CITATION = "citation"


@click.command()
@evidence_argument
@click.option("--format", "form", type=click.Choice((*FORMS, _CITATION)), help="The form of the tool that reads it.")
@click.option(
    "--bundle",
    "bundled",
    is_flag=True,
    help="All of the evidence in one file, which `weigh reproduce` measures again elsewhere [EVIDENCE.weigh].",
)
@click.option("--contender", metavar="NAME", help="Only this contender.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where it is written [stdout]."
)
def export(evidence: Path, form: str | None, bundled: bool, contender: str | None, out: Path | None) -> None:
    """Write what a run found in the form of another tool, or all of it in one file. `latest` is the newest of runs.

    \b
    junit        a test report for CI: slower and wrong fail, no verdict is skipped
    benchfmt     Go's benchmark format, for benchstat: a line for each start
    bencher      Bencher Metric Format
    clickbench   ClickBench's results JSON, of one contender
    openmetrics  gauges and verdicts for Prometheus
    markdown     the first screen, for a pull request
    csv          figures and verdicts, a line for each operation and contender
    parquet      every execution
    citation     a CITATION.cff: digest of the seal, date, key; of any sealed evidence
    """
    from weigh.kinds.table import kind_of
    from weigh.model.errors import UsageError

    if (form is None) is not bundled:
        raise UsageError("no form is named", remedy="give --format FORM or --bundle, one of the two")
    if form is None:
        _bundle(evidence, out)
        return
    if form == "parquet" and out is None and sys.stdout.isatty():
        raise UsageError("a Parquet file is not for a terminal", remedy="name a file: --out samples.parquet")
    with others_evidence(evidence):
        kind = kind_of(evidence)
        if form == _CITATION and kind.has_rungs:
            raise UsageError(f"{kind.noun} has no seal", where=str(evidence), remedy=kind.named_inside(evidence))
        written, terms = (_cited(evidence), ()) if form == _CITATION else kind.export(evidence, form, contender)
    if out is None:
        sys.stdout.buffer.write(written)
        sys.stdout.buffer.flush()
    else:
        whole.write(out, written)
        say(f"written: {out}", err=True)
    for finding in terms:
        say(f"{finding.code}: {finding.text}", err=True)


def _cited(evidence: Path) -> bytes:
    from weigh.evidence import citation, naming
    from weigh.evidence.seal import SEAL

    return citation.text(citation.cited(evidence, naming.written(evidence, SEAL))).encode()


def _bundle(evidence: Path, out: Path | None) -> None:
    from weigh._native import hash_bytes
    from weigh.evidence import bundle
    from weigh.kinds.table import kind_of
    from weigh.model import codes
    from weigh.model.errors import UsageError
    from weigh.publish.entries import terms
    from weigh.reproduce.repeatable import why_not

    with others_evidence(evidence):
        kind = kind_of(evidence)
        if kind.file != "journal.jsonl":
            raise UsageError(
                f"it is {kind.noun}, and a bundle is of one experiment or load",
                where=str(evidence),
                remedy=kind.named_inside(evidence),
            )
        not_again = why_not(kind.name, evidence)
        made, restricted = bundle.packed(evidence, kind.name, not_again), terms(evidence)
    place = out or Path(evidence.resolve().name + bundle.SUFFIX)
    whole.write(place, made)
    say(f"written: {place} (BLAKE3 {hash_bytes(made)[:16]})", err=True)
    if not_again:
        say(f"weigh reproduce refuses it: {not_again}; weigh verify and weigh report read it", err=True)
    if restricted:
        say(f"{codes.R8_TERMS.code}: {restricted}", err=True)
