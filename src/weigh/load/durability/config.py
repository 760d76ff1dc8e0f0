"""``--crash`` and the commands that go with it, as part of a spec."""

from __future__ import annotations

from typing import Any

from weigh.load.spec import Crashes
from weigh.model.errors import UsageError

CLUSTERS = ("cassandra://", "scylla://")
_NOT_WITH = {
    "contender": "--crash is for one server",
    "find_rate": "--crash is for one rate",
    "repeats": "--crash makes a run for each crash",
    "server_cpus": "a server that was killed and started again would not be held to it",
    "server_memory": "a server that was killed and started again would not be held to it",
    "cold": "what is read back after a crash is in memory",
}
"""Flags that contradict crashes, and why."""


def crashes(flags: dict[str, Any], target: str, kinds: int) -> Crashes | None:
    """Crashes, if any are asked for.

    Args:
        flags: of the command line, by name; None where one was left out.
        target: what the user wrote, without its password.
        kinds: of runs that are asked for.

    Raises:
        UsageError: the server cannot be killed, or the flags contradict one another.
    """
    kill, start = flags.get("kill_command") or "", flags.get("start_command") or ""
    number = flags.get("crash")
    power_loss = bool(flags.get("power_loss"))
    if number is None:
        if power_loss:
            raise UsageError("--power-loss is of crashes", remedy="add --crash N, or leave it out")
        if (kill or start) and not flags.get("nemesis"):
            raise UsageError(
                "--kill-command and --start-command are for crashes",
                remedy="add --crash N or --nemesis kill, or leave them out",
            )
        return None
    if number < 1:
        raise UsageError(f"--crash {number} cannot be", remedy="give a whole number above 0")
    if target.startswith("sqlite:"):
        raise UsageError(
            "--crash kills a server, and SQLite runs inside weigh: a kill would be weigh's own",
            remedy="take a server; what SQLite's settings may lose is reported without it",
        )
    if target.startswith(CLUSTERS):
        raise UsageError(
            "--crash is for one server that is read back when it answers again, and of a cluster one node is no "
            "server: the others answer for it",
            where=target,
            remedy="take --nemesis kill, with a --kill-command and a --start-command of one node",
        )
    if target.partition("://")[0].endswith("-cluster"):
        raise UsageError(
            "--crash kills a server and reads it back, and a cluster is several",
            where=target,
            remedy="kill a node yourself while a load goes on: what fails meanwhile is counted, and written keys "
            "are read back; or crash a server that is in no cluster",
        )
    if "://" in target and power_loss:
        raise UsageError(
            "--power-loss is made where weigh starts the server, on a disk of its own, and this one runs already",
            where=target,
            remedy="leave --power-loss out, or take an embedded server",
        )
    if "://" in target and not kill and not start:
        raise UsageError(
            "weigh cannot kill a server that it has not started, nor start it again",
            where=target,
            remedy="give --kill-command 'kill -9 ...' and --start-command '...', or take an embedded server",
        )
    if (kill or start) and "://" not in target:
        raise UsageError(
            "weigh kills and starts a server of its own by itself",
            where=target,
            remedy="leave --kill-command and --start-command out",
        )
    if bool(kill) != bool(start):
        missing = "--start-command" if kill else "--kill-command"
        raise UsageError(f"--crash needs {missing} as well", remedy="one kills the server, the other starts it again")
    for name, why in _NOT_WITH.items():
        if flags.get(name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"--crash and {flag} do not go together: {why}", remedy=f"leave {flag} out")
    if (flags.get("arrivals") or "").startswith("ramp"):
        raise UsageError("--crash compares before and after, and a ramp goes on", remedy="take constant arrivals")
    if kinds > 1:
        raise UsageError(
            "--crash is for one kind of run", remedy="leave --both out, and give one number of --connections"
        )
    return Crashes(number=number, kill=kill, start=start, power_loss=power_loss)
