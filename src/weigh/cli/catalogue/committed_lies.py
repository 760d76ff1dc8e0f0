"""``weigh lies --run``: each lie committed on this machine, and what weigh said of it."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weigh.cli.commands import require_linux
from weigh.cli.output import clear_line, print_json, say, say_indented

if TYPE_CHECKING:
    from weigh.lies import Lie
    from weigh.lies.committing import Committed

_WIDTH = 64
_LONGEST = 300
_COLOURS = {"caught": "green", "missed": "red", "accused": "red", "failed": "red"}


def run(which: tuple[str, ...], out: Path | None, *, as_json: bool) -> None:
    """Commit lies one after the other, saying each as it ends.

    Args:
        which: ids of lies; none for all.
        out: where the evidence goes, a folder that is made.
        as_json: one document in the end, and nothing before.

    Raises:
        EnvironmentFault: the liars are not installed, or this is no Linux.
        UsageError: there is no such lie, or the folder exists.
    """
    require_linux("lies --run")
    _require_liars()
    from weigh.lies.committing import commit
    from weigh.model.errors import ExitCode

    chosen = _chosen(which)
    folder = _made(out) if out else _made_now()
    done: list[Committed] = []
    try:
        for lie in chosen:
            _announce(lie)
            done.append(commit(lie, folder))
            _clear()
            if not as_json:
                _say(done[-1])
    except KeyboardInterrupt:
        _clear()
        if not as_json:
            _summary(done, len(chosen), folder)
        raise
    if as_json:
        print_json({"schema": "weigh/lies-run/1", "evidence": str(folder), "lies": done, "counts": _counts(done)})
    else:
        _summary(done, len(chosen), folder)
    code = ExitCode.OK if any(one.outcome == "caught" for one in done) else ExitCode.INCONCLUSIVE
    if any(one.outcome in ("missed", "accused", "failed") for one in done):
        code = ExitCode.FOUND
    click.get_current_context().exit(int(code))


def _require_liars() -> None:
    from importlib.util import find_spec

    from weigh._version import __version__
    from weigh.model.errors import EnvironmentFault

    if find_spec("weigh_liars") is None:
        raise EnvironmentFault(
            "the liars are a package of their own, which is not installed",
            remedy=f"pip install weigh-liars=={__version__} next to weigh",
        )


def _chosen(which: tuple[str, ...]) -> tuple[Lie, ...]:
    from weigh.lies import CATALOGUE
    from weigh.model.errors import UsageError, nearest

    known = {lie.id: lie for lie in CATALOGUE}
    for one in which:
        if one not in known:
            raise UsageError(f"there is no lie '{one}'", remedy=f"weigh lies lists them; {nearest(one, list(known))}")
    return tuple(known[one] for one in dict.fromkeys(which)) or CATALOGUE


def _made(folder: Path) -> Path:
    from weigh.model.errors import UsageError

    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        # Attempts in one folder are read together: lies of before would be counted with these.
        raise UsageError("it exists", where=str(folder), remedy="name a new folder with --out") from None
    return folder.absolute()


def _made_now() -> Path:
    """A folder of this second, which somebody else may have begun in, too."""
    name = time.strftime("lies-%Y%m%d-%H%M%S")
    for folder in map(Path, (name, *(f"{name}-{number}" for number in range(2, 100)))):
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            return folder.absolute()
    return _made(Path(name))


def _announce(lie: Lie) -> None:
    if sys.stderr.isatty():
        say(f"{lie.id:<4} {lie.lie[:_WIDTH]} ...", err=True, nl=False)


def _clear() -> None:
    if sys.stderr.isatty():
        clear_line()


def _say(one: Committed) -> None:
    """A line, and below it what weigh said."""
    lie = one.lie if len(one.lie) <= _WIDTH else f"{one.lie[: _WIDTH - 3].rstrip()}..."
    say(f"{one.id:<4} ", bold=True, nl=False)
    say(f"{lie:<{_WIDTH}}  ", nl=False)
    colour = _COLOURS.get(one.outcome)
    if one.outcome in ("not_here", "not_covered"):
        why = one.message or "weigh's own tests commit it"
        say("not committed")
        say_indented(f"{why}; weigh's own tests commit it" if one.outcome == "not_covered" and one.message else why)
        return
    if one.outcome == "failed":
        say(f"could not be determined  {one.seconds:.1f} s", fg=colour)
        say_indented(one.message if not one.code else f"twin: {one.twin}")
        return
    caught = f"caught: {one.code}" if one.code else "NOT CAUGHT"
    say(f"{caught:<24}", fg="green" if one.code else "red", nl=False)
    say(f"  twin: {'ACCUSED' if one.twin else 'silent'}", fg="red" if one.twin else "green", nl=False)
    say(f"  {one.seconds:.1f} s")
    if one.message:
        say_indented(f'"{_short(one.message)}"' if one.code else _short(one.message))
    if one.twin:
        say_indented(f'of the twin: "{_short(one.twin)}"')


def _short(text: str) -> str:
    from weigh.model.text import one_line

    return one_line(text, _LONGEST)


def _counts(done: list[Committed]) -> dict[str, int]:
    found = Counter(one.outcome for one in done)
    return {name: found[name] for name in ("caught", "missed", "accused", "failed", "not_here", "not_covered")}


def _summary(done: list[Committed], number: int, folder: Path) -> None:
    counts = _counts(done)
    committed = sum(counts[name] for name in ("caught", "missed", "accused", "failed"))
    caught = sum(bool(one.code) for one in done)
    accused = [one.id for one in done if one.outcome == "accused"]
    say()
    if len(done) < number:
        say(f"Ended after {len(done)} of {number} lies.")
    twins = f"twins falsely accused: {', '.join(accused)}" if accused else "no honest twin was accused"
    say(f"{caught} of {committed} lies were caught; {twins}." if committed else "No lie was committed.", bold=True)
    for name, label in (("missed", "Not caught"), ("failed", "Could not be determined")):
        if ids := [one.id for one in done if one.outcome == name]:
            say(f"{label}: {', '.join(ids)}.")
    left = [one.id for one in done if one.outcome in ("not_here", "not_covered")]
    if left:
        say(f"Not committed: {', '.join(left)}, each for the reason that stands alongside it.")
    say(f"Evidence, and the commands to repeat each: {folder}")
