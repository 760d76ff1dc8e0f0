"""``weigh judge``."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from weigh.cli.keys import key, taking
from weigh.cli.output import print_json, print_rich
from weigh.cli.page import html_option, write_page
from weigh.experiment.config.tables import ExperimentTable
from weigh.model.spec import Rule

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("files", metavar="[LABEL=]FILE...", nargs=-1, required=True)
@click.option(
    "--baseline",
    metavar="NAME",
    help="Name of the contender that the others are compared with; declared, a SLOWER is exit 1 [the first contender].",
)
@click.option(
    "--interleaved",
    is_flag=True,
    help="The files of the contenders were made in turn: old1 new1 old2 new2 ...; you vouch for it.",
)
@click.option("--format", "format_", metavar="NAME", default="", help="Format of all files [by content].")
@click.option(
    "--unit",
    type=click.Choice(["ns", "us", "ms", "s"]),
    default=None,
    help="Unit of values where the file leaves it open [s; ns of an hlog].",
)
@click.option(
    "--expected-interval",
    metavar="TIME",
    help="Correct the percentiles of an hlog of a closed loop that asked so often: an estimate.",
)
@taking(
    key(ExperimentTable, "margin", "FRACTION", default="3%", also=", chosen before a look at the numbers"),
    key(ExperimentTable, "confidence", "LEVEL", default="0.99"),
    key(ExperimentTable, "rule", type=click.Choice(get_args(Rule))),
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit 3 when a verdict is refused or unresolved, or, with nothing to compare, a series is refused.",
)
@html_option
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/judge/1).")
def judge(
    files: tuple[str, ...],
    baseline: str | None,
    interleaved: bool,
    format_: str,
    unit: str | None,
    expected_interval: str | None,
    margin: str,
    confidence: str,
    rule: Rule | None,
    strict: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """The same verdicts for other tools' raw numbers.

    Reads hyperfine JSON, pyperf JSON, pytest-benchmark JSON, Google Benchmark JSON, folders of criterion, JMH JSON, `go
    test -bench` text, pgbench -l logs, k6 JSON, HdrHistogram logs and CSV. Two or more contenders are compared, the
    first is the baseline; one long series gets its mean and percentiles. Where the way of measuring cannot carry a
    verdict it is refused, with the way that can.
    """
    from weigh.judge import report
    from weigh.judge.run import declared, run
    from weigh.model.errors import UsageError

    if html and as_json:
        raise UsageError("--html and --json are two forms of one report", remedy="ask for one of them")
    judged = run(
        files,
        declared(margin, confidence),
        format_=format_,
        baseline=baseline or "",
        interleaved=interleaved,
        unit=unit or "",
        expected=_interval(expected_interval),
        rule=rule,
    )
    if html:
        write_page(html, report.html(judged))
    elif as_json:
        print_json(judged.document())
    else:
        print_rich(report.text(judged))
    click.get_current_context().exit(int(judged.exit_code(strict=strict)))


def _interval(text: str | None) -> float:
    """Seconds of ``--expected-interval``; 0 where it was left out."""
    from weigh.model.errors import UsageError
    from weigh.model.units import parse_duration

    if text is None:
        return 0.0
    if not (value := parse_duration(text)) > 0:
        raise UsageError(f"--expected-interval {text} cannot be", remedy="give a duration above 0, e.g. 1ms")
    return value
