"""The command line of a load, and the same with other flags."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

SWITCHES = frozenset(
    {
        *("--both", "--closed", "--cold", "--duet", "--hide-values", "--json", "--no-twice", "--on-copy", "--quiet"),
        *("--power-loss", "--quick", "--read-only", "--same-engine", "--spin", "--twice", "--verbose"),
    }
)
"""Flags of ``weigh load`` that have no value; all others have one."""
SHORT = ("-D", "-P", "-p")
"""Those with one letter, whose value may stand right behind it."""


class CommandLine(msgspec.Struct, frozen=True):
    """``weigh load``, the words of its workload, and its flags in the order in which they were given.

    Attributes:
        workload: words that are no flags.
        flags: each with its value; None where it has none.
    """

    workload: tuple[str, ...]
    flags: tuple[tuple[str, str | None], ...]

    def __str__(self) -> str:
        words = ["weigh", "load", *self.workload]
        for name, value in self.flags:
            words += [name] if value is None else [name, value]
        return shlex.join(words)

    def has(self, name: str) -> bool:
        """Whether a flag was given."""
        return any(flag == name for flag, _ in self.flags)

    def value(self, name: str) -> str | None:
        """The value of a flag; None where it was not given."""
        return next((value for flag, value in reversed(self.flags) if flag == name), None)

    def but(self, **given: str | None) -> CommandLine:
        """The same with other values; a flag without one is left out.

        Args:
            given: the name of a flag without its dashes, ``_`` for ``-``, and its value.
        """
        names = {f"--{name.replace('_', '-')}": value for name, value in given.items()}
        flags_left = tuple(one for one in self.flags if one[0] not in names)
        return CommandLine(self.workload, (*flags_left, *((name, value) for name, value in names.items() if value)))

    def of(self, workload: Sequence[str], leaving_out: Sequence[str]) -> CommandLine:
        """The same with another workload, and without flags that were about the one before; with their dashes."""
        return CommandLine(tuple(workload), tuple(one for one in self.flags if one[0] not in leaving_out))


def parsed(command: str) -> CommandLine | None:
    """A command line as evidence has it; None where it is none of ``weigh load``."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if words[:2] != ["weigh", "load"]:
        return None
    workload: list[str] = []
    flags: list[tuple[str, str | None]] = []
    rest = iter(words[2:])
    for word in rest:
        name, equals, value = word.partition("=")
        if word[:2] in SHORT and len(word) > 2:
            flags.append((word[:2], word[2:]))
        elif not word.startswith("-") or word == "-":
            workload.append(word)
        elif equals:
            flags.append((name, value))
        else:
            flags.append((word, None if word in SWITCHES else next(rest, "")))
    return CommandLine(tuple(workload), tuple(flags))
