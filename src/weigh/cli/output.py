"""What commands print. Every text goes to the terminal through here, and no control code of others goes with it.

Names, messages and values come from evidence, data files and engines that others made: what a terminal would obey is
shown instead. Reports have the same door in :class:`weigh.render.terminal.ReportConsole`.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from weigh.model.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from weigh.kinds.kind import Kind

_NARROW = 118
_CLEAR = "\r\x1b[2K"
_TRAILING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\n]")


@contextmanager
def _written(where: str = "standard output") -> Iterator[None]:
    """An error of the system names where was written: a stream has no name that the error would bear."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or where
        raise


def say(text: object = "", *, err: bool = False, nl: bool = True, **style: Any) -> None:
    """A text on standard output, or on standard error.

    Args:
        text: one or several lines.
        err: whether on standard error.
        nl: whether the line ends with it.
        style: as of ``click.style``.
    """
    with _written("standard error" if err else "standard output"):
        click.secho(visible(str(text)), err=err, nl=nl, **style)


def clear_line() -> None:
    """Take away what a bar of progress drew."""
    click.echo(_CLEAR, nl=False, err=True)


def print_results(kind: Kind[Any, Any], results: Any, folder: Path, *, as_json: bool, verbose: bool = False) -> None:
    """What evidence of any kind says, on stdout."""
    from weigh.evidence import naming

    if as_json:
        print_json(kind.document(results, naming.given(folder)))
    else:
        print_rich((kind.whole if verbose else kind.text)(results, str(folder)))


def print_rich(renderable: RenderableType) -> None:
    """Anything with styles on stdout; NO_COLOR and a pipe take the colour away."""
    from weigh.render.terminal import ReportConsole

    console = ReportConsole()
    if not console.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        console = ReportConsole(width=_NARROW)
    with console.capture() as printed:
        # What was laid out wider, such as a path, goes on in the next line rather than being cut.
        console.print(renderable, crop=False)
    # Tables and what stands beside them are filled up with spaces, which whoever copies them would have to take away.
    with _written():
        console.file.write(_TRAILING.sub(r"\1", printed.get()))
        console.file.flush()


def say_indented(text: str, begun: int = 0) -> None:
    """A text five characters from the left; on a terminal in several lines.

    Args:
        text: without line breaks.
        begun: characters that stand in its first line already; 0 indents that, too.
    """
    import textwrap

    room = _room()
    line, margin = visible(text), " " * 5
    if room is None:
        say(line if begun else margin + line)
        return
    lead = " " * begun if begun else margin
    lines = textwrap.wrap(
        line.strip() if not begun else line,
        room,
        initial_indent=lead,
        subsequent_indent=margin,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    say("\n".join(lines)[begun:])


def say_wrapped(text: str, **style: Any) -> None:
    """A text in several lines on a terminal, those after the first two characters from the left; else in one.

    Args:
        text: without line breaks.
        style: as of ``click.style``.
    """
    say("\n".join(_wrapped(text, _room())), **style)


def say_error(word: str, text: str) -> None:
    """A text on standard error, on a terminal in several lines below each other.

    Args:
        word: what it begins with, in red where it is more than blanks.
        text: without line breaks.
    """
    lines = _wrapped(word + text, _columns() if sys.stderr.isatty() else None, " " * len(word))
    style: dict[str, Any] = {"fg": "red", "bold": True} if word.strip() else {}
    say(word, err=True, nl=False, **style)
    say("\n".join(lines)[len(word) :], err=True)


def say_failure(what: str, where: str, remedy: str, notes: Iterable[str] = ()) -> int:
    """One failure on standard error, as every command ends with one.

    Args:
        what: went wrong.
        where: a file, a contender, an operation; empty for nothing.
        remedy: what the reader can do next.
        notes: lines between the two.

    Returns:
        The exit code of a failure.
    """
    from weigh.model.text import one_line, without_passwords

    # Whoever cannot read it any more gets the exit code.
    with suppress(OSError):
        # What a library says often begins with the place already.
        say_error(
            "error: ", one_line(without_passwords(f"{where}: {what.removeprefix(f'{where}: ')}" if where else what))
        )
        for line in (*notes, remedy):
            if line:
                say_error("  ", one_line(without_passwords(line), 1200))
    return 2


def _wrapped(text: str, room: int | None, margin: str = "  ") -> list[str]:
    import textwrap

    line = visible(text)
    if room is None:
        return [line]
    return textwrap.wrap(line, room, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)


def say_item(text: str) -> None:
    """An item of a list, two characters from the left; in several lines on a terminal, else in one."""
    room = _room()
    say("  " + "\n  ".join(_wrapped(text, None if room is None else room - 2)))


def _room() -> int | None:
    """Columns of the terminal, or of COLUMNS; None where lines may be as long as they are."""
    return _columns() if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else None


def _columns() -> int:
    import shutil

    return max(shutil.get_terminal_size().columns, 40)


def say_rows(rows: Sequence[tuple[str, ...]], least: Sequence[int]) -> None:
    """Rows in columns; on a terminal the last one goes on in further lines, elsewhere each row is a line.

    Args:
        rows: cells, as many in each.
        least: characters of each column but the last one, at least.
    """
    import textwrap

    texts = [tuple(visible(cell) for cell in row) for row in rows]
    widths = [max([few, *(len(row[at]) for row in texts)]) for at, few in enumerate(least)]
    begin = sum(widths) + len(widths)
    columns = _room()
    room = max(columns - begin, 24) if columns else None
    for row in texts:
        first = " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        lines = textwrap.wrap(row[-1], room, break_on_hyphens=False) if room else [row[-1]]
        for at, line in enumerate(lines or [""]):
            say(f"{first if at == 0 else ' ' * (begin - 1)} {line}".rstrip())


def print_json(document: bytes | object) -> None:
    """One JSON document on stdout; in its strings, what a terminal would obey is escaped."""
    import msgspec

    body = document if isinstance(document, bytes) else msgspec.json.format(msgspec.json.encode(document), indent=2)
    text = _UNPRINTABLE.sub(_escaped, body.decode(errors="replace").rstrip("\n"))
    with _written():
        sys.stdout.buffer.write(text.encode() + b"\n")
        sys.stdout.buffer.flush()


def _escaped(found: re.Match[str]) -> str:
    """A character of a JSON string as JSON escapes it, unless it is printable."""
    import json

    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1].replace("\x7f", "\\u007f")
