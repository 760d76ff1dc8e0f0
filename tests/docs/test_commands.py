"""Every command that the README, a page or a help text shows can be given like that."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from weigh.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    # Blocks there are what weigh prints, whose lines begin with its name too.
    *(page for page in sorted(DOCS.rglob("*.md")) if page != DOCS / "reference" / "lies.md"),
]
_BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\s*(?:\$ |-? ?run: )?(?:\.venv/bin/)?weigh +(?=[a-z-])(.*)$")
_END = re.compile(r"""('[^']*'|"[^"]*")|\s#\s.*|\s(?:\||&&|;|>{1,2}|2>)\s?.*|;.*""")
"""What follows a command in a line: a comment, or another command of the shell. In quotes nothing does."""


def commands(text: str) -> Iterator[str]:
    """What stands behind ``weigh`` in lines that show a command, the continued ones whole."""
    for line in text.replace("\\\n", " ").splitlines():
        if found := _COMMAND.match(line):
            yield _END.sub(lambda end: end[1] or "", found[1]).strip()


def shown() -> Iterator[tuple[str, str]]:
    """Where a command is shown, and the command."""
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text()):
            yield from ((str(page.relative_to(ROOT)), one) for one in commands(block))
    for name, command in each(cli):
        if command is cli:
            continue
        yield from ((f"{name} --help", one) for one in commands(command.help or ""))


def each(group: click.Command, name: str = "weigh") -> Iterator[tuple[str, click.Command]]:
    """All commands, with what calls them."""
    yield name, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for below in group.list_commands(context):
            command = group.get_command(context, below)
            assert command is not None
            yield from each(command, f"{name} {below}")


def parse(said: str) -> None:
    """Find the command and its options.

    Raises:
        click.UsageError: there is no such command, option or choice.
    """
    command: click.Command = cli
    words = shlex.split(said)
    # With its settings: click keeps the help option that the first context asked for.
    context = click.Context(command, info_name="weigh", **cli.context_settings)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, found, words = command.resolve_command(context, words)
        assert found is not None
        command, context = found, click.Context(found, parent=context, info_name=name, **found.context_settings)
    if "--load" in words and hasattr(command, "of_loads"):
        command = command.of_loads
    values, _, _ = command.make_parser(context).parse_args(words)
    for parameter in command.params:
        if isinstance(parameter.type, click.Choice) and isinstance(value := values.get(parameter.name), str):
            parameter.type.convert(value, parameter, context)


def test_there_are_some() -> None:
    found = list(shown())
    assert len(found) > 150
    assert {place.split("/")[0].split(" ")[0] for place, _ in found} >= {"README.md", "docs", "weigh"}


def test_what_is_no_command_is_found() -> None:
    for wrong in ("runs --colour red", "weight", "export latest --format xml"):
        with pytest.raises(click.UsageError):
            parse(wrong)


@pytest.mark.parametrize("place", sorted({place for place, _ in shown()}))
def test_a_command_can_be_given_as_it_is_shown(place: str) -> None:
    wrong = []
    for where, said in shown():
        if where == place:
            try:
                parse(said)
            except (click.UsageError, ValueError) as error:
                wrong.append(f"weigh {said}: {error}")
    assert not wrong, "\n".join(wrong)
