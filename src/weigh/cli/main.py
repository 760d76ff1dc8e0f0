"""``weigh``: the group of commands. Each lives in a module of its own that is imported when it is called."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.commands import COMMANDS, GROUPS, require_linux
from weigh.cli.output import say, say_failure
from weigh.cli.progress import forget_if_gone

if TYPE_CHECKING:
    from collections.abc import Iterator

_ELSEWHERE = {
    "bench": "run",
    "benchmark": "run",
    "describe": "data describe",
    "diff": "data diff",
    "digest": "data digest",
    "help": "--help",
    "list": "runs",
    "make": "data make",
    "obfuscate": "data obfuscate",
    "register": "data register",
    "replay": "load replay FOLDER",
    "show": "report",
    "suite": "run --workload FOLDER",
    "suites": "run --workload FOLDER",
    "tune": "doctor --tune",
    "version": "--version",
}
"""Words that are no command, and what does that."""


class _ReaderGone(Exception):
    """Whoever read our output has ended. click would end with 1 by itself, which means that something was found."""


@contextmanager
def _reader() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderGone from error


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """As click does; ``--help`` prints here."""
        with _reader():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does."""
        with _reader():
            try:
                _somewhere()
                return super().invoke(ctx)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of their groups."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command.

        Raises:
            EnvironmentFault: it needs Linux, and this is none.
        """
        if cmd_name not in COMMANDS:
            return None
        found = COMMANDS[cmd_name]
        if found.linux:
            require_linux(cmd_name)
        command = getattr(importlib.import_module(found.module), found.attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or name the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from weigh.model.errors import nearest

            if args[0] in _ELSEWHERE:
                ctx.fail(f"there is no command '{args[0]}'; did you mean 'weigh {_ELSEWHERE[args[0]]}'?")
            ctx.fail(f"there is no command '{args[0]}'; {nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The groups of commands, one column for all names."""
        width = max(map(len, COMMANDS))
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", one.about) for name, one in group.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="weigh")
def cli() -> None:
    """Benchmarks of data engines whose result can be believed.

    weigh checks the answers before it starts a clock, reports its own noise, and keeps evidence from which every
    number can be recomputed. Begin with `weigh demo`; then `weigh init` for your own data, or
    `weigh run --contender duckdb --contender chdb`.

    \b
    Exit codes:
      0    nothing found
      1    a wrong answer, a failed verify, or SLOWER than a declared baseline
      2    bad usage, or an environment or an engine failed: there is no result
      3    everything refused; with --strict anything refused or unresolved
      130  Ctrl-C
    """


def _somewhere() -> None:
    """Every command takes paths from where it is called."""
    try:
        Path.cwd()
    except OSError as error:
        from weigh.model.errors import EnvironmentFault

        raise EnvironmentFault(
            f"the current folder cannot be used: {error.strerror}", remedy="cd to a folder that is there"
        ) from error


def main() -> None:
    """Entry point: every failure becomes one clear sentence and an exit code."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        # nohup has it ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message(), err=True)
        code = 2
    except click.exceptions.Abort as error:
        code = _interrupted(error.__cause__)
    except click.ClickException as error:
        code = say_failure(error.format_message(), "", _usage_hint(error))
    except KeyboardInterrupt as error:
        code = _interrupted(error)
    except _ReaderGone:
        code = 141
    except Exception as error:
        code = _explain(error)
    for stream in (sys.stdout, sys.stderr):
        # Python would complain once more when it flushes at exit.
        forget_if_gone(stream)
    sys.exit(code if isinstance(code, int) else 0)


class _Signalled(KeyboardInterrupt):
    """Ended from outside, but not by Ctrl-C.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _interrupt(number: int, _frame: object) -> None:
    raise _Signalled(number)


def _interrupted(error: BaseException | None) -> int:
    """What happened is reported; the code is 128 and the signal, as shells have it."""
    say_failure("interrupted", "", "", getattr(error, "__notes__", ()))
    return 128 + (error.number if isinstance(error, _Signalled) else signal.SIGINT)


_OWNERS = 6
"""Commands that are named for a flag that they have: what more of them have is no hint."""


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    parameter = getattr(error, "param", None)
    if context and isinstance(error, click.MissingParameter) and parameter and parameter.name == "evidence":
        return f"{context.command_path} latest takes the newest of runs; weigh runs lists them"
    owners = _owners(context, error.option_name) if context and isinstance(error, click.NoSuchOption) else ""
    elsewhere = f"it is a flag of {owners}; " if owners else ""
    return f"{elsewhere}see {context.command_path} --help" if context else "see weigh --help"


def _owners(context: click.Context, flag: str) -> str:
    """The commands that have the flag which another one does not know; empty where none does."""
    root = context.find_root()
    group = root.command
    commands = {name: group.get_command(root, name) for name in COMMANDS} if isinstance(group, click.Group) else {}
    names = [
        f"weigh {name}"
        for name, one in commands.items()
        if one is not None and any(flag in (*part.opts, *part.secondary_opts) for part in one.params)
    ]
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) if len(names) <= _OWNERS else ""


def _explain(error: Exception) -> int:
    from weigh.model.errors import WeighError, refusal, remedy_of

    if os.environ.get("WEIGH_DEBUG"):
        raise error
    if isinstance(error, WeighError):
        say_failure(error.what, error.where, error.remedy, getattr(error, "__notes__", ()))
        return int(error.exit_code)
    notes = getattr(error, "__notes__", ())
    if isinstance(error, OSError):
        return say_failure(refusal(error), str(error.filename or ""), remedy_of(error), notes)
    if isinstance(error, MemoryError):
        return say_failure("there is not enough memory", "", "end other programs, or raise ulimit -v", notes)
    if isinstance(error, RecursionError):
        return say_failure(
            "what it was given is nested too deep", "", "give it flatter: no form of weigh needs hundreds of levels"
        )
    from weigh.cli.native import outdated

    if why := outdated():
        return say_failure(why, "", "in a checkout run make, which builds it; else install weigh again")
    return say_failure(
        f"internal error: {type(error).__name__}: {error}",
        "",
        "this is a mistake of weigh; WEIGH_DEBUG=1 shows where",
    )
