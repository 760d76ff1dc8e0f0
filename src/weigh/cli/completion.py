"""``weigh completion``."""

from __future__ import annotations

import click

from weigh.cli.output import say


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what completes weigh in a shell: commands, flags, engines, workloads, evidence.

    \b
    eval "$(weigh completion bash)"     in ~/.bashrc
    eval "$(weigh completion zsh)"      in ~/.zshrc, after compinit
    weigh completion fish | source      in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    from weigh.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    # bash 4.4 and later; its own check would start one.
    made = found(cli, {}, "weigh", "_WEIGH_COMPLETE")
    say(made.source_template % made.source_vars(), nl=False)
