"""``weigh demo``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weigh.cli.experiment.run import CONTENTION, OUTPUT, Printing, command_line, run_and_print
from weigh.cli.keys import taking

if TYPE_CHECKING:
    from pathlib import Path

_BASELINE = "duckdb@2.0.0"
_RIGHT = "chdb@4.4.0"
_WRONG = "old-chdb=chdb@4.1.8+chdb-core==26.3.0"
_SCALE = "400K"
_OPERATIONS = (
    "eq_user",
    "in_users",
    "eq_dst_port",
    "time_window",
    "by_action",
    "duration_by_proto",
    "distinct",
    "top_talkers",
    "denied_and_allowed",
)
"""A part of netflow that shows every kind of question and fits into a minute."""
_BUDGET = "30s"
"""On a slow machine it takes as long as the least that can be measured: a first look must not end in an error."""


@click.command()
@click.option("--wrong-answer", is_flag=True, help="chDB with a version that loses rows takes part.")
@click.option("--scale", default=_SCALE, metavar="ROWS", show_default=True, help="Rows of the data.")
@taking(CONTENTION, *OUTPUT)
def demo(
    wrong_answer: bool, scale: str, out: Path, as_json: bool, verbose: bool, quiet: bool, contention: str | None
) -> None:
    """DuckDB and chDB on generated data, in about a minute: gate, measurement, verdicts, report.

    With --wrong-answer a chDB release takes part that loses rows in equality filters over Parquet bloom filters:
    see how weigh refuses to time it.
    """
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.config.spec import make_spec

    rival = _WRONG if wrong_answer else _RIGHT
    flags = {
        "contender": (_BASELINE, rival),
        "operations": _OPERATIONS,
        "scale": scale,
        "budget": _BUDGET,
        "contention": contention,
    }
    request = RunRequest(root=out, command=command_line(), least=True)
    run_and_print(make_spec(None, flags), request, Printing(as_json, verbose, quiet))
