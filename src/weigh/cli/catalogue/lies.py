"""``weigh lies``: the catalogue of lies, and what the codes of findings mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.output import print_json, say, say_indented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.lies import Lie
    from weigh.model.codes.code import Entry


@click.command()
@click.argument("which", nargs=-1, metavar="[LIE|CODE]...")
@click.option(
    "--run", "run_them", is_flag=True, help="Commit these lies on this machine, or all; weigh must name each."
)
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="Of --run: where the evidence goes [lies-DATE-TIME]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def lies(which: tuple[str, ...], run_them: bool, out: Path | None, as_json: bool) -> None:
    """List the ways in which benchmarks lie that this version catches.

    With the id of a lie (E4) it also lists the codes of its findings, with a code (E4.contended) it explains that one.
    M and X are the codes that belong to no lie.

    With --run it commits each of them for real, and has an honest twin do the same without lying: real engines,
    servers and files, by the commands that anybody types. Exit 1 where a lie was not caught or a twin was accused, 3
    where none could be committed.
    """
    if out and not run_them:
        raise click.UsageError("--out says where the evidence of --run goes")
    if run_them:
        from weigh.cli.catalogue.committed_lies import run

        run(which, out, as_json=as_json)
        return
    from weigh.lies import CATALOGUE
    from weigh.model import codes

    codes_listed = tuple(codes.REGISTRY.values())
    about: tuple[Lie, ...] = CATALOGUE
    if which:
        named = [_named(one, codes_listed, [lie.id for lie in CATALOGUE]) for one in which]
        codes_listed = tuple(dict.fromkeys(entry for entries in named for entry in entries))
        families = {*which, *(one.family for one in codes_listed)}
        about = tuple(lie for lie in CATALOGUE if lie.id in families)
    if as_json:
        print_json(
            {
                "schema": "weigh/lies/1",
                "lies": [_lie(one) for one in about],
                "codes": [_code(one) for one in codes_listed],
            }
        )
        return
    for lie in about:
        say(f"{lie.id:<4}", bold=True, nl=False)
        say_indented(lie.lie, 4)
        say_indented(lie.answer)
        if which:
            say_indented(str(lie.page))
    for one in codes_listed if which else ():
        say(f"{one.code}", bold=True, nl=False)
        say_indented(f" ({one.gravity}): {one.means}" if one.gravity else f": {one.means}", len(one.code))
        say_indented(str(one.page))


def _named(which: str, entries: Sequence[Entry], lies: Sequence[str]) -> tuple[Entry, ...]:
    """The code of that name, or all codes of the lie.

    Raises:
        UsageError: there is neither.
    """
    from weigh.model.errors import UsageError, nearest

    families = {*lies, *(one.family for one in entries)}
    found = tuple(one for one in entries if which in ((one.family,) if which in families else (one.code,)))
    if not found and which not in families:
        known = [*families, *(one.code for one in entries)]
        raise UsageError(
            f"there is no lie and no code '{which}'", remedy=f"weigh lies lists them; {nearest(which, known)}"
        )
    return found


def _lie(one: Lie) -> dict[str, Any]:
    return {"id": one.id, "lie": one.lie, "answer": one.answer, "page": one.page.link}


def _code(one: Entry) -> dict[str, Any]:
    from weigh.model.codes.code import Fixed

    severity = one.severity if isinstance(one, Fixed) else one.gravity or None
    return {
        "code": one.code,
        "severity": severity,
        "disqualifies": isinstance(one, Fixed) and one.disqualifies,
        "means": one.means,
        "page": one.page.link,
    }
