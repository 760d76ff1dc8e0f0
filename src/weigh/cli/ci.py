"""``weigh ci``: what the jobs of CI call."""

from __future__ import annotations

from pathlib import Path

import click

from weigh.ci.outcome import OUT
from weigh.cli.output import say
from weigh.cli.subcommands import Subcommands

_folder = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=OUT,
    show_default=True,
    metavar="DIR",
    help="The folder of what the job leaves.",
)


@click.group(cls=Subcommands)
def ci() -> None:
    """What jobs of CI call: measure, and tell it at the pull request.

    `weigh init --ci github` and `--ci gitlab` write such a job.
    """


@ci.command(context_settings={"allow_interspersed_args": False})
@_folder
@click.argument("words", nargs=-1, required=True, metavar="COMMAND...", type=click.UNPROCESSED)
def measure(words: tuple[str, ...], out: Path) -> None:
    """Carry out COMMAND of weigh with its exit code, and leave a comment, an outcome, a badge, and JUnit of a run.

    \b
    weigh ci measure run --baseline main --contender pr
    """
    from weigh.ci.measuring import measure as carry_out

    click.get_current_context().exit(carry_out(words, out).code)


@ci.command()
@_folder
@click.option("--name", default="weigh", show_default=True, help="Of the comment and the status; one comment a name.")
def tell(out: Path, name: str) -> None:
    """Write what `weigh ci measure` left as one comment on the pull request, and as the status of its commit.

    The comment is written anew each time. For jobs of GitHub Actions, with GITHUB_TOKEN.
    """
    from weigh.ci.github import tell as carry_out

    for line in carry_out(out, name):
        say(line)
