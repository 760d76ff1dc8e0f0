"""What a user asks of ``weigh load``, as a spec."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load import conditions
from weigh.load.comparison.config import parse
from weigh.load.config import disturbances, http
from weigh.load.config.arrivals import arrivals
from weigh.load.config.numbers import LONGEST_NUMBER, duration_of, positive, text_of, whole
from weigh.load.durability import config as durability
from weigh.load.files import LoadFiles
from weigh.load.fleet import config as agents
from weigh.load.gate import invariants, pins
from weigh.load.isolation import config as isolation
from weigh.load.isolation.workload import NAME as ISOLATION
from weigh.load.preparation import prepared
from weigh.load.rate_search import config as rate_search
from weigh.load.replay import config as replay_config
from weigh.load.requirements import config as requirements
from weigh.load.spec import Arrivals, LoadSpec, Loop, QueryMode, Script, interval_s
from weigh.load.tpcc import config as tpcc
from weigh.load.ycsb import properties as ycsb_properties
from weigh.model.errors import UsageError, nearest
from weigh.model.units import parse_fraction, parse_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.recording.plan import Plan


YCSB = tuple(ycsb_properties.LETTERS)
BUILT_IN = ("tpcb-like", "simple-update", "select-only")
"""Scripts that pgbench's documentation describes (docs/reference/workloads.md#scripts)."""
_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(LoadSpec)}
"""Of a spec, where no flag says otherwise."""
_GET = "get"
"""Asks a server of HTTP for the target's own path."""
_MOST_THREADS = 64
_MOST_RECORDS = 1 << 47
"""``MOST_KEYS`` in crates/weigh-load/src/workload/ycsb/value.rs."""
_LONGEST_SCRIPT = 1 << 20
"""Bytes."""


def requested(workload: Sequence[str], target: str, flags: dict[str, Any]) -> tuple[LoadSpec, Plan | None]:
    """The spec, and of a replay what is sent; arguments and errors are those of :func:`make`."""
    if not replay_config.is_replay(workload):
        return make(workload, target, flags), None
    if flags.get("agents"):
        raise UsageError(
            "--agents share a schedule, and the sessions of a replay belong to one generator",
            remedy="leave --agents out",
        )
    shared, replay, plan = replay_config.requested(workload, target, flags)
    # The parts that all loads share, of a workload that has no parts.
    return replay_config.spec(make(["ycsb-c"], target, shared), replay), plan


def make(workload: Sequence[str], target: str, flags: dict[str, Any]) -> LoadSpec:
    """The spec.

    Args:
        workload: ``ycsb-a`` to ``ycsb-f``, or files of pgbench's language as ``FILE[@WEIGHT]``, or built-in
            scripts by their names; ``ycsb``, or nothing, where properties of YCSB say what it is.
        target: what the user wrote, without its password.
        flags: of the command line, by name; None where one was left out.

    Raises:
        UsageError: something does not exist, or contradicts something else.
    """
    if replay_config.is_replay(workload):
        return requested(workload, target, flags)[0]
    replay_config.refuse_options(flags)
    of_tpcc = tpcc.wanted(workload, target, flags, _DEFAULTS["seed"] if flags["seed"] is None else flags["seed"])
    flags = tpcc.completed(workload, flags)
    of_isolation = isolation.wanted(workload, target, flags)
    search, required = rate_search.requested(flags), requirements.requested(flags)
    loops = _loops(flags)
    connections = _connections(flags["connections"])
    usual = rate_search.probe_s(search) if search else _DEFAULTS["duration_s"]
    duration = duration_of("--duration", flags["duration"]) if flags["duration"] else usual
    warmup = None if flags["warmup"] is None else duration_of("--warmup", flags["warmup"], zero=True)
    if warmup is not None and warmup >= duration:
        raise UsageError(f"a warm-up of {flags['warmup']} leaves nothing of the run", remedy="raise --duration")
    made_under = conditions.requested(flags, target)
    if made_under.get("cold") and warmup is None:
        # The beginning is what is measured.
        warmup = 0.0
    targets = targets_of(flags, target)
    ycsb = ycsb_properties.wanted(workload, flags)
    workload = [ycsb_properties.PROPERTIES] if ycsb else workload
    own_tables = ycsb or workload[0] in (*YCSB, tpcc.NAME, ISOLATION)
    scripts = () if own_tables else tuple(_script(word, targets) for word in workload)
    if scripts and not any(one.weight for one in scripts):
        raise UsageError("every script has the weight 0: nothing would be run", remedy="raise an @WEIGHT")
    if not scripts and len(workload) > 1:
        raise UsageError(f"{workload[0]} is a workload of its own", remedy=f"leave '{workload[1]}' out")
    seed = _DEFAULTS["seed"] if flags["seed"] is None else flags["seed"]
    crash = durability.crashes(flags, target, len(loops) * len(connections))
    names = [one.name for one in scripts]
    for name in names:
        if names.count(name) > 1 or name == "all":
            raise UsageError(
                f"the scripts' names must differ, and none may be 'all': '{name}'",
                remedy="rename a file, or raise its @WEIGHT",
            )
    for one in scripts:
        # A mistake in one is reported before anything begins.
        tuple(invariants.written(one))
    offered = Arrivals(kind="closed")
    if "open" in loops:
        offered = arrivals(flags["arrivals"], flags["rate"], any_rate=search is not None)
    variables = definitions(flags["define"])
    if variables and not scripts:
        raise UsageError(
            f"--define is of scripts, and {workload[0]} has no variables", remedy="leave it out; --records, -p, --seed"
        )
    check_scale(variables, scripts)
    spec = LoadSpec(
        workload="script" if scripts else workload[0],
        scripts=scripts,
        variables=variables,
        target=target,
        arrivals=offered,
        loops=loops,
        connections=connections,
        repeats=crash.number if crash else positive("--repeats", flags["repeats"], _DEFAULTS["repeats"]),
        duration_s=duration,
        warmup_s=warmup,
        max_in_flight=None
        if flags["max_in_flight"] is None
        else positive("--max-in-flight", flags["max_in_flight"], 1),
        timeout_s=duration_of("--timeout", flags["timeout"]) if flags["timeout"] else _DEFAULTS["timeout_s"],
        interval_s=interval_s(duration),
        threads=min(
            positive(
                "--threads",
                _threads(flags["threads"], target),
                len(made_under.get("client_cpus", ())) or _usual_threads(),
            ),
            *connections,
            flags["max_in_flight"] or _MOST_THREADS,
            _MOST_THREADS,
        ),
        records=_records(flags["records"]) if flags["records"] else (ycsb and ycsb.records) or _DEFAULTS["records"],
        # The index costs every insert.
        ordered_index=workload[0] == "ycsb-e" or (ycsb is not None and ycsb.workload.mix["scan"] > 0),
        fanout=None if flags["fanout"] is None else positive("--fanout", flags["fanout"], 1),
        error_budget=_budget(flags["error_budget"]),
        seed=seed,
        contention=_contention(flags["contention"]),
        query_mode=_query_mode(flags["protocol"], scripts),
        ycsb=ycsb.workload if ycsb else msgspec.UNSET,
        tpcc=of_tpcc,
        isolation=of_isolation,
        spin=_spin(loops) if flags["spin"] else msgspec.UNSET,
        crash=crash or msgspec.UNSET,
        disturbances=disturbances.wanted(flags, target, len(loops) * len(connections), duration),
        agents=agents.wanted(flags, target),
        expected_interval_s=_expected_interval(flags["expected_interval"], loops),
        prepare=prepared(flags.get("prepare"), workload[0], scripts, targets),
        expect=http.expected(flags.get("expect"), targets),
        **made_under,
    )
    return rate_search.searching(spec, search, offered) if search else requirements.requiring(spec, required)


def targets_of(flags: Mapping[str, Any], target: str) -> list[str]:
    """Every server, as the user wrote it: the contenders', or the one."""
    return [parse(one).target for one in flags.get("contender") or ()] or [target]


def files(spec: LoadSpec, flags: Mapping[str, Any], plan: Plan | None = None) -> LoadFiles:
    """``--answers``, ``--pin`` and ``--prepare``, and what is sent of a replay.

    Raises:
        UsageError: there are no scripts whose answers they could be, or the pinned answers cannot be used.
    """
    if spec.replay:
        return LoadFiles(plan=plan)
    for name in ("answers", "pin"):
        if flags[name] is not None and not spec.scripts:
            raise UsageError(
                f"--{name} is about the answers to scripts; weigh knows those of {spec.workload}",
                remedy=f"leave --{name} out",
            )
        if flags[name] is not None:
            for target in targets_of(flags, spec.target):
                http.need_answers(name, target)
    given = flags["answers"]
    prepare: Path | None = flags.get("prepare")
    return LoadFiles(
        pins=None if given is None else pins.read(given, spec.seed),
        pin=flags["pin"],
        prepare=prepare.absolute() if prepare else None,
    )


def _loops(flags: dict[str, Any]) -> tuple[Loop, ...]:
    if flags["both"]:
        return ("open", "closed")
    if flags["closed"]:
        if flags["rate"] is not None or flags["arrivals"] is not None:
            raise UsageError(
                "--closed asks again when it has been answered: it has no rate",
                remedy="leave --rate and --arrivals out, or take --both",
            )
        return ("closed",)
    return ("open",)


def _script(word: str, targets: Sequence[str]) -> Script:
    """``FILE[@WEIGHT]``, as pgbench has it."""
    name, at, weight = word.rpartition("@")
    if not at or not weight.isdecimal():
        name, weight = word, "1"
    if name == _GET:
        if (other := http.other(targets)) is not None:
            raise UsageError(
                f"{_GET} asks for a URL, and {other} is none", remedy="write http://HOST/PATH as the target"
            )
        return Script(name=_GET, text="GET", weight=int(weight))
    if name in BUILT_IN and any(one.startswith(http.SCHEMES) for one in targets):
        raise UsageError(f"{name} is SQL, and a server of HTTP takes requests", remedy=f"take {_GET}, or a FILE.sql")
    if name in BUILT_IN:
        return Script(name=name, text="", weight=int(weight))
    if not name.endswith(".sql") and not Path(name).is_file():
        file, _, given = word.rpartition("@")
        if file.endswith(".sql") or file in BUILT_IN:
            raise UsageError(f"'{given}' is no weight of a script", where=file, remedy=f"write {file}@9")
        if word in (*YCSB, tpcc.NAME, ISOLATION):
            raise UsageError(f"{word} is a workload of its own", remedy="leave it out, or the scripts")
        remedy = f"a script is a FILE.sql; {nearest(word, (*YCSB, tpcc.NAME, ISOLATION, *BUILT_IN))}"
        raise UsageError(f"there is no workload '{word}'", remedy=remedy)
    text = text_of("script", Path(name), _LONGEST_SCRIPT)
    if not text.strip():
        raise UsageError("the script is empty", where=name, remedy="write an SQL command, ended by a semicolon")
    if len(weight) > LONGEST_NUMBER:
        raise UsageError(f"a weight of {len(weight)} digits cannot be", where=name, remedy="give a smaller one")
    return Script(name=Path(name).stem, text=text, weight=int(weight))


def _connections(text: str | None) -> tuple[int, ...]:
    if text is None:
        return tuple(_DEFAULTS["connections"])
    numbers = tuple(dict.fromkeys(whole("--connections", part) for part in text.split(",") if part.strip()))
    if not numbers:
        raise UsageError("--connections names no number", remedy="write --connections 16, or 1,2,4,8")
    return numbers


def _contention(text: str | None) -> float | msgspec.UnsetType:
    """Left out where it was not asked for: the ids of other experiments stay as they are."""
    if text is None:
        return msgspec.UNSET
    value = parse_fraction(text, "--contention")
    if not value > 0:
        raise UsageError(f"--contention {text} cannot be", remedy="give a share above 0, e.g. 10%; 100% allows any")
    return value


def _budget(text: str | None) -> float:
    value = parse_fraction(text, "--error-budget") if text is not None else _DEFAULTS["error_budget"]
    if not 0 <= value <= 1:
        raise UsageError(f"--error-budget {text} cannot be", remedy="give a share of the requests, e.g. 0.1%")
    return value


def _query_mode(text: str | None, scripts: Sequence[Script]) -> QueryMode | msgspec.UnsetType:
    """``--protocol``, by pgbench's names for it. Prepared is what there is without it, and no other experiment."""
    if text is None:
        return msgspec.UNSET
    if not scripts:
        raise UsageError("--protocol is for scripts: a YCSB workload has one way to ask", remedy="leave it out")
    if text == "extended":
        raise UsageError(
            "--protocol extended prepares every statement anew, which weigh does not do",
            remedy="take prepared, or simple, which is text each time",
        )
    if text not in ("prepared", "simple"):
        raise UsageError(f"there is no --protocol {text}", remedy=nearest(text, ("prepared", "simple")))
    return "simple" if text == "simple" else msgspec.UNSET


def _records(text: str) -> int:
    value = parse_rows(text, "records")
    if not 1 <= value <= _MOST_RECORDS:
        raise UsageError(f"--records {text} cannot be", remedy=f"give 1 to {_MOST_RECORDS:,}")
    return value


def _spin(loops: Sequence[Loop]) -> bool:
    if "open" not in loops:
        raise UsageError("--spin waits for a moment, a closed loop for answers", remedy="leave one of them out")
    return True


def _expected_interval(text: str | None, loops: Sequence[Loop]) -> float | msgspec.UnsetType:
    if text is None:
        return msgspec.UNSET
    if "closed" not in loops:
        raise UsageError(
            "--expected-interval corrects a closed loop, and this one is on schedule: nothing has to be estimated",
            remedy="leave it out, or ask for --closed or --both",
        )
    return duration_of("--expected-interval", text)


def _threads(given: int | None, target: str) -> int | None:
    if not target.startswith("sqlite:"):
        return given
    if given is not None:
        raise UsageError(
            "SQLite is called by one thread for each connection, and by no others", remedy="give --connections instead"
        )
    # Means nothing here, and must not make another experiment of the same one on another machine.
    return 1


def _usual_threads() -> int:
    return max(1, len(os.sched_getaffinity(0)) // 2)


_LARGEST = 1 << 63
_LONGEST = 10_000
"""Characters of a value."""
_DIGITS = 19
"""Of the largest whole number."""


def definitions(given: Sequence[str]) -> dict[str, int | str]:
    """The variables of ``NAME=VALUE`` each, as pgbench has them: whole numbers, and everything else as its text.

    Raises:
        UsageError: one is none, or a name has two values.
    """
    found: dict[str, int | str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--define {one} gives no value", remedy=f"write --define {one or 'scale'}=10")
        if not is_name(name):
            raise UsageError(
                f"'{name}' can be no variable: its name is of letters, digits and _, and begins with no digit",
                where=f"--define {one}",
                remedy="write --define scale=10",
            )
        if not value.strip():
            raise UsageError(
                f"--define {name}= has nothing behind the equals sign",
                remedy=f"write --define {name}=10; of SQL's NULL, --define {name}=null",
            )
        if len(value) > _LONGEST:
            raise UsageError(f"--define {name}=... has {len(value):,} characters", remedy=f"give at most {_LONGEST:,}")
        if name in found:
            raise UsageError(f"--define gives {name} twice: {found[name]} and {value}", remedy="give it once")
        found[name] = _value(value)
    return found


def is_name(text: str) -> bool:
    """Whether scripts can have a variable of that name: of letters, digits and ``_``, no digit first."""
    return bool(text) and not text[0].isdigit() and all(one == "_" or one.isalnum() or one > "\x7f" for one in text)


def check_scale(variables: Mapping[str, int | str], scripts: Sequence[Script]) -> None:
    """See that tables can be made of that scale, where scripts are built in.

    Raises:
        UsageError: they cannot.
    """
    scale = variables.get("scale", 1)
    if any(not one.text for one in scripts) and not (isinstance(scale, int) and scale >= 1):
        raise UsageError(
            f"--define scale={scale} cannot be: it counts the branches of pgbench's tables",
            remedy="give a whole number from 1 on",
        )


def _value(text: str) -> int | str:
    """A whole number only where it is written as such: ``007`` stands in a statement as it is."""
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS:
        number = int(text)
        if str(number) == text and -_LARGEST <= number < _LARGEST:
            return number
    return text
