"""``--nemesis`` and ``--during`` as part of a spec."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from weigh import workloads
from weigh.data.generator import dataset_scale
from weigh.load.config.numbers import text_of
from weigh.load.disturbances import plan
from weigh.load.disturbances.nemeses import DISKS, LINKED, NEMESES
from weigh.load.durability.config import CLUSTERS
from weigh.load.spec import Disturbances, Nemesis, interval_s
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from weigh.model.units import Seconds

_FLAGS = ("nemesis", "during", "with")
_NOT_WITH = {
    "contender": "it is about one server; disturb each by itself",
    "crash": "--nemesis kill is the kill of several faults",
    "find_rate": "a search needs a server that is left alone",
    "require": "what happens to the server breaks what it is to hold",
    "both": "it is of one kind of run",
    "closed": "a closed loop stops asking while the server stands still, so nobody feels it",
    "agents": "each agent would have to be told when something happens",
    "server_memory": "a server that is started again would not be held to it",
    "cold": "what happens alongside the load brings data into memory",
}
"""Flags that contradict them, and why."""
_STATEMENT = re.compile(r"""(?:[^;'"$]|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$.*?\$\1\$|\$)+""", re.DOTALL)
_SHOWN = 80
"""Characters of statements that are their name."""
_LONGEST_FILE = 1 << 20
"""Bytes."""
_SERVERS = ("postgres:", "postgresql:", "mariadb:", "mysql:")
"""Targets whose servers ``weigh run`` can ask."""
_WHOLE = 3
"""Intervals of a window, at least: the first one is left out."""


def wanted(flags: dict[str, Any], target: str, kinds: int, duration_s: Seconds) -> Disturbances | msgspec.UnsetType:
    """What is to happen; left out where nothing is.

    Args:
        flags: of the command line, by name; None where one was left out.
        target: what the user wrote, without its password.
        kinds: of runs that are asked for.
        duration_s: of each.

    Raises:
        UsageError: it cannot be read or done, or another flag contradicts it.
    """
    given = [f"--{name}" for name in _FLAGS if flags.get(name) is not None]
    if not given:
        return msgspec.UNSET
    flag = given[0]
    if len(given) > 1:
        raise UsageError(
            f"{' and '.join(given)}: what users feel would belong to neither", remedy="make a load for each"
        )
    for name, why in _NOT_WITH.items():
        if flags.get(name):
            other = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} and {other} do not go together: {why}", remedy=f"leave {other} out")
    if (flags.get("arrivals") or "").startswith(("ramp", "steps")):
        raise UsageError(
            f"{flag} compares windows of a run, and its rate changes", remedy="take constant or poisson arrivals"
        )
    if kinds > 1:
        raise UsageError(f"{flag} is for one kind of run", remedy="give one number of --connections")
    if target.startswith(("sqlite:", "http://", "https://")):
        raise UsageError(
            f"{flag} is about a server of SQL or RESP", where=target, remedy="take postgres:... or valkey:..."
        )
    if flags.get("nemesis") is not None:
        return _nemeses(flags, target)
    _check(duration_s)
    return _queries(flags["with"], target) if flags.get("with") is not None else _statements(flags["during"], target)


def _check(duration_s: Seconds) -> None:
    """See that there is room for every window."""
    each = interval_s(duration_s)
    if plan.window_s(duration_s, each) < _WHOLE * each:
        raise UsageError(
            f"a run of {duration_s:g} s has no room for {2 * plan.BLOCKS} windows of {_WHOLE} intervals",
            remedy="raise --duration to 30s or more",
        )


def _nemeses(flags: dict[str, Any], target: str) -> Disturbances:
    names = tuple(part.strip() for part in flags["nemesis"].split(",") if part.strip())
    for name in names:
        if name not in NEMESES:
            raise UsageError(
                f"there is no nemesis '{name}'",
                remedy=f"write --nemesis {','.join(NEMESES[:3])}; {nearest(name, NEMESES)}",
            )
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f"--nemesis names {twice} twice: each is made once in a run",
            remedy="name it once; --repeats 2 makes it in two runs",
        )
    if not names:
        raise UsageError("--nemesis names no fault", remedy=f"write --nemesis {','.join(NEMESES[:3])}")
    kill, start = flags.get("kill_command") or "", flags.get("start_command") or ""
    if "://" in target and "kill" in names and not (kill and start):
        raise UsageError(
            "weigh cannot kill a server that it has not started, nor start it again",
            where=target,
            remedy="give --kill-command 'kill -9 ...' and --start-command '...', or take an embedded server",
        )
    if target.startswith(CLUSTERS) and names != ("kill",):
        raise UsageError(
            f"{next(name for name in names if name != 'kill')} is made of one server, and a cluster is several nodes",
            where=target,
            remedy="take --nemesis kill, with a --kill-command and a --start-command of one node",
        )
    of_one = [name for name in names if name in (*LINKED, "kill")]
    if target.partition("://")[0].endswith("-cluster") and of_one:
        raise UsageError(
            f"{of_one[0]} happens to one server or on the way to it, and a cluster is several",
            where=target,
            remedy=f"leave {of_one[0]} out, or take the URL of a server that is in no cluster",
        )
    here = [name for name in names if name in (*DISKS, "clock")]
    if "://" in target and here:
        raise UsageError(
            f"{here[0]} is made where weigh starts the server, and this one runs already",
            where=target,
            remedy=f"leave {here[0]} out, or take an embedded server",
        )
    return Disturbances(nemeses=cast("tuple[Nemesis, ...]", names), kill=kill, start=start)


def _statements(text: str, target: str) -> Disturbances:
    name = text
    if text.endswith(".sql") or (len(text.split()) == 1 and Path(text).is_file()):
        text, name = text_of("file of --during", Path(text), _LONGEST_FILE), Path(text).name
    found = tuple(statements(text))
    if not found:
        raise UsageError("--during names no statement", remedy="write --during 'VACUUM', or a FILE.sql")
    if len(found) > 1 and target.startswith(("valkey", "redis")):
        raise UsageError(
            f"--during takes one command of Valkey and Redis, and not {len(found)}",
            remedy=f"write --during '{found[0]}'; several at once are a script: EVAL",
        )
    short = " ".join(name.split())
    return Disturbances(during=found, name=short if len(short) <= _SHOWN else f"{short[: _SHOWN - 4]} ...")


def _queries(text: str, target: str) -> Disturbances:
    """``run --workload NAME [--scale S] [--operations A,B]``."""
    words = text.split()
    given = dict(zip(words[1::2], words[2::2], strict=False))
    if words[:1] != ["run"] or len(words) % 2 == 0 or not given.keys() <= {"--workload", "--scale", "--operations"}:
        raise UsageError(
            f"--with takes a run of queries, and not '{text}'", remedy="write --with 'run --workload tpch --scale 0.01'"
        )
    if not target.startswith(_SERVERS):
        raise UsageError(
            "--with loads tables for its queries, and takes a server of PostgreSQL or MariaDB",
            where=target,
            remedy="take postgres:embedded, mariadb:embedded@FOLDER or a URL, or --during FILE.sql on your tables",
        )
    workload = given.get("--workload", "tpch")
    source = workloads.load(workload)
    scale = dataset_scale(source.dataset, given.get("--scale"))
    chosen = tuple(given.get("--operations", "").split(",")) if "--operations" in given else ()
    known = workloads.operation_names(source)
    if known and (unknown := [one for one in chosen if one not in known]):
        raise UsageError(f"{workload} has no query '{unknown[0]}'", remedy=nearest(unknown[0], known))
    return Disturbances(
        queries=workload,
        scale=scale,
        operations=chosen,
        name=f"{workload} at scale {scale:g}",
        notice=getattr(source, "notice", ""),
    )


def statements(text: str) -> list[str]:
    """The statements of a text: apart at semicolons that stand in no text of SQL's, and without comments of a line."""
    plain = re.sub(r"^\s*--[^\n]*$", "", text, flags=re.MULTILINE)
    return [part for one in _STATEMENT.finditer(plain) if (part := one.group().strip())]
