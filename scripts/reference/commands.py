"""The regions of docs/reference/commands.md: commands, flags and exit codes, as click and the code have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import click

from reference import json_documents
from reference.markdown import code, code_flags, link, prose, table
from weigh.cli.keys import meanings, with_default
from weigh.cli.main import cli
from weigh.model.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

_METHOD = "docs/concept/method.md"
_LOAD = "docs/guide/load.md"
_COMMAND_PAGES = {
    "demo": "docs/guide/tutorial.md",
    "doctor": "docs/guide/doctor.md",
    "doctor storage": "docs/guide/doctor.md#weigh-doctor-storage",
    "init": "docs/guide/your-own-data.md",
    "gate": "docs/concept/answers.md",
    "ladder": "docs/guide/ladder.md",
    "ladder --load": "docs/guide/load-ladder.md",
    "layout": "docs/guide/layouts.md",
    "load": _LOAD,
    "report": "docs/guide/read-the-report.md",
    "verify": "docs/reference/evidence.md",
    "sign": "docs/reference/evidence.md#the-seal-and-what-it-cannot-stop",
    "compare": "docs/guide/compare.md",
    "history add": "docs/guide/history.md",
    "history show": "docs/guide/history.md#candidates",
    "history confirm": "docs/guide/history.md#confirm",
    "judge": "docs/guide/judge.md",
    "why": "docs/guide/why.md",
    "engines": "docs/reference/engines.md",
    "workloads": "docs/reference/workloads.md",
    "workloads audit": "docs/guide/suites.md#what-measures-nothing",
    "lies": "docs/reference/lies.md",
}
"""Where a command is explained."""
_FLAG_PAGES = {
    "run": {
        "--contender": "docs/reference/commands.md#contenders",
        "--shrink": "docs/concept/answers.md#reproducers",
        "--resume": "docs/reference/evidence.md#resuming",
    },
    "ladder": {"--load": "docs/guide/load-ladder.md"},
    "load": {
        "--crash": "docs/guide/durability.md",
        "--nemesis": "docs/guide/disturb.md#faults",
        "--during": "docs/guide/disturb.md#with-it-and-without-it",
    },
    "verify": {
        "--sql": "docs/reference/evidence.md#a-second-implementation",
        "--key": "docs/reference/evidence.md#the-seal-and-what-it-cannot-stop",
    },
    "judge": {
        "--format": "docs/guide/judge.md#what-is-read",
        "--unit": "docs/guide/judge.md#what-is-read",
        "--rule": "docs/concept/statistics.md#a-second-opinion",
    },
}
"""Where a flag is explained that is no key of weigh.toml, by command."""
_FAMILIES = {"gate": "run", "ladder": "run", "ladder --load": "load", "layout": "run", "demo": "run"}
"""Commands that take flags of another one: only those that it does not have, or that mean something else, are told."""

_SCHEMA = re.compile(r",? ?(?:with --effect )?\(schema [\w/-]+\)")


class Flag(NamedTuple):
    """One flag of a command.

    Attributes:
        names: how it may be written, the long form first: ``--define``, ``-D``.
        metavar: what it takes; empty where it takes nothing.
        default: in Markdown; empty without one.
        meaning: one sentence in Markdown.
    """

    names: tuple[str, ...]
    metavar: str
    default: str
    meaning: str


def blocks() -> dict[str, str]:
    """Contents of the page's regions by name."""
    found = {"commands": _commands(), "exit codes": _exit_codes()}
    for name, command in every():
        if flags(name, command):
            found[f"flags of weigh {name}"] = _flags(name, command)
    return found


def every() -> Iterator[tuple[str, click.Command]]:
    """Every command that can be called, by its words after ``weigh``, in the order of ``weigh --help``."""
    yield from _within(cli, "")


def _within(group: click.Group, prefix: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield prefix + name, command
        if (of_loads := getattr(command, "of_loads", None)) is not None:
            yield f"{prefix}{name} --load", of_loads
        if isinstance(command, click.Group):
            yield from _within(command, f"{prefix}{name} ")


def flags(name: str, command: click.Command) -> list[Flag]:
    """The flags of a command in its order, ``--help`` apart.

    Args:
        name: its words after ``weigh``.
        command: it.
    """
    pages = {**_FLAG_PAGES.get(_FAMILIES.get(name, name), {}), **_FLAG_PAGES.get(name, {})}
    context = click.Context(command)
    found = [_flag(one, context, pages) for one in command.params if isinstance(one, click.Option)]
    schemas = ", ".join(json_documents.printed_by(name))
    return [
        flag._replace(meaning=f"{flag.meaning}: {schemas}") if flag.names == ("--json",) else flag for flag in found
    ]


def _flag(option: click.Option, context: click.Context, pages: dict[str, str]) -> Flag:
    names = tuple(sorted(option.opts, key=len, reverse=True)) + tuple(option.secondary_opts)
    text, default = with_default(option.help or "")
    if option.show_default and not default:
        default = str(option.default)
    text_of_help = code_flags(_SCHEMA.sub("", text))
    if page := pages.get(names[0], getattr(option, "page", "")):
        text_of_help += f" ({link(page)})"
    if isinstance(option.envvar, str):
        text_of_help += f". Also set by the variable `{option.envvar}`"
    takes = "" if option.is_flag else (option.metavar or option.make_metavar(context))
    return Flag(names, takes, "required" if option.required else _default(default), text_of_help)


def _flags(name: str, command: click.Command) -> str:
    flags_of = flags(name, command)
    family = _FAMILIES.get(name)
    shared: list[Flag] = []
    if family:
        theirs = flags(family, dict(every())[family])
        shared = [flag for flag in flags_of if flag in theirs]
        flags_of = [flag for flag in flags_of if flag not in theirs]
    body = table(("flag", "default", "meaning"), [(_written(flag), flag.default, flag.meaning) for flag in flags_of])
    if not shared:
        return body
    return f"{body}\n\nAs of `weigh {family}`: {', '.join(' / '.join(map(code, flag.names)) for flag in shared)}."


def _written(flag: Flag) -> str:
    between = " / " if any(name.startswith("--no-") for name in flag.names) else ", "
    return between.join(code(f"{name} {flag.metavar}".strip()) for name in flag.names)


def _default(text: str) -> str:
    """Values as code; a default in words as it is."""
    parts = text.split(", ")
    if text and not any(" " in part for part in parts):
        return ", ".join(map(code, parts))
    return code_flags(text)


def _commands() -> str:
    return table(("command", "does"), [(_usage(name, command), _does(name, command)) for name, command in every()])


def _usage(name: str, command: click.Command) -> str:
    context = click.Context(command)
    takes = []
    for one in command.params:
        if isinstance(one, click.Argument):
            takes.append(one.make_metavar(context))
        elif isinstance(one, click.Option) and one.required:
            takes += [max(one.opts, key=len), one.metavar or one.make_metavar(context)]
    return code(" ".join(("weigh", name, *takes)))


def _does(name: str, command: click.Command) -> str:
    text_of_help = prose((command.help or "").split("\n\n")[0])
    page = _COMMAND_PAGES.get(name)
    return text_of_help + (f" ({link(page)})" if page else "")


def _exit_codes() -> str:
    code_meanings = meanings(ExitCode)
    return table(("code", "means"), [(str(int(one)), prose(code_meanings[one.name])) for one in ExitCode])
