"""``weigh load``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from weigh._kinds import LOAD
from weigh._runs import DEFAULT_OUT
from weigh.cli.output import print_results
from weigh.cli.progress import progress


@click.command()
@click.argument("workload", nargs=-1, required=True)
@click.option(
    "--target",
    required=True,
    metavar="TARGET",
    help="postgres:embedded, valkey:embedded, sqlite:embedded, sqlite:PATH, or a URL.",
)
@click.option("--rate", metavar="N", help="Requests a second that are due, whatever the server does.")
@click.option(
    "--arrivals",
    metavar="KIND",
    help="constant, poisson, bursts[:PEAK[:LENGTH]], ramp:TO, steps:R1,R2,...[:TIME], trace:FILE [constant].",
)
@click.option("--closed", is_flag=True, help="A closed loop instead: ask again when the last answer has come.")
@click.option("--both", is_flag=True, help="Both loops, side by side: what the closed one hides.")
@click.option("--duration", metavar="TIME", help="Of each run [60s].")
@click.option("--warmup", metavar="TIME", help="Left out at the beginning [found by a test].")
@click.option("--connections", metavar="N[,N...]", help="To the server; several numbers are several runs [16].")
@click.option("--threads", type=int, metavar="N", help="Of the generator [half of the cores].")
@click.option("--spin", is_flag=True, help="Ask the clock until a request is due: on time, at a core a thread.")
@click.option("--repeats", type=int, metavar="K", help="Runs of each kind; the interval between them comes first [1].")
@click.option("--records", metavar="N", help="Of YCSB, e.g. 1M [100K].")
@click.option("--define", "-D", multiple=True, metavar="NAME=N", help="A variable of the scripts, e.g. scale=10.")
@click.option("--protocol", metavar="MODE", help="Of scripts, as pgbench's: prepared, simple [prepared].")
@click.option("--fanout", type=int, metavar="N", help="What a page takes that makes N requests at once.")
@click.option("--max-in-flight", type=int, metavar="N", help="Sent and not answered, at most [the connections].")
@click.option("--timeout", metavar="TIME", help="After which a request is given up [30s].")
@click.option("--error-budget", metavar="SHARE", help="Of requests that may fail [0.1%].")
@click.option("--seed", type=int, help="Of keys, values and arrivals [42].")
@click.option(
    "--contention",
    metavar="FRACTION",
    envvar="WEIGH_CONTENTION",
    help="Share of a run's CPU that others may use, e.g. 10%; 100% allows any [5%].",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, metavar="DIR", help="Evidence goes here [runs]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/load/1).")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@click.option("--strict", is_flag=True, help="Exit 3 when a run is refused.")
def load(
    workload: tuple[str, ...], target: str, out: Path, as_json: bool, quiet: bool, strict: bool, **flags: Any
) -> None:
    """Offer work to a server on a schedule, and measure what its users would feel.

    WORKLOAD is ycsb-a to ycsb-f, or scripts in pgbench's language as FILE.sql[@WEIGHT]. Built in are
    tpcb-like, simple-update and select-only.

    \b
    weigh load ycsb-b --target postgres:embedded --rate 2000 --duration 60s
    weigh load pay.sql@1 look.sql@9 --target postgres://app@db/shop --rate 500
    """
    from weigh.load import config
    from weigh.load import run as protocol
    from weigh.load.report import files
    from weigh.load.target.registry import target as find

    server = find(target)
    spec = config.make(workload, server.text, flags)
    folder = protocol.run(spec, server, out, _command(target, server.text), progress(quiet), files.write)
    results = LOAD.read(folder)
    print_results(LOAD, results, folder, as_json=as_json)
    click.get_current_context().exit(int(results.exit_code(strict=strict)))


def _command(said: str, shown: str) -> str:
    """The command line, without the password of the target."""
    words = ["weigh", *(word.replace(said, shown) for word in sys.argv[1:])]
    context = click.get_current_context()
    if context.get_parameter_source("contention") is click.core.ParameterSource.ENVIRONMENT:
        # It is part of the experiment, and no variable of the environment can be seen in a report.
        words += ["--contention", context.params["contention"]]
    return shlex.join(words)
