"""``weigh run`` and ``weigh gate``."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from weigh.cli import completing
from weigh.cli.data_flags import DATA_FLAGS, SQL
from weigh.cli.keys import ValuedCommand, each_once, key, keys, output, switches
from weigh.cli.output import print_json, print_rich, say
from weigh.cli.progress import progress
from weigh.experiment.config.run_request import RunRequest
from weigh.experiment.config.tables import ExperimentTable
from weigh.model.units import duration
from weigh.workloads.commands import OUTPUTS

if TYPE_CHECKING:
    from weigh.experiment.config.file import File
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.spec import Spec


class Printing(NamedTuple):
    """What is printed: one JSON document, or the first screen, or all; and progress, unless it is quiet."""

    as_json: bool
    verbose: bool
    quiet: bool


def _comma(_context: click.Context, _option: click.Parameter, value: str | None) -> list[str] | None:
    if value is None:
        return None
    names = [part.strip() for part in value.split(",") if part.strip()]
    if not names:
        raise click.BadParameter("names no operation")
    return names


_WHAT = ("command", "workload", "data", "scale", "operations")
"""Flags that say what is asked of which data."""
_EXPERIMENT: list[click.Parameter] = [
    click.Argument(["file"], required=False, type=click.Path(path_type=Path, dir_okay=False)),
    click.Option(
        ["--contender"],
        multiple=True,
        metavar="SPEC",
        shell_complete=completing.engines,
        help="What is compared: ENGINE[@VERSION] with pins and settings, clickbench:FOLDER, or a name of weigh.toml; "
        "VERSION may be a wheel, a folder or git:REVISION. Repeatable.",
    ),
    key(ExperimentTable, "vary", "[CONTENDER:]KEY=A,B,...", multiple=True),
    *keys(ExperimentTable, baseline="NAME"),
    key(ExperimentTable, "workload", "NAME", shell_complete=completing.workloads),
    *DATA_FLAGS,
    SQL,
    click.Option(
        ["--frames"],
        type=click.Path(),
        metavar="PATH",
        help="Your own functions for data frames, each named like a question of --sql, which are executed: a file, or "
        "a folder with polars.py, pandas.py, and so on.",
    ),
    *keys(ExperimentTable, ingest=None),
    key(ExperimentTable, "operations", "A,B,...", callback=_comma),
    *keys(ExperimentTable, scale="SCALE", seed=None, truth=None),
    key(ExperimentTable, "answers", "FILE", type=click.Path(path_type=Path)),
    *keys(ExperimentTable, timeout="TIME", affinity="CPUS", memory_limit="SIZE", store="NAME", expect_storage="KIND"),
    key(RunRequest, "shrink", default=True, envvar="WEIGH_SHRINK"),
]
"""What defines an experiment; each wins over weigh.toml."""
CONTENTION = key(ExperimentTable, "contention", "FRACTION", envvar="WEIGH_CONTENTION")
OUTPUT = output("weigh/1")
_COMMANDS: list[click.Parameter] = [
    click.Option(
        ["--command"],
        multiple=True,
        metavar="NAME=TEXT",
        help="A command to compare, in the place of a contender: each execution is a process of its own, without a "
        "shell, in this folder, and what it prints is its answer. Repeatable.",
    ),
    click.Option(
        ["--output"],
        type=click.Choice(list(OUTPUTS)),
        help="What of a command's output must be equal: every byte (the usual), its lines in any order, its values as "
        "JSON, or none of it.",
    ),
]
_ANCHOR = key(RunRequest, "anchor", "PLACE", multiple=True, envvar="WEIGH_ANCHOR")
_RUN = [
    *_COMMANDS,
    *keys(ExperimentTable, starts=None, rounds=None, runs=None, duet=None, margin="FRACTION", confidence="LEVEL"),
    *keys(ExperimentTable, precision="FRACTION", rule=None, temperature=None, budget="TIME"),
    key(ExperimentTable, "quick", is_flag=True, default=None),
    click.Option(
        ["--witness"],
        metavar="SPEC",
        help="Engine of another lineage that answers in a gate beforehand and is not timed: where it agrees, the "
        "answers of the contenders are confirmed, e.g. datafusion for two versions of duckdb.",
    ),
    *switches(RunRequest, "same_engine"),
    key(RunRequest, "reuse_gate", default=True, envvar="WEIGH_REUSE_GATE"),
    _ANCHOR,
    CONTENTION,
    *switches(RunRequest, "resume"),
    click.Option(
        ["--streams"],
        type=click.IntRange(min=1),
        metavar="N",
        help="Of TPC-H and TPC-DS: a power test and throughput tests of so many query streams, with refresh functions; "
        "--starts says how often (5).",
    ),
    click.Option(["--strict"], is_flag=True, help="Exit 3 when a verdict is refused or unresolved."),
    click.Option(["--why"], is_flag=True, help="Afterwards profile what is SLOWER or FASTER, as weigh why does."),
]
_COST = [
    click.Option(
        ["--price"],
        multiple=True,
        metavar="[NAME=]PRICE",
        help="What executions are charged by, of one contender or of all: 5USD/TB scanned, 2USD/h, 3USD/credit, "
        "0.01USD/query, or a sum of these with +. What answers cost is then judged, too. Repeatable.",
    ),
    key(ExperimentTable, "spend", "AMOUNT"),
    *switches(RunRequest, "plan"),
]
_GATE = [
    *_COMMANDS,
    _ANCHOR,
    key(RunRequest, "pin", "FILE", type=click.Path(path_type=Path, dir_okay=False)),
    key(RunRequest, "trust", "NAME"),
    *switches(RunRequest, "corrupt"),
]


@click.command(cls=ValuedCommand, params=[*_EXPERIMENT, *_RUN, *_COST, *OUTPUT])
def run(**flags: Any) -> None:
    """Run the experiment of FILE, of weigh.toml, or the one that the flags describe.

    Before any clock starts the answers of all contenders are checked; an operation on which one is wrong is timed
    for nobody.

    \b
    weigh run --data sales/ --sql queries/ --contender duckdb --contender polars
    weigh run --contender duckdb --contender chdb --scale 1M
    weigh run --contender old=duckdb@1.5.5 --contender new=duckdb@2.0.0 --baseline old
    weigh run --command 'old=./sort.sh data.txt' --command 'new=./faster.sh data.txt'
    weigh run --contender duckdb --vary threads=1,2
    """
    carry_out(**flags)


def carry_out(
    *,
    file: Path | None,
    out: Path,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    strict: bool,
    witness: str | None,
    why: bool = False,
    streams: int | None = None,
    **flags: Any,
) -> None:
    """The experiment that a file and flags ask for; prints what was found, and ends with its exit code."""
    if not flags.get("plan"):
        _refuse_unknown_contenders(file, flags)
    spec, request = requested(file, flags, out, quiet=quiet)
    if streams:
        from weigh.cli.experiment.streams import run_streams

        return run_streams(spec, request, streams, flags, as_json=as_json, quiet=quiet, strict=strict)
    if request.plan:
        return _preview(spec, request, as_json=as_json)
    if not quiet:
        _say_unnamed(file, flags, spec, request)
        _say_length(spec, request)
    printing = Printing(as_json, verbose, quiet)
    if witness:
        from weigh.cli.experiment.witness import witnessed
        from weigh.experiment.report import files

        spec, request, disagreed = witnessed(spec, request, witness, progress(quiet), files.write)
        if disagreed:
            _show(*disagreed, printing)
    return run_and_print(spec, request, printing, strict=strict, why=why)


def _refuse_unknown_contenders(file: Path | None, flags: dict[str, Any]) -> None:
    """Before data is read and converted for them."""
    from weigh.experiment import request

    request.known_contenders(tables_of(file)[0], flags)


def _preview(spec: Spec, request: RunRequest, *, as_json: bool) -> None:
    from weigh.experiment import preview, setup

    setup.check(spec, request)
    found = preview.preview(spec, request)
    if as_json:
        print_json(msgspec.json.encode({"schema": preview.SCHEMA, **msgspec.to_builtins(found)}))
    else:
        for line in preview.lines(found):
            say(line)


@click.command(cls=ValuedCommand, params=[*_EXPERIMENT, *_GATE, *_COST, *OUTPUT])
def gate(file: Path | None, out: Path, as_json: bool, verbose: bool, quiet: bool, **flags: Any) -> None:
    """Check the answers of all contenders, and time nothing."""
    spec, request = requested(file, flags, out, quiet=quiet)
    request = dataclasses.replace(request, measure=False)
    if request.plan:
        return _preview(spec, request, as_json=as_json)
    if not quiet:
        _say_unnamed(file, flags, spec, request)
    return run_and_print(spec, request, Printing(as_json, verbose, quiet))


def requested(
    file: Path | None, flags: dict[str, Any], out: Path, *, adaptive: bool = True, quiet: bool = False
) -> tuple[Spec, RunRequest]:
    """The spec, and how it is carried out, as far as flags say."""
    from weigh.experiment import request

    return request.requested(*tables_of(file), flags, out, command_line(), progress(quiet), adaptive=adaptive)


def _say_unnamed(file: Path | None, flags: dict[str, Any], spec: Spec, request: RunRequest) -> None:
    """What is asked of which data, where the user names neither; nothing of an experiment that cannot be."""
    from weigh.experiment import setup

    if tables_of(file)[0] is not None or any(flags.get(name) for name in _WHAT):
        return
    setup.check(spec, request)
    say(
        "weigh: no weigh.toml here and no --workload: what is asked is weigh's netflow, 1M rows that it makes. Your "
        "own data: --data FILES --sql FILE; less of this: --scale 20K, --operations by_action",
        err=True,
    )


def _say_length(spec: Spec, request: RunRequest) -> None:
    """What is measured, and for how long, before anything is: nobody is to wait in the dark."""
    from weigh.experiment import setup
    from weigh.model.spec import QUICK

    if spec.budget is None:
        return
    setup.check(spec, request)
    names = [one.name for one in spec.contenders]
    what = f"{names[0]} is timed alone" if len(names) == 1 else f"{len(names)} contenders are timed"
    most = "at most" if spec.precision is not msgspec.UNSET else "about"
    shorter = "" if spec.budget <= QUICK else "; --quick takes 30 s"
    say(
        f"weigh: the answers are checked first, then {what} for {most} {duration(spec.budget)} (--budget{shorter})",
        err=True,
    )


def tables_of(file: Path | None) -> tuple[File | None, Path | None]:
    """What weigh.toml says, and where it lies: the file that is named, or the one in the working directory."""
    from weigh.experiment.config.file import DEFAULT_FILE, read_file

    if file is None and DEFAULT_FILE.exists():
        file = DEFAULT_FILE
    return (read_file(file) if file else None), file


def run_and_print(
    spec: Spec, request: RunRequest, printing: Printing, *, strict: bool = False, why: bool = False
) -> None:
    """Carry out an experiment, print what it found, and end with its exit code."""
    from weigh.experiment import run as experiment
    from weigh.experiment.report import files

    written: dict[Path, ExperimentResults] = {}

    def write(folder: Path) -> None:
        written[folder] = files.write(folder)

    folder = experiment.run(spec, request, progress(printing.quiet), write)
    # One that had ended before is read.
    results = written.get(folder) or files.read(folder)
    code = int(results.exit_code(strict=strict))
    _print(folder, results, printing)
    if why:
        from weigh.cli.why import explain_after

        # One document is on stdout: that of the run.
        explain_after(folder, request.user_files, silent=printing.as_json, quiet=printing.quiet)
    click.get_current_context().exit(code)


def _show(folder: Path, results: ExperimentResults, printing: Printing) -> None:
    """Print what was found, and end with its exit code."""
    _print(folder, results, printing)
    click.get_current_context().exit(int(results.exit_code()))


def _print(folder: Path, results: ExperimentResults, printing: Printing) -> None:
    from weigh.experiment.report import files
    from weigh.kinds.table import RUN

    if printing.as_json:
        print_json((folder / files.VERDICTS).read_bytes())
    else:
        print_rich((RUN.whole if printing.verbose else RUN.text)(results, str(folder)))


def command_line() -> str:
    """The command line that does it again from the beginning, as a shell would take it."""
    words = ["weigh", *(word for word in sys.argv[1:] if word not in ("--resume", "--verbose", "--why"))]
    context = click.get_current_context()
    words = [*words[:2], *each_once(context.command, words[2:])]
    if context.get_parameter_source("contention") is click.core.ParameterSource.ENVIRONMENT:
        # It is part of the experiment, and no variable of the environment can be observed in a report.
        words += ["--contention", context.params["contention"]]
    return shlex.join(words)
