"""``weigh load``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli import completing
from weigh.cli.keys import ValuedCommand, each_once, key, keys, output, switches
from weigh.cli.load.comparison import (
    compare,
    contenders,
    from_file,
    no_comparison,
    one_at_a_time,
    one_command,
    started,
    started_alone,
)
from weigh.cli.output import print_results, say
from weigh.cli.progress import progress
from weigh.experiment.config.load import LoadTable
from weigh.experiment.config.run_request import RunRequest
from weigh.kinds.table import LOAD
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.load.target.target import Target


_FILE = click.Path(path_type=Path)
_FLAGS: list[click.Parameter] = [
    click.Argument(["workload"], nargs=-1, shell_complete=completing.loads),
    key(LoadTable, "target", "TARGET"),
    click.Option(
        ["--target-file"],
        type=_FILE,
        metavar="FILE",
        help="A file with the target in its only line, instead of --target: a password in it is in no list of "
        "processes.",
    ),
    click.Option(
        ["--contender"],
        multiple=True,
        metavar="NAME=TARGET",
        help="Several servers, each in the place of --target, under the same load: verdicts on their response times. "
        "Repeatable.",
    ),
    *keys(LoadTable, baseline="NAME", blocks="N", margin="FRACTION", twice=None),
    *switches(LoadTable, "quick", "duet"),
    click.Option(
        ["--same-engine"],
        is_flag=True,
        help="Load contenders that are one and the same server all the same, as an A/A, and do not refuse.",
    ),
    *keys(LoadTable, rate="N"),
    key(LoadTable, "find_rate", "BUDGET", multiple=True),
    *keys(LoadTable, budget="TIME"),
    key(LoadTable, "require", "BUDGET", multiple=True),
    key(LoadTable, "expect", "WHAT", multiple=True),
    *keys(LoadTable, arrivals="KIND"),
    *switches(LoadTable, "closed", "both"),
    *keys(LoadTable, duration="TIME", warmup="TIME", connections="N[,N...]", threads="N"),
    *switches(LoadTable, "spin"),
    *keys(LoadTable, repeats="K"),
    click.Option(
        ["--crash"],
        type=int,
        metavar="N",
        help="Kill the server (kill -9) under load at a random moment of each of N runs, start it again, and read "
        "back: acknowledged writes that are lost, and how long it takes to recover.",
    ),
    click.Option(
        ["--power-loss"],
        is_flag=True,
        default=None,
        help="Of --crash: the server's disk loses power with it: what was not forced there is gone. Needs root.",
    ),
    click.Option(
        ["--nemesis"],
        metavar="LIST",
        help="Faults of the server under load, each once a run at a moment that --seed gives: kill, pause, partition, "
        "latency, full-disk, slow-disk, clock. What each lost, how long it was felt, and as which errors.",
    ),
    click.Option(
        ["--during"],
        metavar="SQL",
        help="Execute a statement, or those of a FILE.sql, ten times under load: response times with it against those "
        "without.",
    ),
    click.Option(
        ["--with"],
        metavar="'run ...'",
        help="Ask queries of a workload of weigh run in the same server under load (run --workload tpch --scale 0.01): "
        "response times of the load with them against without, and times of the queries with the load against alone.",
    ),
    click.Option(["--kill-command"], metavar="CMD", help="Of --crash and --nemesis kill on a server by URL: kills it."),
    click.Option(
        ["--start-command"],
        multiple=True,
        metavar="CMD",
        help="Of the same: starts it again on its data. Without them, of a server by URL: begins each of its lives (of "
        "--repeats a fresh one each), and stays in the foreground; weigh ends its processes. Of contenders NAME=CMD, "
        "repeatable.",
    ),
    click.Option(
        ["--agents"],
        metavar="PLACE",
        help="Have several agents offer the load together, one on each worker of dask://HOST:PORT or tls://HOST:PORT, "
        "or in local:N processes. Rate and connections are those of all together; each agent is judged by itself.",
    ),
    click.Option(
        ["-P", "properties"],
        multiple=True,
        type=_FILE,
        metavar="FILE",
        help="A property file of YCSB's core workload, instead of WORKLOAD. Repeatable.",
    ),
    click.Option(
        ["-p", "property"],
        multiple=True,
        metavar="NAME=VALUE",
        help="One property of YCSB's, for -P, for ycsb or a letter, e.g. requestdistribution=uniform. Repeatable.",
    ),
    *keys(LoadTable, records="N", warehouses="W", isolation="LEVEL"),
    key(LoadTable, "define", "NAME=VALUE", multiple=True, short="-D"),
    *keys(LoadTable, protocol="MODE"),
    key(
        LoadTable,
        "answers",
        "FILE",
        type=_FILE,
        also=". Of a replay the word keep: its servers' answers are kept and compared",
    ),
    click.Option(
        ["--pin"],
        type=_FILE,
        metavar="FILE",
        help="Write the answers that the server gave before the clock to FILE: check them, and give it to --answers.",
    ),
    *keys(LoadTable, expected_interval="TIME"),
    key(LoadTable, "prepare", "FILE.sql", type=_FILE),
    click.Option(["--speed"], metavar="FACTOR", help="Of a replay: how many times as fast, e.g. 0.5x, 2x, 4x [1x]."),
    click.Option(
        ["--read-only"],
        is_flag=True,
        help="Of a replay: leave out the statements that write, and let no other write.",
    ),
    click.Option(["--on-copy"], is_flag=True, help="Of a replay by URL: the data there is a copy, and may be written."),
    click.Option(
        ["--hide-values"],
        is_flag=True,
        help="Of a replay with --answers keep: keep neither parameters nor rows, only digests of them.",
    ),
    *keys(LoadTable, server_cpus="LIST", client_cpus="LIST", server_memory="SIZE"),
    *switches(LoadTable, "cold"),
    *keys(LoadTable, fanout="N", max_in_flight="N", timeout="TIME", error_budget="SHARE", seed=None),
    key(LoadTable, "contention", "FRACTION", envvar="WEIGH_CONTENTION"),
    key(RunRequest, "anchor", "PLACE", multiple=True, envvar="WEIGH_ANCHOR"),
    *output("weigh/load/1"),
]


@click.command(cls=ValuedCommand, params=_FLAGS)
def load(
    workload: tuple[str, ...],
    target: str | None,
    target_file: Path | None,
    out: Path,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    anchor: tuple[str, ...],
    **flags: Any,
) -> None:
    """Offer work to a server on a schedule, and measure how long its users would wait.

    WORKLOAD is ycsb-a to ycsb-f, ycsb with properties (-P, -p), tpcc, isolation, or scripts in pgbench's
    language as FILE.sql[@WEIGHT], of the server's own SQL or commands. Built in are tpcb-like, simple-update and
    select-only; get asks for an HTTP target.
    replay FOLDER sends what `weigh capture` recorded, or a log, at its recorded times. Without WORKLOAD the
    table [load] of weigh.toml says what to do; or name a FILE.toml, or a FOLDER that `weigh capture` wrote.

    \b
    weigh load ycsb-b --target postgres:embedded --rate 2000 --duration 60s
    weigh load pay.sql@1 look.sql@9 --target postgres://app@db/shop --rate 500
    weigh load ycsb-b --contender a=valkey:embedded --contender b=valkey:embedded@9.0 --rate 2000
    weigh load ycsb-b --target postgres:embedded --rate 800 --require 'p99<=20ms'
    weigh load ycsb-b --target postgres:embedded --find-rate 'p99<=20ms'
    weigh load replay traffic/ --target postgres://app@copy/shop --on-copy --speed 2x
    weigh load ycsb-b --contender a=valkey:embedded --contender b=valkey:embedded@9.0 --find-rate 'p99<=20ms'
    """
    from weigh.load import config
    from weigh.load import run as protocol
    from weigh.load.comparison.config import quick
    from weigh.load.report import files
    from weigh.load.target.registry import target as find

    workload, flags, target = from_file(workload, flags, target, alone=target_file is not None)
    if anchor and (flags["contender"] or flags["agents"]):
        raise UsageError(
            "--anchor is of a load on one server that is made here: each of several servers and agents has a journal "
            "of its own, which would be kept nowhere",
            remedy="leave it and WEIGH_ANCHOR out, or load one server at a time",
        )
    if flags["contender"]:
        if target is not None or target_file is not None:
            raise UsageError("--target is one server, and --contender several", remedy="give one or the other")
        named, servers = contenders(flags["contender"])
        for one, server in zip(named, servers.values(), strict=True):
            keep_secret(one.target, server, "--contender")
        one_at_a_time(flags)
        servers = started(servers, flags.pop("start_command"))
        # Each has a target of its own.
        flags = quick(flags)
        spec, plan = config.requested(workload, "", flags)
        command = command_line({one.target: server.text for one, server in zip(named, servers.values(), strict=True)})
        compare(spec, plan, servers, {**flags, "as_json": as_json, "verbose": verbose}, out, command, progress(quiet))
    no_comparison(flags)
    flags["start_command"] = one_command(flags["start_command"])
    target = named_target(target, target_file)
    server = find(target)
    if target_file is None:
        keep_secret(target, server, "--target")
    server = started_alone(server, flags)
    spec, plan = config.requested(workload, server.text, flags)
    folder = protocol.run(
        spec,
        server,
        out,
        command_line({target: server.text}),
        progress(quiet),
        files.write,
        config.files(spec, flags, plan),
        anchor,
    )
    results = LOAD.read(folder)
    print_results(LOAD, results, folder, as_json=as_json, verbose=verbose)
    click.get_current_context().exit(int(results.exit_code()))


def named_target(target: str | None, file: Path | None) -> str:
    """The target, wherever it was named.

    Raises:
        UsageError: it was named nowhere, or twice, or its file cannot be used.
    """
    from weigh.load.target.secrecy import target_of_file

    if target is not None and file is not None:
        raise UsageError("--target and --target-file both name the server", remedy="give one of them")
    if file is not None:
        return target_of_file(file)
    if target is None:
        raise UsageError("no server is named", remedy="add --target postgres:embedded, or a URL; or --target-file FILE")
    name, equals, _ = target.partition("=")
    if equals and ":" not in name:
        # Every target has a colon, and a name has none.
        raise UsageError(
            f"--target is one server, and '{name}=' is the name of one of several",
            remedy="write --contender NAME=TARGET for each of them",
        )
    return target


def keep_secret(target: str, server: Target, flag: str) -> None:
    """Take a password out of the list of processes, and say that it was there."""
    from weigh.load.target.secrecy import hide

    url = getattr(server, "url", None)
    if url is None or not url.inline or not any(target in word for word in sys.argv):
        return
    hidden = hide(target, server.text)
    now = "weigh has overwritten it there" if hidden else "every user of this machine can read it there"
    known = {"mysql": ["MYSQL_PWD"], "postgres": ["PGPASSWORD", "~/.pgpass"], "redis": ["REDISCLI_AUTH"]}
    known["clickhouse"] = ["CLICKHOUSE_PASSWORD"]
    ways = known.get(server.kind, [])
    ways += ["--target-file FILE"] if flag == "--target" else []
    out = f" {' or '.join(ways)} keeps it out." if ways else ""
    say(
        f"weigh: the password of {flag} stands in the list of processes and in the shell's history; {now}.{out}",
        err=True,
    )


def command_line(hidden: Mapping[str, str]) -> str:
    """The command line, with what may be shown in the place of each target, which may hold a password."""
    arguments = sys.argv[1:]
    for target, instead in hidden.items():
        arguments = [word.replace(target, instead) for word in arguments]
    words = ["weigh", *(word for word in _without_secrets(arguments) if word != "--verbose")]
    context = click.get_current_context()
    words = [*words[:2], *each_once(context.command, words[2:])]
    if context.get_parameter_source("contention") is click.core.ParameterSource.ENVIRONMENT:
        # It is part of the experiment, and no variable of the environment can be observed in a report.
        words += ["--contention", context.params["contention"]]
    return shlex.join(words)


def _without_secrets(words: Iterable[str]) -> Iterator[str]:
    """Without the values of properties that are none of YCSB's own: one of them may be a password."""
    from weigh.load.ycsb.properties import is_secret

    before = ""
    for word in words:
        name, equals, _ = (word if before == "-p" else word.removeprefix("-p")).partition("=")
        secret = (before == "-p" or word.startswith("-p")) and equals and is_secret(name.strip())
        yield word[: word.index("=") + 1] + "..." if secret else word
        before = word
