"""``--define``: variables of scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.spec import Script

_LARGEST = 1 << 63
_LONGEST = 10_000
"""Characters of a value."""
_DIGITS = 19
"""Of the largest whole number."""


def definitions(given: Sequence[str]) -> dict[str, int | str]:
    """The variables of ``NAME=VALUE`` each, as pgbench has them: whole numbers, and everything else as its text.

    Raises:
        UsageError: one is none, or a name has two values.
    """
    found: dict[str, int | str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--define {one} gives no value", remedy=f"write --define {one or 'scale'}=10")
        if not is_name(name):
            raise UsageError(
                f"'{name}' can be no variable: its name is of letters, digits and _, and begins with no digit",
                where=f"--define {one}",
                remedy="write --define scale=10",
            )
        if not value.strip():
            raise UsageError(
                f"--define {name}= has nothing behind the equals sign",
                remedy=f"write --define {name}=10; of SQL's NULL, --define {name}=null",
            )
        if len(value) > _LONGEST:
            raise UsageError(f"--define {name}=... has {len(value):,} characters", remedy=f"give at most {_LONGEST:,}")
        if name in found:
            raise UsageError(f"--define gives {name} twice: {found[name]} and {value}", remedy="give it once")
        found[name] = _value(value)
    return found


def is_name(text: str) -> bool:
    """Whether scripts can have a variable of that name: of letters, digits and ``_``, no digit first."""
    return bool(text) and not text[0].isdigit() and all(one == "_" or one.isalnum() or one > "\x7f" for one in text)


def check_scale(variables: Mapping[str, int | str], scripts: Sequence[Script]) -> None:
    """See that tables can be made of that scale, where scripts are built in.

    Raises:
        UsageError: they cannot.
    """
    scale = variables.get("scale", 1)
    if any(not one.text for one in scripts) and not (isinstance(scale, int) and scale >= 1):
        raise UsageError(
            f"--define scale={scale} cannot be: it counts the branches of pgbench's tables",
            remedy="give a whole number from 1 on",
        )


def _value(text: str) -> int | str:
    """A whole number only where it is written as such: ``007`` stands in a statement as it is."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS:
        number = int(text)
        if str(number) == text and -_LARGEST <= number < _LARGEST:
            return number
    return text
