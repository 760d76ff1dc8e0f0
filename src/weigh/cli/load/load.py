"""``weigh load``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.load.comparison import compare, comparison_options, contenders, from_file, no_comparison, one_at_a_time
from weigh.cli.load.replay import replay_options
from weigh.cli.output import print_results, say
from weigh.cli.progress import progress
from weigh.kinds.folder import DEFAULT_OUT
from weigh.kinds.table import LOAD
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.load.target.target import Target


@click.command()
@click.argument("workload", nargs=-1)
@click.option(
    "--target",
    metavar="TARGET",
    help="The server: postgres:embedded, valkey:embedded, sqlite:embedded, which weigh starts, with @VERSION, @FOLDER "
    "of an installation (postgres:embedded@/opt/pg18) and ?SETTING=VALUE; sqlite:PATH; or a URL of one that runs.",
)
@click.option(
    "--target-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file with the target in its only line, instead of --target: a password in it is in no list of processes.",
)
@comparison_options
@click.option(
    "--rate",
    metavar="N",
    help="Requests a second that are due, 500 or 2k; an open loop needs it, but for steps and trace.",
)
@click.option(
    "--find-rate",
    multiple=True,
    metavar="BUDGET",
    help="Find the highest rate that keeps a budget: 'p99<=20ms' or 'errors<=0.1%'. Repeatable: all are kept. --rate "
    "is then the highest to try, --duration the length of a probe [as long as it needs]. With several contenders also "
    "the ratio of their rates.",
)
@click.option("--budget", metavar="TIME", help="With --find-rate: time for all probes of a server [4m30s].")
@click.option(
    "--arrivals",
    metavar="KIND",
    help="When requests are due: constant, poisson, bursts[:PEAK[:LENGTH]], even-bursts[:...], ramp:TO, "
    "steps:R1,R2,...[:TIME], "
    "trace:FILE [constant].",
)
@click.option(
    "--closed", is_flag=True, help="A closed loop instead: the next request is sent when the last one was answered."
)
@click.option("--both", is_flag=True, help="An open and a closed loop, one after the other: what the closed one hides.")
@click.option("--duration", metavar="TIME", help="Length of each run; the rest of a longer trace is not offered [60s].")
@click.option("--warmup", metavar="TIME", help="Time left out at the beginning of each run [found by a test].")
@click.option(
    "--connections", metavar="N[,N...]", help="Connections to the server; several numbers are several runs [16]."
)
@click.option(
    "--threads",
    type=int,
    metavar="N",
    help="Threads of the generator: at most 64, or the connections, or --max-in-flight [half of the cores].",
)
@click.option(
    "--spin",
    is_flag=True,
    help="Wait for the moment of a request awake, not asleep: more punctual, and each thread takes a whole core.",
)
@click.option(
    "--repeats",
    type=int,
    metavar="K",
    help="Runs of each kind; above 1 each in a fresh life of an embedded server [1].",
)
@click.option(
    "--crash",
    type=int,
    metavar="N",
    help="Kill the server (kill -9) under load at a random moment of each of N runs, start it again, and read back: "
    "acknowledged writes that are lost, and how long it takes to recover.",
)
@click.option("--kill-command", metavar="CMD", help="Of --crash on a server by URL: kills it.")
@click.option("--start-command", metavar="CMD", help="Of --crash on a server by URL: starts it again on its data.")
@click.option(
    "-P",
    "properties",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A property file of YCSB's core workload, instead of WORKLOAD. Repeatable.",
)
@click.option(
    "-p",
    "property",
    multiple=True,
    metavar="NAME=VALUE",
    help="One property of YCSB's, for -P, for ycsb or a letter, e.g. requestdistribution=uniform. Repeatable.",
)
@click.option("--records", metavar="N", help="Records of YCSB, e.g. 1M [100K].")
@click.option(
    "--warehouses",
    type=int,
    metavar="W",
    help="Warehouses of tpcc, each of about 100 MB; without a --rate ten users at terminals ask in each [1].",
)
@click.option(
    "--define",
    "-D",
    multiple=True,
    metavar="NAME=VALUE",
    help="A variable of the scripts, e.g. scale=10: a number, or a text that stands in its place. Repeatable.",
)
@click.option(
    "--protocol",
    metavar="MODE",
    help="Of scripts, as pgbench's: prepared, or simple, which sends statements as text each time [prepared].",
)
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file of answers to the scripts' statements that you trust; the server's are compared with them before the "
    "clock starts. Of a replay the word keep: its servers' answers are kept and compared.",
)
@click.option(
    "--pin",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the answers that the server gave before the clock to FILE: check them, and give it to --answers.",
)
@click.option(
    "--expected-interval",
    metavar="TIME",
    help="Also estimate what a closed loop would have seen, with each connection asking once in that time.",
)
@click.option(
    "--prepare",
    type=click.Path(path_type=Path),
    metavar="FILE.sql",
    help="Of your scripts, and of a replay, on an embedded server: makes its data, as psql would; in every life anew.",
)
@replay_options
@click.option("--server-cpus", metavar="LIST", help="CPUs of a server that weigh starts, e.g. 0-1,3 [all].")
@click.option("--client-cpus", metavar="LIST", help="CPUs of the generator, none of them the server's [all].")
@click.option(
    "--server-memory", metavar="SIZE", help="Memory that a control group holds such a server to, e.g. 512MB [no limit]."
)
@click.option(
    "--cold", is_flag=True, help="Begin every run with a server whose tables are not in memory, and prove it."
)
@click.option("--fanout", type=int, metavar="N", help="Also report what a page takes that makes N requests at once.")
@click.option(
    "--max-in-flight", type=int, metavar="N", help="Requests sent and not answered, at most [the connections]."
)
@click.option("--timeout", metavar="TIME", help="Time after which a request is given up [30s].")
@click.option("--error-budget", metavar="SHARE", help="Share of the requests that may fail [0.1%].")
@click.option("--seed", type=int, help="Seed of keys, values and arrivals [42].")
@click.option(
    "--contention",
    metavar="FRACTION",
    envvar="WEIGH_CONTENTION",
    help="Share of a run's CPU that others may use before it is refused; 100% allows any [5%].",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=DEFAULT_OUT, metavar="DIR", help="Where the evidence goes [runs]."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (schema weigh/load/1).")
@click.option("--verbose", is_flag=True, help="All that there is to say, below the first screen.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
def load(
    workload: tuple[str, ...],
    target: str | None,
    target_file: Path | None,
    out: Path,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **flags: Any,
) -> None:
    """Offer work to a server on a schedule, and measure how long its users would wait.

    WORKLOAD is ycsb-a to ycsb-f, ycsb with properties (-P, -p), tpcc, or scripts in pgbench's language as
    FILE.sql[@WEIGHT]. Built in are tpcb-like, simple-update and select-only; get asks for an HTTP target. replay
    FOLDER sends what `weigh capture` recorded, or a log, at its recorded times. Without WORKLOAD the
    table [load] of weigh.toml says what to do; or name a FILE.toml, or a FOLDER that `weigh capture` wrote.

    \b
    weigh load ycsb-b --target postgres:embedded --rate 2000 --duration 60s
    weigh load pay.sql@1 look.sql@9 --target postgres://app@db/shop --rate 500
    weigh load ycsb-b --contender a=valkey:embedded --contender b=valkey:embedded@9.0 --rate 2000
    weigh load ycsb-b --target postgres:embedded --find-rate 'p99<=20ms'
    weigh load replay traffic/ --target postgres://app@copy/shop --on-copy --speed 2x
    weigh load ycsb-b --contender a=valkey:embedded --contender b=valkey:embedded@9.0 --find-rate 'p99<=20ms'
    """
    from weigh.load import config
    from weigh.load import run as protocol
    from weigh.load.report import files
    from weigh.load.target.registry import target as find

    workload, flags, target = from_file(workload, flags, target, alone=target_file is not None)
    if flags["contender"]:
        if target is not None or target_file is not None:
            raise UsageError("--target is one server, and --contender several", remedy="give one or the other")
        named, servers = contenders(flags["contender"])
        for one, server in zip(named, servers.values(), strict=True):
            keep_secret(one.target, server, "--contender")
        one_at_a_time(flags)
        # Each has a target of its own.
        spec, plan = config.requested(workload, "", flags)
        command = command_line({one.target: server.text for one, server in zip(named, servers.values(), strict=True)})
        compare(spec, plan, servers, {**flags, "as_json": as_json, "verbose": verbose}, out, command, progress(quiet))
    no_comparison(flags)
    target = named_target(target, target_file)
    server = find(target)
    if target_file is None:
        keep_secret(target, server, "--target")
    spec, plan = config.requested(workload, server.text, flags)
    folder = protocol.run(
        spec,
        server,
        out,
        command_line({target: server.text}),
        progress(quiet),
        files.write,
        config.files(spec, flags, plan),
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
    return target


def keep_secret(target: str, server: Target, flag: str) -> None:
    """Take a password out of the list of processes, and say that it was there."""
    from weigh.load.target.secrecy import hide

    url = getattr(server, "url", None)
    if url is None or not url.inline or not any(target in word for word in sys.argv):
        return
    hidden = hide(target, server.text)
    now = "weigh has overwritten it there" if hidden else "every user of this machine can read it there"
    ways = {"postgres": ["PGPASSWORD", "~/.pgpass"], "redis": ["REDISCLI_AUTH"]}.get(server.kind, [])
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
    if context.get_parameter_source("contention") is click.core.ParameterSource.ENVIRONMENT:
        # It is part of the experiment, and no variable of the environment can be seen in a report.
        words += ["--contention", context.params["contention"]]
    return shlex.join(words)


def _without_secrets(words: Iterable[str]) -> Iterator[str]:
    """Without the values of properties that are none of YCSB's own: one of them may be a password."""
    from weigh.load.ycsb_properties import is_secret

    before = ""
    for word in words:
        name, equals, _ = (word if before == "-p" else word.removeprefix("-p")).partition("=")
        secret = (before == "-p" or word.startswith("-p")) and equals and is_secret(name.strip())
        yield word[: word.index("=") + 1] + "..." if secret else word
        before = word
