"""``weigh load`` with several contenders, and the ``[load]`` of weigh.toml."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.comparison.config import Named
    from weigh.load.recording.plan import Plan
    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Target
    from weigh.model.progress import Progress

_FILE = Path("weigh.toml")
_TRACE = "trace.parquet"
"""What `weigh capture` writes also where it can make no scripts."""
_OF_SEVERAL = ("baseline", "blocks", "quick", "margin", "twice", "duet")
"""Flags that mean nothing for one server."""


def from_file(
    workload: tuple[str, ...], flags: Mapping[str, Any], target: str | None, *, alone: bool
) -> tuple[tuple[str, ...], dict[str, Any], str | None]:
    """Workload, flags and target with what ``[load]`` of a weigh.toml says; a flag wins over the file.

    Args:
        workload: words of the command line: empty for ./weigh.toml, or alone the name of such a file, or of a folder
            that has one.
        flags: of the command line, by name.
        target: of the command line.
        alone: whether it names one server in another way.

    Raises:
        UsageError: there is no such file, or no ``[load]`` in it, or it names no workload.
    """
    if len(workload) == 1 and Path(workload[0]).is_dir():
        folder = Path(workload[0])
        if not (folder / _FILE).exists() and (folder / _TRACE).exists():
            raise UsageError(
                "this capture has no scripts that could be run",
                where=str(folder),
                remedy=f"replay it: weigh load replay {quote(str(folder))}",
            )
        if not (folder / _FILE).exists():
            raise UsageError(
                "it is a folder without a weigh.toml",
                where=str(folder),
                remedy="name scripts (look.sql buy.sql), a workload (ycsb-b), or a folder that weigh capture wrote",
            )
        workload = (str(folder / _FILE),)
    named = len(workload) == 1 and workload[0].endswith(".toml")
    has_workload = workload or flags["properties"] or flags["property"]
    path = Path(workload[0]) if named else _FILE
    if not named and (has_workload or not path.exists()):
        return workload, dict(flags), target
    from weigh.experiment.config.file import read_file

    table = read_file(path).load
    if table is None:
        raise UsageError("it has no [load]", where=str(path), remedy="add one (docs/reference/weigh-toml.md#load)")
    comparison_flags = table.as_flags()
    for name in ("answers", "prepare"):
        if comparison_flags[name] is not None:
            comparison_flags[name] = path.parent / comparison_flags[name]
    found = {name: comparison_flags.get(name, given) if _is_left_out(given) else given for name, given in flags.items()}
    if (alone or target is not None) and not flags["contender"]:
        # The command line names one server: those of the file are not meant.
        found |= {name: flags[name] for name in ("contender", *_OF_SEVERAL)}
    chosen = target if target is not None or alone or found["contender"] else table.target
    words = tuple(_placed(word, path.parent) for word in table.workloads)
    if not words:
        raise UsageError("[load] names no workload", where=str(path), remedy='add workload = "ycsb-b"')
    return words, found, chosen


def _is_left_out(given: Any) -> bool:
    """Whether a flag was not given: 0 is a value."""
    return given is None or given is False or given == ()


def _placed(word: str, folder: Path) -> str:
    """A script is looked for alongside the file."""
    return str(folder / word) if ".sql" in word else word


def no_comparison(flags: Mapping[str, Any]) -> None:
    """See that nothing is asked for that only several contenders have.

    Raises:
        UsageError: it is.
    """
    for name in (*_OF_SEVERAL, "same_engine"):
        if flags[name] not in (None, False):
            raise UsageError(
                f"--{name.replace('_', '-')} is of several contenders, and there is one server",
                remedy="name them with --contender NAME=TARGET, or leave it out",
            )


def contenders(texts: Sequence[str]) -> tuple[list[Named], dict[str, Target]]:
    """The contenders as they were written, and the servers by their names.

    Raises:
        UsageError: one is none, or two share a name.
    """
    from weigh.load.comparison import config
    from weigh.load.target.registry import target as find

    named = [config.parse(text) for text in texts]
    servers = [find(one.target) for one in named]
    pairs = [(one.name or server.text, server.text) for one, server in zip(named, servers, strict=True)]
    config.unique(pairs)
    return named, {name: server for (name, _), server in zip(pairs, servers, strict=True)}


def started(servers: Mapping[str, Target], commands: Sequence[str]) -> dict[str, Target]:
    """The servers, those with a command as such that it starts.

    Args:
        servers: by their names.
        commands: ``NAME=CMD`` each.

    Raises:
        UsageError: one names no contender, or one that weigh starts by itself.
    """
    from weigh.load.target.started import StartedByCommand
    from weigh.model.errors import nearest

    found = dict(servers)
    for text in commands:
        name, equals, command = text.partition("=")
        if equals and name in found and not command.strip():
            raise UsageError(
                f"the command of {name} is empty", where=f"--start-command {text}", remedy=f"write {name}=COMMAND"
            )
        if not equals or name not in found:
            raise UsageError(
                f"--start-command '{text}' names no contender",
                remedy=f"write NAME=COMMAND; {nearest(name, tuple(found))}",
            )
        server = found[name]
        if "://" not in server.text or isinstance(server, StartedByCommand):
            why = "has two of them" if isinstance(server, StartedByCommand) else "is started by weigh itself"
            raise UsageError(f"{name} {why}", where=f"--start-command {text}", remedy="leave it out")
        found[name] = StartedByCommand(server, command)
    return found


def one_command(commands: Sequence[str]) -> str | None:
    """The command of one server.

    Raises:
        UsageError: there are several.
    """
    if len(commands) > 1:
        raise UsageError("--start-command is given twice, and there is one server", remedy="give it once")
    return commands[0] if commands else None


def started_alone(server: Target, flags: dict[str, Any]) -> Target:
    """The one server of a load, or as such that ``--start-command`` starts, which is then taken out of the flags.

    With faults the command is theirs: it starts again what was killed.

    Raises:
        UsageError: weigh starts it by itself.
    """
    from weigh.load.target.started import StartedByCommand

    command = flags["start_command"]
    if command is None or any(flags[name] is not None for name in ("crash", "nemesis", "kill_command")):
        return server
    if not command.strip():
        raise UsageError("the command of --start-command is empty", remedy="write the command, or leave it out")
    if "://" not in server.text:
        raise UsageError(
            f"{server.text} is started by weigh itself, and --start-command is of a URL", remedy="leave it out"
        )
    flags["start_command"] = None
    return StartedByCommand(server, command)


def _one_life(running: Sequence[str]) -> str:
    """What is known before the first request of servers that weigh does not start, and the ways out."""
    from weigh.model import codes

    names, one = " and ".join(running), len(running) == 1
    lives = "this life" if one else "these lives"
    return (
        f"{codes.T10_STARTS}: {names} {'runs' if one else 'run'} already, and weigh cannot start "
        f"{'it' if one else 'them'} anew. Verdicts will hold for {lives} alone, not for the next start. For fresh "
        "starts give --start-command NAME=COMMAND for each; name a server that weigh starts (postgres:embedded@FOLDER, "
        "valkey:embedded@FOLDER); or restart yours and run this again: 5 times are 5 starts."
    )


def one_at_a_time(flags: Mapping[str, Any]) -> None:
    """See that nothing is asked for that only one server has.

    Raises:
        UsageError: it is.
    """
    if flags["crash"] is not None:
        raise UsageError(
            "--crash kills one server, and several are named", remedy="crash each by itself, with --target"
        )


def compare(
    load: LoadSpec,
    plan: Plan | None,
    servers: Mapping[str, Target],
    flags: Mapping[str, Any],
    out: Path,
    command: str,
    progress: Progress,
) -> None:
    """Run the comparison, print it, and end with its exit code; the arguments are those of the command."""
    from weigh.cli.output import print_results, say
    from weigh.kinds.table import LOAD_COMPARISON
    from weigh.load import config as load_config
    from weigh.load.comparison import config
    from weigh.load.comparison import run as protocol
    from weigh.load.comparison.report import files
    from weigh.load.target.started import StartedByCommand

    if flags["pin"] is not None:
        raise UsageError("--pin keeps the answers of one server", remedy="name it with --target, and pin them there")
    spec = config.make(load, servers, flags)
    running = [
        name for name, server in servers.items() if not server.restarts and not isinstance(server, StartedByCommand)
    ]
    if running:
        say(f"weigh: {_one_life(running)}", err=True)
    answers = load_config.files(load, flags, plan)
    same_engine = bool(flags["same_engine"])
    folder = protocol.run(spec, servers, out, command, progress, files.write, answers, same_engine=same_engine)
    results = LOAD_COMPARISON.read(folder)
    print_results(LOAD_COMPARISON, results, folder, as_json=flags["as_json"], verbose=flags["verbose"])
    click.get_current_context().exit(int(results.exit_code()))
