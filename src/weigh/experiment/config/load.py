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
        workload: ``"ycsb-a"`` to ``"ycsb-f"``, ``"tpcc"``, a script or a list of them, beside the file
            (docs/reference/workloads.md#scripts).
        target: the one server, where there are no contenders.
        contender: the servers that are compared (docs/guide/load-compare.md).
        baseline: name of the contender that the others are compared with. Written here it is declared: a SLOWER past
            the margin exits 1 [the first contender].
        blocks: fresh lives of every contender's server [``10``].
        margin: the smallest difference that matters: a number below 1, or text such as ``"5%"`` [``0.03``].
        twice: whether the baseline takes part twice, which shows what no difference looks like [``true``].
        duet: whether two contenders are loaded at the same moment, each on half of the CPUs.
        rate: requests a second that are due: a number, or text such as ``"2k"``.
        find_rate: budgets that the highest rate is to keep, ``"p99<=20ms"`` or a list of them, of each server; ``rate``
            is then the highest to try (docs/guide/find-rate.md).
        budget: time of that search [``"4m30s"``].
        arrivals: when they are due, as ``--arrivals`` takes it [``"constant"``].
        closed: a closed loop instead.
        both: an open and a closed loop.
        duration: length of each run [``"60s"``].
        warmup: time left out at the beginning of each run [found by a test].
        connections: to the server; several numbers are several runs [``16``].
        threads: of the generator [half of the cores].
        max_in_flight: requests sent and not answered, at most [the connections].
        spin: whether the generator asks the clock until a request is due, instead of sleeping.
        server_cpus: CPUs of a server that weigh starts, ``"0-1,3"`` [all].
        client_cpus: CPUs of the generator, none of them the server's [all].
        server_memory: memory that such a server is held to: text such as ``"512MB"``, or bytes [no limit].
        cold: whether every run begins with a server whose tables are not in memory.
        fanout: requests of a page whose time is reported too [none].
        expected_interval: time between two requests of a connection, by which a closed loop is corrected [none].
        records: of YCSB [``"100K"``].
        warehouses: of ``"tpcc"`` [``1``].
        define: variables of the scripts, by name: numbers, truths, or texts that stand in their place.
        answers: file of answers to the scripts' statements that you trust, beside this one [none].
        prepare: file of SQL that makes the data of an embedded server, beside this one [none].
        protocol: of scripts: ``prepared`` or ``simple`` [``"prepared"``].
        repeats: runs of each kind, of one server [``1``].
        timeout: time after which a request is given up [``"30s"``].
        error_budget: share of the requests that may fail [``"0.1%"``].
        seed: of keys, values, arrivals, and of the order of contenders [``42``].
        contention: share of a run's CPU that others may use: as ``margin``; ``"100%"`` allows any [``0.05``].
    """

    workload: str | list[str] = []
    target: str | None = None
    contender: list[LoadContenderTable] = []
    baseline: str | None = None
    blocks: int | None = None
    margin: float | str | None = None
    twice: bool | None = None
    duet: bool = False
    rate: float | str | None = None
    find_rate: str | list[str] = []
    budget: str | None = None
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
            "find_rate": (self.find_rate,) if isinstance(self.find_rate, str) else tuple(self.find_rate),
            "answers": Path(self.answers) if self.answers is not None else None,
            "prepare": Path(self.prepare) if self.prepare is not None else None,
            "connections": ",".join(map(str, connections)) if connections else None,
            "define": tuple(f"{name}={_defined(value)}" for name, value in self.define.items()),
            **{name: _text(getattr(self, name)) for name in _TEXTS},
        }


def _defined(value: bool | int | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_TEXTS = ("rate", "records", "error_budget", "contention", "margin", "server_memory")
"""Keys that may be numbers, of flags that are text."""


def _text(value: float | str | None) -> str | None:
    return value if value is None or isinstance(value, str) else f"{value:.17g}"
