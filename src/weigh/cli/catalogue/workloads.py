"""``weigh workloads`` and ``weigh workloads audit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.data_flags import DATA_FLAGS
from weigh.cli.keys import keys, taking
from weigh.cli.output import print_json, say, say_item, say_rows
from weigh.cli.progress import progress
from weigh.cli.subcommands import Subcommands
from weigh.experiment.config.tables import ExperimentTable

if TYPE_CHECKING:
    from weigh.experiment.suite.audit import Audit

_NAMES = 6
"""Operations with one problem that are named without ``--verbose``."""
_TITLES = {
    "constant": ("reads no table", "read no table"),
    "empty": ("answers nothing", "answer nothing"),
    "duplicate": ("asks what another one asks", "ask what another one asks"),
    "too_fast": ("is too fast to be timed", "are too fast to be timed"),
    "generated": ("asks rows that the engine makes itself", "ask rows that the engine makes itself"),
    "noisy": ("is noisier than what is asked", "are noisier than what is requested"),
    "fails": ("is not answered", "are not answered"),
}
"""Of one operation, and of several."""


@click.group(cls=Subcommands, invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.pass_context
def workloads(context: click.Context, as_json: bool) -> None:
    """List the workloads that an experiment can name."""
    if context.invoked_subcommand:
        return
    from weigh import workloads as registry
    from weigh.workloads.user_sql import Folder

    rows = [{"name": name, "dataset": registry.load(name).dataset} for name in registry.names()]
    rows.append({"name": Folder.name, "dataset": Folder.dataset})
    if as_json:
        print_json({"schema": "weigh/workloads/1", "workloads": rows})
        return
    user_queries = "your own queries over your own files (weigh init); a folder of questions: ./queries/"
    say_rows(
        [
            (row["name"], user_queries if row["name"] == Folder.name else f"over dataset {row['dataset']}")
            for row in rows
        ],
        (12,),
    )


@workloads.command()
@click.argument("workload")
@click.option(
    "--contender", multiple=True, metavar="SPEC", help="Who is asked: ENGINE[@VERSION] ... Repeatable [duckdb]."
)
@taking(*DATA_FLAGS)
@click.option("--scale", metavar="SCALE", help="Of the workload's data, as weigh run takes it.")
@taking(*keys(ExperimentTable, operations="A,B,...", margin="FRACTION"))
@click.option("--precision", metavar="FRACTION", help="How wide an interval may be to each side [0.45 of the margin].")
@click.option("--verbose", is_flag=True, help="Every operation with a problem, and every key of every file.")
@click.option("--strict", is_flag=True, help="Exit 3 when an operation is noisier than what is asked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def audit(
    workload: str, operations: str | None, verbose: bool, strict: bool, as_json: bool, quiet: bool, **flags: Any
) -> None:
    """Say which operations of WORKLOAD measure nothing; a workload's name, or a folder of questions.

    Those that read no table, answer nothing, ask what another one asks, or are too fast to be timed; then those that
    scatter more than a session can average out. Exit 1 when one measures nothing.
    """
    from weigh.cli.experiment.run import requested
    from weigh.experiment.suite.audit import NOTHING
    from weigh.experiment.suite.audit import audit as audited
    from weigh.model.errors import ExitCode

    chosen = [name.strip() for name in operations.split(",") if name.strip()] if operations else None
    contenders = flags.pop("contender")
    spec, request = requested(
        None,
        {
            **flags,
            "workload": workload,
            "contender": contenders or (None if Path("weigh.toml").exists() else ("duckdb",)),
            "operations": chosen,
        },
        Path(),
        quiet=quiet,
    )
    found = audited(spec, request, progress(quiet))
    if as_json:
        print_json({"schema": "weigh/audit/1", "workload": workload, **_document(found)})
    else:
        _say(found, verbose=verbose)
    kinds = {one.kind for one in found.problems}
    code = ExitCode.OK
    if kinds & set(NOTHING):
        code = ExitCode.FOUND
    elif "noisy" in kinds and strict:
        code = ExitCode.INCONCLUSIVE
    click.get_current_context().exit(int(code))


def _document(found: Audit) -> dict[str, Any]:
    return {
        "operations": found.operations,
        "measures_nothing": found.nothing,
        "problems": found.problems,
        "left_out": found.left_out,
        "unread": found.unread,
        "unplanned": found.unplanned,
    }


def _say(found: Audit, *, verbose: bool) -> None:
    from weigh.model.text import one_line
    from weigh.model.units import count

    bad = len(found.nothing)
    total = count(len(found.operations), "operation")
    some = f"{bad:,} of {total} {'measures' if bad == 1 else 'measure'} nothing."
    say(some if bad else f"All of {total} measure something.", bold=True)
    for kind, titles in _TITLES.items():
        problems = [one for one in found.problems if one.kind == kind]
        if not problems:
            continue
        say(f"\n{len(problems):,} {titles[len(problems) > 1]}")
        if kind == "noisy" and len(problems) > _NAMES and 2 * len(problems) > len(found.operations):
            say("  Most of them are: the machine is busy, or the margin is too small for it (weigh doctor).")
        for one in problems if verbose else problems[:_NAMES]:
            who = f" ({', '.join(one.contenders)})" if one.contenders else ""
            say_item(f"{one_line(one.operation)}{who}: {one_line(one.text, 300)}")
        if len(problems) > _NAMES and not verbose:
            say(f"  and {len(problems) - _NAMES:,} more: --verbose or --json")
    if found.left_out:
        are = "is" if len(found.left_out) == 1 else "are"
        say(f"\n{count(len(found.left_out), 'question')} of the suite {are} not asked")
        for left in found.left_out if verbose else found.left_out[:_NAMES]:
            say_item(f"{one_line(left.name)}: {one_line(left.why, 300)}")
        if len(found.left_out) > _NAMES and not verbose:
            say(f"  and {len(found.left_out) - _NAMES:,} more: --verbose or --json")
    _say_keys(found, verbose=verbose)
    for name in found.unplanned:
        say(f"\nPlans of {name} cannot be read here: whether an operation reads a table is not reported of it.")


def _say_keys(found: Audit, *, verbose: bool) -> None:
    from weigh.model.text import one_line

    keys: dict[tuple[str, str], list[str]] = {}
    for one in found.unread:
        keys.setdefault((one.key, one.why), []).append(one.file)
    if not keys:
        return
    say("\nkeys of the files without effect")
    for (key, why), files in sorted(keys.items(), key=lambda pair: bool(pair[0][1])):
        where = ", ".join(files) if verbose else files[0] + (f" and {len(files) - 1:,} more" if files[1:] else "")
        say_item(f"{one_line(key)}: {why or 'not understood'} ({one_line(where, 1000 if verbose else 120)})")
