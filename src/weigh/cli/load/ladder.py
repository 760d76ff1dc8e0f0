"""``weigh ladder --load``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.keys import ValuedCommand, flags_of
from weigh.cli.load.comparison import from_file
from weigh.cli.load.load import command_line, keep_secret, load, named_target
from weigh.cli.output import print_results
from weigh.cli.progress import progress
from weigh.kinds.table import LOAD_LADDER

if TYPE_CHECKING:
    from pathlib import Path

_WITHOUT = (
    *("contender", "baseline", "blocks", "quick", "margin", "twice", "duet", "same_engine"),
    *(
        "find_rate",
        "budget",
        "require",
        "crash",
        "power_loss",
        "nemesis",
        "during",
        "with",
        "kill_command",
        "start_command",
        "agents",
    ),
    *(
        "records",
        "warehouses",
        "isolation",
        "define",
        "protocol",
        "answers",
        "pin",
        "expected_interval",
        "both",
        "fanout",
    ),
    "verbose",
)
"""Flags of `load` that mean nothing for a ladder: several servers, a search, crashes, scripts, what it decides, and a
first screen."""
_ELSEWHERE = {
    "as_json": "One JSON document on stdout (schema weigh/load-ladder/1).",
    "server_memory": "Memory that a control group holds the server to, and that the rungs are multiples of, e.g. 256MB "
    "[shared_buffers or maxmemory of the target].",
    "cold": "Begin every rung with a server whose tables are not in memory, and prove it.",
}
"""Flags of `load` that mean a little more here."""
_LADDER_WORDS = {"--rungs": 1, "--budget": 1, "--load": 0}
"""Words of the command line that are the ladder's, and how many words follow each."""


@click.command("ladder", cls=ValuedCommand)
@click.option("--load", "of_loads", is_flag=True, help="A ladder of loads: growing data under the same load.")
@click.option("--rungs", metavar="A,B,...", help="Data of each rung, as multiples of the server's memory [0.1,1,10].")
@click.option(
    "--budget",
    metavar="TIME",
    help="Time for all rungs; what is expected to take longer is refused before anything is loaded [1h].",
)
def load_ladder(
    workload: tuple[str, ...],
    target: str | None,
    target_file: Path | None,
    out: Path,
    as_json: bool,
    quiet: bool,
    of_loads: bool,
    rungs: str | None,
    budget: str | None,
    anchor: tuple[str, ...],
    **flags: Any,
) -> None:
    """Offer the same load to a server on growing data, and find where the data no longer fits into its memory.

    Each rung is a load of its own, with its sealed evidence, on as many records of YCSB as take a multiple of the
    server's memory: what --server-memory holds it to, or else shared_buffers or maxmemory of the target.

    \b
    weigh ladder ycsb-b --load --target postgres:embedded --server-memory 256MB --rate 500 --duration 60s
    weigh ladder ycsb-c --load --target 'postgres:embedded?shared_buffers=64MB' --rungs 0.5,2 --rate 500
    """
    from weigh.ladder.load import config
    from weigh.ladder.load import run as order
    from weigh.ladder.load.report import files
    from weigh.load.report import files as reports
    from weigh.load.target.registry import target as find

    given = {one.name: _left_out(one) for one in load.params if one.name in _WITHOUT} | flags
    workload, given, target = from_file(workload, given, target, alone=target_file is not None)
    target = named_target(target, target_file)
    server = find(target)
    if target_file is None:
        keep_secret(target, server, "--target")
    command = command_line({target: server.text})
    request = config.make(workload, server, given, rungs or config.USUAL_RUNGS, budget, command)
    done: list[Path] = []

    def ended(folder: Path) -> Path:
        done.append(folder)
        return files.write(out, request.plan, done)

    commands = [_of_rung(command, one.records) for one in request.loads]
    order.climb(request, server, out, commands, progress(quiet), reports.write, ended, anchor)
    folder = files.folder_of(out, request.plan)
    results = LOAD_LADDER.read(folder)
    print_results(LOAD_LADDER, results, folder, as_json=as_json)
    click.get_current_context().exit(int(results.exit_code()))


def _left_out(one: click.Parameter) -> Any:
    """What a flag is where it is not given."""
    return () if one.multiple else False if isinstance(one, click.Option) and one.is_flag else None


def _of_rung(command: str, records: int) -> str:
    """The command that makes the load of one rung again."""
    words: list[str] = []
    left = 0
    for word in shlex.split(command):
        name, equals, _ = word.partition("=")
        if left or name in _LADDER_WORDS:
            left = left - 1 if left else 0 if equals else _LADDER_WORDS[name]
            continue
        words.append("load" if word == "ladder" and len(words) == 1 else word)
    return shlex.join([*words, "--records", str(records)])


_ladder_params = [one for one in load_ladder.params if one.name in ("of_loads", "rungs", "budget")]
_workload, _flags = flags_of(load, _ELSEWHERE, _WITHOUT)
load_ladder.params = [_workload, *_ladder_params, *_flags]
