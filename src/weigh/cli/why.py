"""``weigh why``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from weigh.cli.data_flags import DATA_FLAGS, SQL
from weigh.cli.evidence.path import evidence_argument, others_evidence
from weigh.cli.keys import taking
from weigh.cli.output import print_json, print_rich, say
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from weigh.experiment.config.user_data import UserFiles

_SECONDS = "2s"
_MOST = 600.0


@click.command()
@evidence_argument
@click.option(
    "--operation",
    "operations",
    multiple=True,
    metavar="NAME",
    help="Profile this one, changed or not. Repeatable [the five that changed most].",
)
@click.option("--contender", metavar="NAME", help="Only this one against the baseline [all].")
@click.option(
    "--sample", metavar="TIME", default=_SECONDS, show_default=True, help="How long each side is sampled, by each way."
)
@click.option(
    "--workload", metavar="FOLDER", help="The folder of questions, of evidence of a suite [that of weigh.toml]."
)
@taking(*DATA_FLAGS, SQL)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Where your own data and queries are, of evidence of the workload sql [weigh.toml].",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where profiles, stacks and page go [why-EVIDENCE alongside the evidence].",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/why/1).")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def why(
    evidence: Path,
    operations: tuple[str, ...],
    contender: str | None,
    sample: str,
    workload: str | None,
    data: tuple[str, ...],
    csv: str | None,
    sql: str | None,
    config: Path | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Profile what a run found SLOWER or FASTER, and name the operators and functions that moved.

    Both contenders are started again as the evidence describes them, on this machine, in processes that nobody times.
    The evidence is not changed. Its engines and packages are executed: profile evidence whose contenders you would run.
    `latest` is the newest of runs.
    """
    with others_evidence(evidence):
        user_files = _user_files(
            evidence, config, {"workload": workload, "data": data, "csv": csv, "sql": sql}, quiet=quiet
        )
        question = Wanted(operations, contender, sample, out)
        explain(evidence, question, user_files=user_files, as_json=as_json, quiet=quiet)


class Wanted(NamedTuple):
    """What is profiled, for how long each side is sampled, and where it goes."""

    operations: tuple[str, ...] = ()
    contender: str | None = None
    sample: str = _SECONDS
    out: Path | None = None


def explain(
    evidence: Path,
    question: Wanted | None = None,
    *,
    user_files: UserFiles | None,
    as_json: bool = False,
    silent: bool = False,
    quiet: bool = False,
) -> None:
    """Profile, and print what was found.

    Args:
        evidence: of a run.
        question: what; None: what changed most.
        user_files: the user's own data and queries, for the workload ``sql``.
        as_json: print one JSON document.
        silent: print nothing on stdout, and say where it was written.
        quiet: no progress.

    Raises:
        UsageError: it cannot be profiled.
        WeighError: as of :func:`weigh.experiment.profile.run.why`.
    """
    from weigh.experiment.profile import files
    from weigh.experiment.profile.run import WhyRequest
    from weigh.experiment.profile.run import why as profiled
    from weigh.experiment.profile.terminal import report
    from weigh.kinds.table import RUN, kind_of
    from weigh.model.errors import UsageError
    from weigh.model.units import parse_duration

    question = question or Wanted()
    seconds = parse_duration(question.sample)
    if not 0 < seconds <= _MOST:
        raise UsageError(f"--sample {question.sample}: a side is sampled for more than nothing and at most 10m")
    kind = kind_of(evidence)
    if kind is not RUN:
        inside = kind.name in ("ladder", "reproduction")
        remedy = kind.named_inside(evidence) if inside else "name evidence of weigh run"
        raise UsageError(f"{kind.noun} is not profiled", where=str(evidence), remedy=remedy)
    place = question.out or files.folder_of(evidence)
    request = WhyRequest(
        operations=question.operations, contender=question.contender, seconds=seconds, user_files=user_files
    )
    found = profiled(evidence, request, place, progress(quiet))
    if as_json:
        print_json(found)
    elif not silent:
        print_rich(report(found, str(place / files.PAGE)))
    if found.changes and (as_json or silent) and not quiet:
        say(f"written: {place}", err=True)


def explain_after(evidence: Path, user_files: UserFiles | None, *, silent: bool, quiet: bool) -> None:
    """Profile a run that has just ended; where that fails it is reported, and the run's own exit code stands.

    Args:
        evidence: of the run.
        user_files: as it had them.
        silent: print nothing on stdout.
        quiet: no progress.
    """
    from weigh.model.errors import WeighError
    from weigh.model.text import one_line

    try:
        explain(evidence, user_files=user_files, silent=silent, quiet=quiet)
    except WeighError as error:
        say(one_line(f"not profiled: {error}"), err=True)
        say(f"  {one_line(error.remedy)}", err=True)


def _recorded(evidence: Path) -> dict[str, Any]:
    """Data and queries as the command line of a run names them: paths of the folder where it was typed."""
    from weigh.experiment.record import read

    environment = read(evidence).environment
    try:
        words = shlex.split(environment.command) if environment else []
    except ValueError:
        words = []
    root = click.get_current_context().find_root()
    assert isinstance(root.command, click.Group)
    run = root.command.get_command(root, "run")
    given = run.make_context("run", words[2:], resilient_parsing=True).params if run and words[1:2] == ["run"] else {}
    elsewhere = any(given.get(name) for name in ("file", "frames", "ingest"))
    return {} if elsewhere else {name: given.get(name) for name in ("workload", "data", "csv", "sql")}


def _user_files(evidence: Path, config: Path | None, options: dict[str, Any], *, quiet: bool) -> UserFiles | None:
    """The user's own data and queries, if they are what was measured.

    Raises:
        UsageError: nobody says where they are.
        DataFault: they are others.
    """
    from weigh.experiment.config.file import DEFAULT_FILE, read_file
    from weigh.experiment.record import read_spec
    from weigh.experiment.suite import user_data as suite
    from weigh.kinds.table import RUN, kind_of
    from weigh.model.errors import DataFault, UsageError, WeighError

    if kind_of(evidence) is not RUN or (spec := read_spec(evidence)).user_data is None:
        return None
    path = config or (DEFAULT_FILE if DEFAULT_FILE.exists() else None)
    if config is None and not any(options.values()):
        remedy = (
            "call it where weigh.toml is, name it (--config FILE), or name what was measured: "
            "--data FILES --sql PATH, or --workload FOLDER"
        )
        what = "it was measured on data of your own, and "
        # A run takes them in the place of those of weigh.toml.
        recorded = _recorded(evidence)
        if path is None and not any(recorded.values()):
            raise UsageError(f"{what}there is no weigh.toml that says where it is", remedy=remedy)
        try:
            if any(recorded.values()):
                return _user_files(evidence, None, recorded, quiet=quiet)
        except WeighError as error:
            text = f"{what}its own command line does not lead to it from here: {error}"
            raise UsageError(text, remedy=remedy) from error
    table, flags = read_file(path) if path else None, options
    if not (table and table.contender):
        # Result schemas of a suite are read off the answers of those that were measured.
        flags = {**flags, "contender": tuple(dict.fromkeys(one.spec for one in spec.contenders))}
    if not flags["sql"] and suite.named(table, path, flags) is None:
        flags = {**flags, "workload": spec.workload}
    read, _ = suite.user_data(table, path, flags, progress(quiet))
    user_files = read()
    if user_files is None or user_files.content() != spec.user_data:
        raise DataFault(
            "its data or queries are others than were measured",
            where=str(path or options["workload"] or options["sql"] or ", ".join(options["data"])),
            remedy="measure again, and profile that",
        )
    return user_files
