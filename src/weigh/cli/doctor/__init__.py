"""``weigh doctor``."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from weigh.cli.output import print_json, print_rich, say
from weigh.cli.progress import progress
from weigh.cli.subcommands import Subcommands

if TYPE_CHECKING:
    from weigh.doctor.tuning import Change
    from weigh.host.sysfs import Machine

_MORE = {"storage": ("weigh.cli.doctor.storage", "storage")}


class _Doctor(Subcommands):
    """The command itself, and what it knows alongside that, imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MORE)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or name the nearest one."""
        if args and args[0] not in _MORE:
            from weigh.model.errors import nearest

            ctx.fail(f"there is no command '{args[0]}'; {nearest(args[0], _MORE)}")
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MORE:
            return None
        module, attribute = _MORE[cmd_name]
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Doctor, invoke_without_command=True)
@click.option("--tune", is_flag=True, help="Set what spoils and can be set, after asking; --restore undoes it.")
@click.option(
    "--restore",
    is_flag=True,
    help="Undo what --tune or --effect set, also after a crash, and say what could not be brought back.",
)
@click.option("--effect", metavar="KNOB", help="Measure what a knob does to the times of fixed work, and put it back.")
@click.option(
    "--blocks",
    type=click.IntRange(min=3),
    metavar="N",
    default=12,
    show_default=True,
    help="Blocks of --effect, each with both states of the knob in random order.",
)
@click.option("--yes", is_flag=True, help="With --tune: do not ask.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON document on stdout (schema weigh/doctor/1), with --effect (schema weigh/effect/1).",
)
@click.pass_context
def doctor(
    ctx: click.Context, tune: bool, restore: bool, effect: str | None, blocks: int, yes: bool, as_json: bool
) -> None:
    """What on this machine would spoil a measurement, and how to fix it.

    Every knob is fine, spoils, or cannot be seen. Nothing is changed without --tune (or --effect, which puts everything
    back). Exit 1 when something spoils.
    """
    from weigh.host.sysfs import Machine
    from weigh.model.errors import UsageError

    flags = [name for name, given in (("--tune", tune), ("--restore", restore), ("--effect", effect)) if given]
    if len(flags) > 1 or (flags and ctx.invoked_subcommand):
        more = [*flags, *([ctx.invoked_subcommand] if ctx.invoked_subcommand else [])]
        raise UsageError(f"{' and '.join(more)} cannot go together", remedy="ask for one of them")
    if ctx.invoked_subcommand:
        return
    for name, goes_with in (("yes", tune), ("blocks", effect)):
        if not goes_with and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            of = {"yes": "--tune", "blocks": "--effect"}[name]
            raise UsageError(f"--{name} goes with {of}", remedy=f"add {of}, or leave --{name} out")
    machine = Machine.here()
    if effect:
        _effect(machine, effect, blocks, as_json)
    elif restore:
        _restore(machine, as_json)
    else:
        _examine(machine, _tune(machine, yes) if tune else (), as_json)


def _examine(machine: Machine, changes: tuple[Change, ...], as_json: bool) -> None:
    from weigh.doctor import report, tuning
    from weigh.host import knobs
    from weigh.host.knobs.read import KnobState
    from weigh.model.errors import ExitCode

    reads = knobs.read(machine)
    snapshot = tuning.snapshot(machine)
    if as_json:
        print_json(report.document(reads, changes, snapshot))
    else:
        print_rich(report.examination(reads, changes, snapshot))
    spoils = any(read.state is KnobState.SPOILS for read in reads)
    code = ExitCode.FAILED if any(one.problem for one in changes) else ExitCode.FOUND if spoils else ExitCode.OK
    click.get_current_context().exit(int(code))


def _tune(machine: Machine, yes: bool) -> tuple[Change, ...]:
    from weigh.doctor import tuning
    from weigh.model.errors import UsageError

    wanted = tuning.wanted(machine)
    if not wanted:
        say("nothing that spoils can be set from here", err=True)
        return ()
    for change in wanted:
        say(f"{change.knob}: {change.place}: {change.before} -> {change.after}", err=True)
    if not yes and not _agreed("Set these? `weigh doctor --restore` undoes it."):
        raise UsageError("nothing was set: nobody agreed", remedy="answer y, or give --yes")
    return tuning.tune(machine)


def _agreed(question: str) -> bool:
    """Whether a person says yes. The end of the input is a no; an interrupt is none."""
    try:
        return click.confirm(question, err=True)
    except click.Abort as error:
        if isinstance(error.__context__, EOFError):
            say(err=True)
            return False
        raise


def _restore(machine: Machine, as_json: bool) -> None:
    from weigh.doctor import report, tuning
    from weigh.model.errors import ExitCode

    changes = tuning.restore(machine)
    if as_json:
        print_json(report.restored_document(changes))
    else:
        print_rich(report.restored(changes))
    failed = any(one.problem for one in changes)
    click.get_current_context().exit(int(ExitCode.FAILED if failed else ExitCode.OK))


def _effect(machine: Machine, name: str, blocks: int, as_json: bool) -> None:
    from weigh.doctor import effect, report

    found = effect.measure(machine, name, blocks, progress(as_json))
    if as_json:
        print_json(report.effect_document(found))
    else:
        print_rich(report.effect(found))
