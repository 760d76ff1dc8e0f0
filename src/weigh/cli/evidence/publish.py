"""``weigh publish``."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.cli.output import say
from weigh.cli.progress import progress

_LISTED = 5
"""Evidence that does not pass verify; the site has all of it."""


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("site"),
    metavar="DIR",
    help="Where the site is written: a new folder, or that of an earlier site [site].",
)
@click.option("--title", metavar="TEXT", default="", help="Of the site [Evidence].")
@click.option(
    "--with-terms", is_flag=True, help="Also publish what a vendor's licence speaks of; you have read the terms."
)
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def publish(folder: Path, out: Path, title: str, with_terms: bool, quiet: bool) -> None:
    """Write the evidence of FOLDER as a static site: no server, and no script is needed to read it.

    An index with filters, a page and a bundle of every evidence with the command that repeats it, rankings where a
    whole suite has ratios, sessions of the same questions side by side. Each evidence is verified, and its result is
    on its page. Exit 1 when one does not pass, or is left out.
    """
    from weigh.model.errors import ExitCode
    from weigh.model.text import one_line
    from weigh.model.units import size
    from weigh.publish.site import publish as write

    site = write(folder, out, progress(quiet), title=title, with_terms=with_terms)
    wrong = [one for one in site.entries if not one.passes]
    reasons: dict[str, list[str]] = {}
    for name, why in site.left_out:
        reasons.setdefault(why, []).append(name)
    for why, names in reasons.items():
        # What is left out is named nowhere else.
        say(f"left out: {', '.join(map(one_line, names))}: {one_line(why)}", err=True)
    for one in wrong[:_LISTED]:
        say(one_line(f"does not pass verify, and says so: {one.name}: {one.verified}", 600), err=True)
    if len(wrong) > _LISTED:
        say(f"{len(wrong) - _LISTED:,} more do not pass verify: {out / 'index.html'} filters by it", err=True)
    many = "evidence directory" if len(site.entries) == 1 else "evidence directories"
    say(f"{out / 'index.html'}: {len(site.entries):,} {many}, {size(site.bytes)}")
    click.get_current_context().exit(int(ExitCode.FOUND if wrong or site.left_out else ExitCode.OK))
