"""What completes an argument or a flag in a shell: evidence, engines, workloads.

Paths come first: bash forgets what came before them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click


_LOADS = ("isolation", "tpcc", "ycsb", *(f"ycsb-{one}" for one in "abcdef"), "replay")


def evidence(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The evidence of ``runs``, the newest first, ``latest``, and any directory."""
    from weigh.kinds.folder import DEFAULT_OUT, LATEST, entries
    from weigh.model.errors import WeighError

    names: list[str] = []
    with suppress(WeighError, OSError):
        names = [LATEST, *(one.path.name for one in entries(DEFAULT_OUT))]
    return [CompletionItem(incomplete, type="dir"), *_beginning(names, incomplete)]


def engines(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The engines that a contender can name, after ``NAME=`` as well."""
    from weigh.engines.engine import installed

    given, equals, engine = incomplete.rpartition("=")
    return _beginning((f"{given}{equals}{name}" for name in sorted(installed()) if name.startswith(engine)), incomplete)


def workloads(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The workloads of ``weigh run``, and any folder of questions."""
    from weigh.workloads import names

    return [CompletionItem(incomplete, type="dir"), *_beginning(names(), incomplete)]


def loads(_context: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The workloads of ``weigh load``, and any file."""
    return [CompletionItem(incomplete, type="file"), *_beginning(_LOADS, incomplete)]


def _beginning(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
