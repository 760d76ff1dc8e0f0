"""Comparisons of loads: what makes another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support import load_comparison_records, load_records
from support.load_comparison_records import spec
from weigh.history import load_comparison
from weigh.load.comparison.spec import LoadContender

if TYPE_CHECKING:
    from weigh.load.comparison.record import LoadComparisonRecord

SPEC = spec(1, length=2)
IO_THREADS = {"io-threads": {"value": "2", "default": "1"}}


def comparison(asked: Any = SPEC, commit: str = "", **server: Any) -> str:
    return load_comparison.comparison(record(asked, **server), commit)


def record(asked: Any = SPEC, **server: Any) -> LoadComparisonRecord:
    new = asked.contenders[1].name
    target = load_records.target(**{"in_force": IO_THREADS, **server})
    return load_comparison_records.comparison(asked, targets={new: target})


def load(**fields: Any) -> Any:
    return msgspec.structs.replace(SPEC, load=msgspec.structs.replace(SPEC.load, **fields))


def named(*names: str, url: str = "valkey:embedded") -> Any:
    who = tuple(LoadContender(name=name, target=url) for name in names)
    return msgspec.structs.replace(SPEC, contenders=who, baseline=names[0])


@pytest.mark.parametrize(
    "asked",
    [
        load(seed=8), load(warmup_s=0.1), load(threads=2), load(contention=0.5),
        msgspec.structs.replace(SPEC, blocks=2, baseline_declared=True), msgspec.structs.replace(SPEC, twice=False),
        named("main", "pr"),
    ],
)  # fmt: skip
def test_how_often_and_how_long_and_names_make_no_other_comparison(asked: Any) -> None:
    assert comparison(asked) == comparison()


@pytest.mark.parametrize(
    "asked",
    [
        load(records=999), load(connections=(8,)), load(arrivals=SPEC.load.arrivals.at(9.0)), load(server_cpus=(0,)),
        msgspec.structs.replace(SPEC, rules=msgspec.structs.replace(SPEC.rules, margin=0.2)),
        msgspec.structs.replace(SPEC, baseline="new"), msgspec.structs.replace(SPEC, duet=True, twice=False),
    ],
)  # fmt: skip
def test_what_is_offered_to_whom_does(asked: Any) -> None:
    assert comparison(asked) != comparison()


@pytest.mark.parametrize("server", [{"version": "9.2"}, {"in_force": {}}, {"product": "Redis"}, {"tls": "require"}])
def test_so_does_another_server(server: dict[str, Any]) -> None:
    assert comparison(**server) != comparison()


@pytest.mark.promise("there `--commit` tells two builds of one version apart")
def test_of_servers_by_url_the_commit_tells_two_builds_apart_and_the_port_does_not() -> None:
    one, two = (named("main", "pr", url=f"redis://localhost:{port}") for port in (6001, 6002))
    assert comparison(one, "c0ffee", embedded=False) == comparison(two, "c0ffee", embedded=False)
    assert comparison(one, "c0ffee", embedded=False) != comparison(one, "decade", embedded=False)
    # What weigh starts itself says its version.
    assert comparison(commit="c0ffee") == comparison(commit="decade")


def test_a_server_that_never_said_what_it_is_links_nothing() -> None:
    silent = record()
    (first, *others) = silent.loads
    loads = {first: msgspec.structs.replace(silent.loads[first], environment=None)}
    loads |= {name: silent.loads[name] for name in others if not name.startswith(first)}
    assert load_comparison.comparison(msgspec.structs.replace(silent, loads=loads)) == ""


@pytest.mark.promise("So are loads of one server counted; they have no verdicts that could disagree.")
def test_loads_of_one_server_are_counted_whatever_the_seed() -> None:
    def asked(**fields: Any) -> str:
        made = load_records.record((), load_records.spec(60, **fields), load_records.target())
        return load_comparison.load(made)

    assert asked(seed=1) == asked(seed=2) == asked(repeats=3)
    assert asked(seed=1) != asked(records=999)
