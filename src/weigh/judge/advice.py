"""The advice: shell lines that make files from which a verdict is possible, with the names of the user's files."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.judge.design import Turn
    from weigh.judge.formats.registry import Reader

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,30}")
"""Names that stand in a line of shell, in a file name and in a path as they are."""


def how(reader: Reader, turns: Sequence[Turn], baseline: str) -> str:
    """The lines of the tool, for the baseline and the first contender alongside it.

    Of hyperfine the commands are known and stand there themselves. What no file says (where a binary lies, whether a
    command takes arguments) keeps the form of the tool's own example.
    """
    other = next((turn.contender for turn in turns if turn.contender != baseline), "")
    names = [baseline, other]
    commands = [_command(turns, name) if reader.commands else "" for name in names]
    labels = [name if _PLAIN.fullmatch(name) else default for name, default in zip(names, ("old", "new"), strict=True)]
    if labels[0] == labels[1]:
        return reader.how
    words = {
        **{f"./{default}": shlex.quote(command) for default, command in zip(("old", "new"), commands, strict=True)},
        **dict(zip(("old", "new"), labels, strict=True)),
    }
    words = {word: columns for word, columns in words.items() if columns not in ("", "''")}
    pattern = re.compile("|".join(rf"(?<![\\w]){re.escape(word)}(?![a-z])" for word in sorted(words, reverse=True)))
    operation = next((turn.operation for turn in turns if _PLAIN.fullmatch(turn.operation)), "")
    text = pattern.sub(lambda found: words[found[0]], reader.how)
    return re.sub(r"\bparse\b", operation, text) if operation else text


def _command(turns: Sequence[Turn], name: str) -> str:
    """What was executed for a contender, where its file tells one command and not a name in its place (``-n``)."""
    found = {turn.measured.contender for turn in turns if turn.contender == name}
    if len(found) != 1:
        return ""
    (command,) = found
    return "" if command == name and _PLAIN.fullmatch(command) else command
