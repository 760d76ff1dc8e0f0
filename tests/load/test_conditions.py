"""CPUs, memory and cold: what is refused, what is read back, and what comes of a run that was not what it is called."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.command import RAN, Weigh
from support.load_flags import NONE
from weigh.host import cgroup, page_cache
from weigh.load import conditions as made_under
from weigh.load.analysis import conditions
from weigh.load.config import make
from weigh.load.record import LoadRecord
from weigh.load.runs import ColdStart, CpusRead
from weigh.load.target.registry import target
from weigh.model.cold import Pages
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.machine.calibration import Calibration

if TYPE_CHECKING:
    from support.command import Run
    from weigh.load.spec import LoadSpec

CPUS = sorted(os.sched_getaffinity(0))
TWO = pytest.mark.skipif(len(CPUS) < 2, reason="one CPU cannot be split")


def spec(where: str = "postgres:embedded", **flags: Any) -> LoadSpec:
    return make(("ycsb-c",), where, {**NONE, "rate": "100", **flags})


@pytest.mark.parametrize(
    ("where", "flags", "words"),
    [
        ("postgres:embedded", {"server_cpus": "4000"}, "not there, or not allowed"),
        ("postgres:embedded", {"server_cpus": str(CPUS[0]), "client_cpus": str(CPUS[0])}, "overlap"),
        ("postgres:embedded", {"client_cpus": "one"}, "not a list of CPUs"),
        ("sqlite:embedded", {"server_cpus": str(CPUS[0])}, "the generator's own process"),
        ("sqlite:embedded", {"server_memory": "1GB"}, "the generator's own process"),
        ("postgres:embedded", {"server_memory": "1MB"}, "no server starts"),
    ],
)
def test_what_cannot_be_is_refused(where: str, flags: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        spec(where, **flags)


@pytest.mark.promise("A server by URL is somebody else's: weigh moves none of its processes, and says so.")
@pytest.mark.parametrize("flags", [{"server_cpus": str(CPUS[0])}, {"server_memory": "1GB"}, {"cold": True}])
def test_somebody_elses_server_is_left_alone(flags: dict[str, Any]) -> None:
    there = "postgres://u@127.0.0.1/d"
    with pytest.raises(UsageError, match="somebody else's"):
        made_under.refuse(spec(there, **flags), target(there))


def test_a_store_that_holds_its_data_itself_is_never_cold() -> None:
    with pytest.raises(UsageError, match="never cold"):
        made_under.refuse(spec("valkey:embedded", cold=True), target("valkey:embedded"))


def test_memory_without_control_groups_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "usable", lambda: None)
    with pytest.raises(EnvironmentFault, match="nothing would hold the server"):
        made_under.refuse(spec(server_memory="1GB"), target("postgres:embedded"))


def test_what_was_not_asked_for_leaves_the_experiment_as_it_is() -> None:
    plain = spec()
    assert plain.server_cpus is plain.client_cpus is plain.server_memory is plain.cold is msgspec.UNSET
    assert spec(cold=True).id != plain.id
    assert (spec(cold=True).warmup_s, spec(cold=True, warmup="1s").warmup_s, plain.warmup_s) == (0.0, 1.0, None)
    assert spec(client_cpus=str(CPUS[0])).threads == 1


def cold(left: Pages | None) -> LoadRecord:
    start = ColdStart(run=1, put_out="drop_caches", files=3, bytes=40960, left=left)
    return LoadRecord(attempt=1, spec=spec(cold=True), cold=(start,))


def test_a_run_with_its_data_in_memory_is_not_cold() -> None:
    (reason,) = conditions.refusals(cold(Pages(resident=2, pages=10, how="mincore")), 1)
    assert reason.code == "E1.resident"
    assert "2 of 10 pages" in reason.text


@pytest.mark.parametrize("left", [None, Pages(resident=0, pages=0, how="mincore")])
def test_what_cannot_be_counted_is_not_called_cold(left: Pages | None) -> None:
    assert [one.code for one in conditions.refusals(cold(left), 1)] == ["E1.resident"]


def test_a_cold_run_is_not_accused() -> None:
    assert not list(conditions.refusals(cold(Pages(resident=0, pages=10, how="mincore")), 1))


def placed(server: str | None, client: str | None) -> LoadRecord:
    asked = msgspec.structs.replace(spec(), server_cpus=(0,), client_cpus=(1, 2))
    return LoadRecord(attempt=1, spec=asked, cpus=(CpusRead(run=1, server=server, client=client),))


def test_cpus_that_are_not_those_that_were_asked_for_are_said() -> None:
    assert not list(conditions.findings(placed("0", "1-2")))
    for record in (placed("0-3", "1-2"), placed("0", None)):
        assert [one.code for one in conditions.findings(record)] == ["E6.affinity"]
        assert not conditions.split(record)


def calibrated(*runs: float) -> LoadRecord:
    """Fixed work before runs, in seconds, each with a scatter of a thousandth."""
    made = tuple(
        Calibration(
            at=10.0 * run, block=run, place="before" if run == 1 else "between", kernel="integer",
            seconds=tuple(each * (1 + 0.001 * ((7 * run + part) % 5 - 2)) for part in range(5)),
        )
        for run, each in enumerate(runs, 1)
    )  # fmt: skip
    return LoadRecord(attempt=1, spec=spec(), calibrations=made)


def test_a_machine_that_became_slower_between_the_runs_is_said() -> None:
    (found,) = conditions.drift(calibrated(*[0.1] * 8, *[0.12] * 8).calibrations)
    assert found.code == "E5.drift"
    assert "20.0 % longer from run" in found.text
    assert not list(conditions.drift(calibrated(*[0.1] * 16).calibrations))
    assert "integer 0.1 %" in conditions.speed_words(calibrated(*[0.1] * 16).calibrations)
    assert not conditions.speed_words(())


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Server and generator apart, and the server cold."""
    weigh = Weigh(tmp_path_factory.mktemp("conditions"))
    return weigh(
        "load", "ycsb-c", "--target", "postgres:embedded", "--rate", "100", "--duration", "1s", "--records", "2K",
        "--connections", "2", "--server-cpus", str(CPUS[0]), "--client-cpus", str(CPUS[1]), "--cold", "--quiet",
        "--json",
    )  # fmt: skip


@TWO
@pytest.mark.promise(
    "The report shows the CPUs that the kernel let either side run on, read back while the run went on."
)
def test_server_and_generator_are_where_they_were_put(split: Run) -> None:
    assert split.code in RAN, split.err
    (run,) = split.json["runs"]
    assert run["cpus"] == {"run": 1, "server": str(CPUS[0]), "client": str(CPUS[1])}
    assert "E6.affinity" not in split.codes
    for name in ("report.txt", "report.html"):
        text = " ".join((split.evidence / name).read_text().split())
        assert f"the server on {CPUS[0]}, the generator on {CPUS[1]}" in text


@TWO
@pytest.mark.skipif(not page_cache.may_drop(), reason="the kernel's caches may not be dropped here")
def test_a_cold_server_is_proven_cold(split: Run) -> None:
    (run,) = split.json["runs"]
    assert run["cold"]["left"]["pages"] > 500
    resident = run["cold"]["left"]["resident"]
    # Whoever else uses the machine may read them; then it is refused.
    assert ("E1.resident" in {one["code"] for one in run["reasons"]}) == (resident > 0)
    assert run["steady"] is None or run["steady"]["cut_s"] == 0


@TWO
def test_it_verifies(split: Run, weigh: Weigh) -> None:
    assert weigh("verify", str(split.evidence)).code == 0


@pytest.mark.skipif(cgroup.usable() is None, reason="no control groups can be made here")
def test_a_server_is_held_to_its_memory(weigh: Weigh) -> None:
    run = weigh(
        "load", "ycsb-c", "--target", "valkey:embedded", "--rate", "100", "--duration", "1s", "--records", "1K",
        "--connections", "2", "--server-memory", "128MiB", "--quiet", "--json",
    )  # fmt: skip
    assert run.code in RAN, run.err
    assert run.json["working_set"]["memory_bytes"] == 128 << 20
    assert "E6.memory" not in run.codes
