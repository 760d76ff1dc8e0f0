"""``weigh run`` and ``weigh gate``."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from weigh.cli.output import print_json, print_rich
from weigh.cli.progress import progress
from weigh.kinds.folder import DEFAULT_OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from weigh.experiment.config.file import File
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.spec import Spec


class Printing(NamedTuple):
    """What is printed: one JSON document, or the first screen, or all; and progress, unless it is quiet."""

    as_json: bool
    verbose: bool
    quiet: bool


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags that define an experiment; each wins over weigh.toml."""
    flags = (
        click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False)),
        click.option(
            "--contender",
            multiple=True,
            metavar="SPEC",
            help="What is compared: ENGINE[@VERSION] with pins and settings, clickbench:FOLDER, or a name of "
            "weigh.toml; VERSION may be a wheel, a folder or git:REVISION. Repeatable.",
        ),
        click.option(
            "--vary",
            multiple=True,
            metavar="[CONTENDER:]KEY=A,B,...",
            help="Contenders take part once for each value of a setting; threads stands for each engine's own. "
            "Repeatable.",
        ),
        click.option(
            "--baseline",
            metavar="NAME",
            help="Name of the contender that the others are compared with, of weigh.toml too, or NAME=ENGINE@VERSION "
            "[the first contender].",
        ),
        click.option(
            "--workload",
            metavar="NAME",
            help="netflow, tpch, tpch-dbgen, sql (your own data), a plug-in's, or a folder of questions: ./queries/ "
            "[netflow].",
        ),
        click.option(
            "--data",
            metavar="NAME",
            help="Your own tables, registered under that name (weigh data register), in the place of those of [sql] in "
            "weigh.toml.",
        ),
        click.option(
            "--ingest/--no-ingest",
            default=None,
            help="Measure loading the tables into each engine, and not the queries: time, stored bytes, time until the "
            "first query is answered [no].",
        ),
        click.option("--operations", metavar="A,B,...", callback=_comma, help="Only these operations."),
        click.option(
            "--scale",
            metavar="SCALE",
            help="Rows of netflow, e.g. 20K, 1500; scale factor of TPC-H, e.g. 0.01, SF10 [1M of netflow, 1 of TPC-H].",
        ),
        click.option(
            "--seed",
            type=int,
            help="Seed of the data where it has one, of the order of turns, of the choice of literals [42].",
        ),
        click.option(
            "--truth/--no-truth",
            default=None,
            help="Whether what is known about the data (truth, published answers) is a witness in the gate [yes].",
        ),
        click.option(
            "--answers",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="File of pinned answers, the first witness of the gate.",
        ),
        click.option("--timeout", metavar="TIME", help="Ends one execution: 90s, 10m, 1h30m, 500ms [120s]."),
        click.option(
            "--affinity",
            metavar="CPUS",
            help="Keeps every contender on these CPUs, e.g. 0-3,8 [all that weigh may use].",
        ),
        click.option(
            "--memory-limit", metavar="SIZE", help="Limits every contender to that memory, e.g. 4G, 512MiB [no limit]."
        ),
        click.option(
            "--store",
            metavar="NAME",
            help="Where the data of contenders lies that name no store: file, tmpfs, s3 or one of weigh.toml [file].",
        ),
        click.option(
            "--expect-storage", metavar="KIND", help="Exit 2 where the data lies on another kind of storage, e.g. nvme."
        ),
        click.option(
            "--shrink/--no-shrink",
            default=True,
            envvar="WEIGH_SHRINK",
            help="Whether a divergence in the gate is reduced to a small example, 60 seconds each [yes].",
        ),
    )
    return _with(flags, command)


def output_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """The flags of where results go; they come last."""
    return _with((_out, _json, _verbose, _quiet), command)


def _with(flags: Iterable[Callable[..., Any]], command: Callable[..., Any]) -> Callable[..., Any]:
    """A command with more flags, in their order."""
    for flag in reversed(tuple(flags)):
        command = flag(command)
    return command


def _comma(_context: click.Context, _option: click.Parameter, value: str | None) -> list[str] | None:
    if value is None:
        return None
    names = [part.strip() for part in value.split(",") if part.strip()]
    if not names:
        raise click.BadParameter("names no operation")
    return names


_out = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=DEFAULT_OUT,
    metavar="DIR",
    help="Where the evidence goes [runs].",
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/1).")
_verbose = click.option("--verbose", is_flag=True, help="All that there is to say, below the first screen.")
_quiet = click.option("--quiet", is_flag=True, help="No progress on stderr.")


contention_flag = click.option(
    "--contention",
    metavar="FRACTION",
    envvar="WEIGH_CONTENTION",
    help="Share of the CPU that others may use, on both sides of a comparison without a warning, and on one side more "
    "than on the other before it is refused; 100% allows any [5%].",
)


@click.command()
@_options
@click.option(
    "--starts",
    type=int,
    help="Exactly so many fresh starts of every contender, each a new process; with --precision the most [as many as "
    "the precision needs].",
)
@click.option(
    "--rounds", type=int, help="Turns of every contender in a start, for each operation [chosen from costs and noise]."
)
@click.option("--runs", type=int, help="Timed executions in a turn [chosen from what an execution takes].")
@click.option(
    "--duet/--no-duet",
    default=None,
    help="Each contender executes at the same moment as the baseline, each on half of the CPUs [no].",
)
@click.option("--margin", metavar="FRACTION", help="The smallest change that matters, 3% or 0.03 [3%].")
@click.option("--confidence", metavar="LEVEL", help="Confidence level of the interval of the ratio [0.99].")
@click.option(
    "--precision",
    metavar="FRACTION",
    help="Stop when every interval is at most that wide to each side, 2% or 0.02 [0.45 of the margin].",
)
@click.option("--rule", metavar="clickhouse", help="A second opinion next to each verdict, by that rule.")
@click.option(
    "--temperature",
    metavar="hot|cold|both",
    help="Whether the data is in memory when the clock starts, proven either way [hot].",
)
@click.option("--budget", metavar="TIME", help="Time for measuring, e.g. 10m, or none [5m; none with --starts].")
@click.option(
    "--witness",
    metavar="SPEC",
    help="Engine of another lineage that answers in a gate beforehand and is not timed: where it agrees, the answers "
    "of the contenders are confirmed, e.g. datafusion for two versions of duckdb.",
)
@click.option(
    "--same-engine",
    is_flag=True,
    help="Measure two versions that load one and the same engine all the same, as an A/A, and do not refuse.",
)
@contention_flag
@click.option("--resume", is_flag=True, help="Go on with the latest attempt where it was killed or interrupted.")
@click.option("--strict", is_flag=True, help="Exit 3 when a verdict is refused or unresolved.")
@click.option("--why", is_flag=True, help="Afterwards profile what is SLOWER or FASTER, as weigh why does.")
@output_flags
def run(**flags: Any) -> None:
    """Run the experiment of FILE, of weigh.toml, or the one that the flags describe.

    Before any clock starts the answers of all contenders are checked; an operation on which one is wrong is timed
    for nobody.

    \b
    weigh run --contender duckdb --contender chdb --scale 1M
    weigh run --contender old=duckdb@1.5.5 --contender new=duckdb@2.0.0 --baseline old
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
    resume: bool,
    witness: str | None,
    why: bool = False,
    same_engine: bool = False,
    **flags: Any,
) -> None:
    """The experiment that a file and flags ask for; prints what was found, and ends with its exit code."""
    spec, request = requested(file, flags, out, quiet=quiet)
    printing = Printing(as_json, verbose, quiet)
    if witness:
        from weigh.cli.experiment.witness import witnessed
        from weigh.experiment.report import files

        spec, request, disagreed = witnessed(spec, request, witness, progress(quiet), files.write)
        if disagreed:
            _show(*disagreed, printing)
    run_and_print(
        spec, dataclasses.replace(request, resume=resume, same_engine=same_engine), printing, strict=strict, why=why
    )


@click.command()
@_options
@click.option(
    "--pin",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the answers that agreed with a witness in FILE, for --answers.",
)
@click.option("--trust", metavar="NAME", help="With --pin: keep all answers of this contender; you vouch for them.")
@click.option(
    "--corrupt",
    is_flag=True,
    help="Ask again over a copy of the data with one flipped bit, and note who raises, and who answers otherwise.",
)
@output_flags
def gate(
    file: Path | None,
    out: Path,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    pin: Path | None,
    trust: str | None,
    corrupt: bool,
    **flags: Any,
) -> None:
    """Check the answers of all contenders, and time nothing."""
    spec, request = requested(file, flags, out, quiet=quiet)
    request = dataclasses.replace(request, measure=False, pin=pin, trust=trust, corrupt=corrupt)
    run_and_print(spec, request, Printing(as_json, verbose, quiet))


def requested(
    file: Path | None, flags: dict[str, Any], out: Path, *, adaptive: bool = True, quiet: bool = False
) -> tuple[Spec, RunRequest]:
    """The spec, and how it is carried out as far as the flags of every command say."""
    from weigh.experiment.config import named_files
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.config.spec import make_spec
    from weigh.experiment.suite.own import own_data

    table, file = tables_of(file)
    shrink = flags.pop("shrink")
    own, flags = own_data(table, file, flags, progress(quiet))
    spec = make_spec(table, flags, own, adaptive=adaptive)
    answers = named_files.answers_path(table, flags)
    return spec, RunRequest(root=out, command=command_line(), answers=answers, own=own, shrink=shrink)


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
        explain_after(folder, request.own, silent=printing.as_json, quiet=printing.quiet)
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
    if context.get_parameter_source("contention") is click.core.ParameterSource.ENVIRONMENT:
        # It is part of the experiment, and no variable of the environment can be seen in a report.
        words += ["--contention", context.params["contention"]]
    return shlex.join(words)
