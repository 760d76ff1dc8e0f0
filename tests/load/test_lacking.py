"""What a load lacks for a conclusive result is reported with the command line that adds it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click
import msgspec
import pytest

from support import load_records as made
from weigh.cli.load.load import load
from weigh.cli.main import cli
from weigh.evidence.sealing import End
from weigh.load import command_line
from weigh.load.command_line import CommandLine, parsed
from weigh.load.config.numbers import duration_of, rate_of
from weigh.load.results import load_results
from weigh.load.spec import Script
from weigh.model import codes
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from weigh.load.record import LoadRecord
    from weigh.model.verdict import Reason

OWN = "weigh load ycsb-b --target {} --rate 1000 --seed=7 --records 5K -p fieldcount=3"


def of(record: LoadRecord, command: str = "", target: str = "valkey:embedded", **changed: object) -> LoadRecord:
    """The record with a command line and other parts of its spec."""
    assert record.environment is not None
    environment = msgspec.structs.replace(record.environment, command=command or OWN.format(target))
    spec = msgspec.structs.replace(record.spec, target=target, **changed)  # type: ignore[arg-type]
    return msgspec.structs.replace(record, environment=environment, spec=spec)


def missing(record: LoadRecord) -> dict[str, Reason]:
    return {one.code: one for one in load_results(record).tier.reasons}


def commands(record: LoadRecord, code: object) -> list[CommandLine]:
    """What a reason says is to be typed; every line of weigh load must be one that the command line takes."""
    said = missing(record)[str(code)].commands or ()
    lines = [parsed(one) for one in said]
    for one in lines:
        if one is not None:
            accepted(one)
    return [one for one in lines if one is not None]


def accepted(line: CommandLine) -> dict[str, object]:
    """The flags as the command reads them."""
    words = shlex.split(str(line))[2:]
    context = load.make_context("load", words, **cli.context_settings)
    return context.params


def test_switches_are_those_of_the_command() -> None:
    options = [one for one in load.params if isinstance(one, click.Option)]
    switches = {name for one in options if one.is_flag for name in (*one.opts, *one.secondary_opts)}
    assert switches - {"-h", "--help"} == command_line.SWITCHES
    assert {name for one in options for name in one.opts if not name.startswith("--")} - {"-h"} == {*command_line.SHORT}


def test_a_command_line_is_read_as_it_was_written() -> None:
    line = parsed("weigh load a.sql@2 'b c.sql' --rate=5 --closed -Dscale=3 -p x=1 --out 'my runs'")
    assert line is not None
    assert line.workload == ("a.sql@2", "b c.sql")
    assert line.flags == (
        ("--rate", "5"),
        ("--closed", None),
        ("-D", "scale=3"),
        ("-p", "x=1"),
        ("--out", "my runs"),
    )
    assert parsed(str(line)) == line
    assert (
        str(line.but(closed=None, rate="7"))
        == "weigh load a.sql@2 'b c.sql' -D scale=3 -p x=1 --out 'my runs' --rate 7"
    )
    assert parsed("weigh run x") is None
    assert parsed("weigh load 'x") is None


def test_length_and_starts_are_added_to_the_own_flags() -> None:
    record = of(made.calm())
    (longer,) = commands(record, codes.L4_LENGTH)
    assert str(longer) == (
        "weigh load ycsb-b --target valkey:embedded --rate 1000 --seed 7 --records 5K -p fieldcount=3 "
        "--duration 30m --warmup 5m"
    )
    (more,) = commands(record, codes.T10_RUN)
    assert more.value("--repeats") == "3"
    assert more.value("--rate") == "1000"


def test_a_benchmark_is_replaced_by_a_capture() -> None:
    said = missing(of(made.calm()))[codes.X_PUBLIC.code]
    assert "YCSB is a benchmark" in said.text
    first, then, last = said.commands or ()
    assert first == "valkey-cli -h PRODUCTION MONITOR > monitor.txt"
    assert then == "weigh capture monitor.txt --out traffic"
    assert last == "weigh load replay traffic --target valkey:embedded --seed 7"
    of_postgres = made.record(made.calm().runs, where=made.target(kind="postgres", product="PostgreSQL"))
    capture, own = missing(of(of_postgres, target="postgres:embedded"))[codes.X_PUBLIC.code].commands or ()
    assert capture == "weigh capture postgres://USER@PRODUCTION/DB --out traffic"
    assert own == "weigh load traffic --target postgres:embedded --seed 7"


@pytest.mark.parametrize("text", ["SELECT 1;", ""])
def test_own_scripts_are_no_benchmark(text: str) -> None:
    record = of(made.calm(), workload="script", scripts=(Script(name="select-only", text=text),))
    assert (codes.X_PUBLIC.code in missing(record)) is (not text)
    pin, trusted = commands(record, codes.A8)
    assert pin.value("--pin") == trusted.value("--answers") == "answers.json"


def test_a_tail_that_is_not_known_needs_a_longer_run() -> None:
    few = [made.interval(at, times) for at, times in enumerate(made.steady_times(100, each=5))]
    record = of(made.record([made.run(few)]))
    (longer,) = commands(record, codes.L9_TAIL)
    assert duration_of("--duration", longer.value("--duration") or "") >= 2 * record.spec.duration_s
    assert codes.L9_TAIL.code not in missing(of(made.calm()))


def test_a_closed_loop_alone_gets_a_rate_that_it_can_carry() -> None:
    closed = made.record([made.run(made.calm().runs[0].intervals, loop="closed")], made.spec(100, loops=("closed",)))
    (opened,) = commands(of(closed, "weigh load ycsb-b --target valkey:embedded --closed"), codes.L2_CLOSED)
    assert not opened.has("--closed")
    assert opened.value("--rate") == "700"


def test_the_generator_goes_to_another_machine() -> None:
    here = made.target(same_host=True)
    (other,) = commands(of(made.record(made.calm().runs, where=here)), codes.E8_SAME_MACHINE)
    assert other.value("--target") == "redis://SERVER:6379/0"
    url = "redis://app@localhost:7000/1"
    (there,) = commands(of(made.record(made.calm().runs, where=here), target=url), codes.E8_SAME_MACHINE)
    assert there.value("--target") == "redis://app@SERVER:7000/1"
    in_process = made.target(kind="sqlite", same_host=True)
    alone = of(made.record(made.calm().runs, where=in_process), target="sqlite:embedded")
    assert not missing(alone)[codes.E8_SAME_MACHINE.code].commands, "it has no other machine"


def test_settings_that_lose_writes_are_taken_back() -> None:
    lax = made.target(kind="postgres", undurable=("fsync is off",), durable=False, in_force={"fsync": {"value": "off"}})
    asked = "postgres:embedded?fsync=off&work_mem=8MB"
    (kept,) = commands(of(made.record(made.calm().runs, where=lax), target=asked), codes.E7_NOT_DURABLE)
    assert kept.value("--target") == "postgres:embedded?work_mem=8MB"
    remote = msgspec.structs.replace(lax, embedded=False)
    url = "postgres://app@db/shop"
    said = (
        missing(of(made.record(made.calm().runs, where=remote), target=url))[codes.E7_NOT_DURABLE.code].commands or ()
    )
    assert said[0] == "psql postgres://app@db/shop -c 'ALTER SYSTEM SET fsync = on' -c 'SELECT pg_reload_conf()'"
    assert parsed(said[1]) is not None


def test_the_machine_is_watched_again_and_what_was_broken_off_is_done_again() -> None:
    record = of(made.calm())
    (watched,) = missing(record)[codes.E4_UNWATCHED.code].commands or ()
    assert watched == f"env -u WEIGH_SAMPLER {parsed(OWN.format('valkey:embedded'))}"
    stopped = msgspec.structs.replace(record, end=End(how="stopped"))
    assert commands(stopped, codes.T8_STOPPED) == [parsed(OWN.format("valkey:embedded"))]


def test_what_is_no_command_of_a_load_has_no_command_lines() -> None:
    assert not any(one.commands for one in missing(of(made.calm(), "python mine.py")).values())


@pytest.mark.parametrize("text", ["0", "-3", "1e12", "11M", "1e-9", "inf", "nan"])
def test_a_rate_that_no_schedule_has_is_refused_before_anything_is_reached(text: str) -> None:
    with pytest.raises(UsageError, match=r"a rate of .* cannot be"):
        rate_of(text)


def test_a_rate_may_have_a_suffix() -> None:
    assert (rate_of("2k/s"), rate_of("10M"), rate_of("0.5")) == (2_000, 10_000_000, 0.5)
