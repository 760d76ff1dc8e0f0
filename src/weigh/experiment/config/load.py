"""``[load]`` of weigh.toml: what ``weigh load`` takes from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec

Connections = Annotated[int, msgspec.Meta(ge=1)]
"""As many as there are to be."""


class LoadContenderTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[[load.contender]]`` of weigh.toml.

    Attributes:
        target: the server, as ``--target`` takes it (docs/reference/targets.md).
        name: of the contender, unique [its target].
    """

    target: str
    name: str | None = None


class LoadTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[load]`` of weigh.toml; a flag of ``weigh load`` wins over its key.

    Attributes:
        workload: ``"ycsb-a"`` to ``"ycsb-f"``, ``"tpcc"``, ``"isolation"``, a script or a list of them, beside the file
            (docs/reference/workloads.md#scripts).
        target: the server: ``"postgres:embedded"``, ``"valkey:embedded"``, ``"sqlite:embedded"``, which weigh starts,
            with @VERSION, @FOLDER of an installation (``"postgres:embedded@/opt/pg18"``) and ?SETTING=VALUE;
            ``"sqlite:PATH"``; or a URL of one that runs (docs/reference/targets.md).
        contender: the servers that are compared, in the place of ``target`` (docs/guide/load-compare.md).
        baseline: name of the contender that the others are compared with. Written here it is declared: a SLOWER past
            the margin exits 1 [the first contender].
        blocks: fresh lives of every contender's server; a verdict needs 5 [``10``].
        quick: of several contenders a first look, of two in less than six minutes: 6 blocks of 15 s a run, one turn of
            the baseline in each, where these are not named.
        margin: the smallest change that matters, ``"3%"`` or ``0.03`` [``"3%"``].
        twice: whether the baseline takes part twice, which shows what no difference looks like [``true``].
        duet: load two contenders at the same moment, each with its generator on half of the CPUs: little noise, and
            another question.
        rate: requests a second that are due, ``500`` or ``"2k"``; an open loop needs it, but for steps and trace.
        find_rate: find the highest rate that keeps a budget, ``"p99<=20ms"`` or ``"errors<=0.1%"``, or several of
            them with commas between; ``rate`` is then the highest to try, ``duration`` the length of a probe; of
            several contenders also the ratio of their rates (docs/guide/find-rate.md).
        budget: with ``find_rate``, time for all probes of a server [``"4m30s"``].
        require: what must hold at that rate, ``"p99<=20ms"`` or ``"errors<=0.1%"``, or several of them with commas
            between: HOLDS exits 0, BROKEN 1, OPEN 3 (docs/guide/load.md#does-it-hold).
        expect: of a server of HTTP, what each answer must be besides a success: ``"json .status=ok"``,
            ``"json .error!=true"``, ``"contains TEXT"``, ``"lacks TEXT"``, ``"status 200,204"``, or several of them;
            another answer is an error (docs/reference/targets.md#http).
        arrivals: when requests are due: ``"constant"``, ``"poisson"``, ``"bursts[:PEAK[:LENGTH]]"``,
            ``"even-bursts[:...]"``, ``"ramp:TO"``, ``"steps:R1,R2,...[:TIME]"``, ``"trace:FILE"``
            (docs/guide/load.md#open-and-closed-loop) [``"constant"``].
        closed: a closed loop instead: the next request is sent when the last one was answered.
        both: an open and a closed loop, one after the other: what the closed one hides.
        duration: length of each run; the rest of a longer trace is not offered [``"60s"``].
        warmup: time left out at the beginning of each run [found by a test].
        connections: connections to the server; several numbers are several runs [``16``].
        threads: threads of the generator: at most 64, or the connections, or ``max_in_flight``
            (docs/reference/targets.md#sqlite) [half of the cores].
        max_in_flight: requests sent and not answered, at most [the connections].
        spin: wait for the moment of a request awake, not asleep: more punctual, and each thread takes a whole core.
        server_cpus: CPUs of a server that weigh starts, e.g. ``"0-1,3"`` [all].
        client_cpus: CPUs of the generator, none of them the server's [all].
        server_memory: memory that a control group holds a server to that weigh starts, e.g. ``"512MB"``, or bytes
            [no limit].
        cold: begin every run with a server whose tables are not in memory, and prove it.
        fanout: also report what a page takes that makes so many requests at once.
        expected_interval: also estimate what a closed loop would have seen, with each connection asking once in that
            time.
        records: records of YCSB, e.g. ``"1M"`` [``"100K"``].
        warehouses: warehouses of tpcc, each of about 100 MB; without a ``rate`` ten users at terminals ask in each
            [``1``].
        isolation: of the workload isolation: the level that every transaction asks for, ``"read-uncommitted"``,
            ``"read-committed"``, ``"repeatable-read"`` or ``"serializable"`` (docs/guide/isolation.md) [the server's].
        define: variables of the scripts, e.g. scale=10: a number, or a text that stands in its place
            (docs/reference/workloads.md#scripts).
        answers: file of answers to the scripts' statements that you trust; the server's are compared with them before
            the clock starts. It lies alongside this file.
        prepare: file of SQL, such as pg_dump writes, that makes the data of an embedded server for your scripts or a
            replay, in every life anew (docs/guide/load.md#your-own-sql). It lies alongside this file.
        protocol: of scripts, as pgbench's: ``"prepared"``, or ``"simple"``, which sends statements as text each time
            [``"prepared"``].
        repeats: runs of each kind; above 1 each in a fresh life of an embedded server [``1``].
        timeout: time after which a request is given up [``"30s"``].
        error_budget: share of the requests that may fail [``"0.1%"``].
        seed: seed of keys, values, arrivals, and of the order of contenders [``42``].
        contention: share of a run's CPU that others may use before it is refused; ``"100%"`` allows any
            (docs/concept/load.md#the-machine-during-the-load) [``"5%"``].
    """

    workload: str | list[str] = []
    target: str | None = None
    contender: list[LoadContenderTable] = []
    baseline: str | None = None
    blocks: int | None = None
    quick: bool = False
    margin: float | str | None = None
    twice: bool | None = None
    duet: bool = False
    rate: float | str | None = None
    find_rate: str | list[str] = []
    budget: str | None = None
    require: str | list[str] = []
    expect: str | list[str] = []
    arrivals: str | None = None
    closed: bool = False
    both: bool = False
    duration: str | None = None
    warmup: str | None = None
    connections: Connections | list[Connections] | None = None
    threads: int | None = None
    max_in_flight: int | None = None
    spin: bool = False
    server_cpus: str | None = None
    client_cpus: str | None = None
    server_memory: int | str | None = None
    cold: bool = False
    fanout: int | None = None
    expected_interval: str | None = None
    records: int | str | None = None
    warehouses: int | None = None
    isolation: str | None = None
    define: dict[str, bool | int | float | str] = {}
    answers: str | None = None
    prepare: str | None = None
    protocol: str | None = None
    repeats: int | None = None
    timeout: str | None = None
    error_budget: float | str | None = None
    seed: int | None = None
    contention: float | str | None = None

    @property
    def workloads(self) -> tuple[str, ...]:
        """Its words, as the command line would have them."""
        return (self.workload,) if isinstance(self.workload, str) else tuple(self.workload)

    def as_flags(self) -> dict[str, Any]:
        """Its keys as flags of the command line, by name."""
        connections = [self.connections] if isinstance(self.connections, int) else self.connections
        found = {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("workload", "target")}
        return {
            **found,
            "contender": tuple(f"{one.name}={one.target}" if one.name else one.target for one in self.contender),
            **{name: _several(getattr(self, name)) for name in ("find_rate", "require", "expect")},
            "answers": Path(self.answers) if self.answers is not None else None,
            "prepare": Path(self.prepare) if self.prepare is not None else None,
            "connections": ",".join(map(str, connections)) if connections else None,
            "define": tuple(f"{name}={_defined(value)}" for name, value in self.define.items()),
            **{name: _text(getattr(self, name)) for name in _TEXTS},
        }


def _several(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _defined(value: bool | int | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_TEXTS = ("rate", "records", "error_budget", "contention", "margin", "server_memory")
"""Keys that may be numbers, of flags that are text."""


def _text(value: float | str | None) -> str | None:
    return value if value is None or isinstance(value, str) else f"{value:.17g}"
