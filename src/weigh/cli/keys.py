"""Flags that follow from the declarations of keys: their type, and in the words of the docstring what they mean."""

from __future__ import annotations

import copy
import inspect
import re
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

import click
import msgspec

from weigh.kinds.folder import DEFAULT_OUT
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

_Function = TypeVar("_Function", bound="Callable[..., Any]")
_ENTRY = re.compile(r"^([A-Za-z][\w, ]*): (.*)$")
_DEFAULT = re.compile(r"\s*\[([^\[\]]+)\]$")
_SENTENCE = re.compile(r"\. (?=[A-Z])")
_LINK = re.compile(r" ?\((docs/[\w/.#-]+)\)")
_CODE = re.compile(r"``(.*?)``")
_WORDS = {"True": "yes", "true": "yes", "False": "no", "false": "no"}


class Key(click.Option):
    """A flag that is a key of a table.

    Attributes:
        page: of the documentation that explains it: ``docs/concept/cold.md#first``; empty without one.
    """

    page: str = ""


class ValuedCommand(click.Command):
    """A command of whose flags none may be empty: that of a variable of the shell that is not set asks for nothing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, where every flag that was given has a value.

        Raises:
            UsageError: one has none.
        """
        for option, flag, value in _read(self, args):
            if option is not None and value is not None and not value.strip():
                raise UsageError(
                    f"{flag} has an empty value",
                    remedy=f"write {flag} {option.make_metavar(ctx)}, or leave it out",
                )
        return super().parse_args(ctx, args)


def each_once(command: click.Command, words: Sequence[str]) -> list[str]:
    """Words of a command line without flags that a later one takes the place of."""
    found: list[tuple[click.Option | None, list[str]]] = []
    for option, flag, value in _read(command, words):
        if option is not None and not option.multiple:
            found = [one for one in found if one[0] is not option]
        found.append((option, [flag] if value is None else [flag, value]))
    return [word for _, part in found for word in part]


def _read(command: click.Command, words: Iterable[str]) -> Iterator[tuple[click.Option | None, str, str | None]]:
    """Every flag with its value, None where it takes none; other words are of no option."""
    flags = {
        name: one
        for one in command.params
        if isinstance(one, click.Option)
        for name in (*one.opts, *one.secondary_opts)
    }
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        option = None if word == "--" else flags.get(name)
        if option is None:
            yield None, word, None
            if word == "--":
                yield from ((None, one, None) for one in rest)
        elif option.is_flag:
            yield option, word, None
        else:
            yield option, name, value if equals else next(rest, None)


def key(
    table: type,
    name: str,
    metavar: str | None = None,
    *,
    also: str = "",
    short: str = "",
    **more: Any,
) -> Key:
    """The flag of a key. A boolean is ``--name/--no-name``, or with ``is_flag`` a switch; a choice has its values.

    Args:
        table: class that declares it, with its meaning in the docstring.
        name: of the attribute.
        metavar: what the flag takes.
        also: what the command line takes besides, after the words of the docstring.
        short: the other form of the flag.
        more: arguments of :class:`click.Option`, in the place of what follows from the declaration.
    """
    flag = f"--{name.replace('_', '-')}"
    kinds = set() if more.get("is_flag") or isinstance(more.get("type"), click.Path) else alternatives(table, name)
    if kinds == {bool} and "type" not in more:
        more = {"default": None, **more}
        flag = f"{flag}/--no-{flag.removeprefix('--')}"
    elif kinds == {int}:
        more = {"type": int, **more}
    choices = [str(value) for one in kinds if get_origin(one) is Literal for value in get_args(one)]
    meaning, _ = with_default(meanings(table).get(name, ""))
    sentence = _SENTENCE.split(meaning)[0]
    plain = _plain(sentence, table.__annotations__)
    text = f"{plain[:1].upper()}{plain[1:]}{also}"
    if more.get("multiple"):
        text += ". Repeatable"
    default = _default(table, name, more.get("default"))
    if default and not more.get("is_flag"):
        text += f" [{default}]"
    more = {"help": f"{text}.", "metavar": metavar or "|".join(choices) or None, **more}
    option = Key([flag, short] if short else [flag], **more)
    option.page = next(iter(_LINK.findall(sentence)), "")
    return option


def keys(table: type, **metavars: str | None) -> list[Key]:
    """The flags of several keys, with what each takes."""
    return [key(table, name, metavar) for name, metavar in metavars.items()]


def switches(table: type, *names: str) -> list[Key]:
    """The flags of booleans that can be switched on alone."""
    return [key(table, name, is_flag=True) for name in names]


def taking(*options: click.Option) -> Callable[[_Function], _Function]:
    """A decorator as ``click.option``, of options that are there already."""

    def taken(function: _Function) -> _Function:
        vars(function)["__click_params__"] = [*vars(function).get("__click_params__", ()), *reversed(options)]
        return function

    return taken


def output(schema: str) -> list[click.Option]:
    """The flags of where results go, with the schema of their document; they come last."""
    return [
        click.Option(
            ["--out"],
            type=click.Path(path_type=Path),
            default=DEFAULT_OUT,
            metavar="DIR",
            help="Where the evidence goes [runs].",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help=f"One JSON document on stdout (schema {schema})."),
        click.Option(["--verbose"], is_flag=True, help="All that there is to say, below the first screen."),
        click.Option(["--quiet"], is_flag=True, help="No progress on stderr."),
    ]


def flags_of(
    command: click.Command, elsewhere: Mapping[str, str], without: Collection[str]
) -> tuple[click.Parameter, list[click.Parameter]]:
    """The argument and the flags of a command, for another one that takes them as well.

    Args:
        command: it.
        elsewhere: by name what a flag means there, where that is more.
        without: names of flags that mean nothing there.
    """
    found = [copy.copy(one) for one in command.params if one.name not in without]
    for one in found:
        if isinstance(one, click.Option):
            one.help = elsewhere.get(one.name or "", one.help)
    argument, *flags = found
    return argument, flags


def alternatives(table: type, name: str) -> set[Any]:
    """The types that a key may have, None and what is left out apart."""
    # The names of others may be there for a checker of types alone.
    hint = eval(table.__annotations__[name], vars(sys.modules[table.__module__]))
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return {kind for kind in kinds if kind not in (NoneType, msgspec.UnsetType)}


def meanings(kind: type) -> dict[str, str]:
    """What the docstrings of a class and its bases say of each field, as they say it."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        _, _, entries = inspect.cleandoc(base.__dict__.get("__doc__") or "").partition("Attributes:\n")
        names: list[str] = []
        for line in entries.splitlines():
            if line and not line.startswith(" "):
                break
            entry = _ENTRY.match(line.removeprefix("    "))
            if entry:
                names = [name.strip() for name in entry[1].split(",")]
                found |= dict.fromkeys(names, entry[2])
            else:
                found |= {name: f"{found[name]} {line.strip()}" for name in names}
    return found


def with_default(text: str) -> tuple[str, str]:
    """A text without the default that it ends with in brackets, and that default; empty without one."""
    plain = text.strip().removesuffix(".")
    found = _DEFAULT.search(plain)
    return (plain[: found.start()], found[1]) if found else (plain, "")


def _default(table: type, name: str, given: Any) -> str:
    """That of the flag, else in the words of the docstring, else that of the key; empty without one."""
    _, words = with_default(meanings(table).get(name, ""))
    value = _plain(words, table.__annotations__) if words else inspect.signature(table).parameters[name].default
    value = value if given is None else given
    return _WORDS.get(str(value), str(value)) if isinstance(value, str | int | float) else ""


def _plain(text: str, names: Collection[str]) -> str:
    """What a docstring says, as a terminal shows it: keys are flags, values are without the quotation marks of TOML."""

    def word(found: re.Match[str]) -> str:
        if found[1] in names:
            return f"--{found[1].replace('_', '-')}"
        # To a shell these two are no text.
        return found[1].replace('"', "'" if re.search("[<>]", found[1]) else "")

    return _CODE.sub(word, _LINK.sub("", text))
