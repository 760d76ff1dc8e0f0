"""What the surroundings say by themselves: parity, storage, size against memory, durability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support import experiment_records
from weigh.experiment.report import resources as printed
from weigh.experiment.results import resources
from weigh.experiment.results.data import storage
from weigh.experiment.results.results import experiment_results
from weigh.model.data.storage import Device, Place
from weigh.model.resources import ResourcesRead, WorkerRead
from weigh.model.spec import UserData

if TYPE_CHECKING:
    from weigh.experiment.record import Record

BASE, OTHER = experiment_records.names(2)
HERE = ResourcesRead(
    cpus=(0, 1, 2, 3), threads=4, memory="8.0 GiB", spill="/tmp/a", spill_on="ext4 on vda (virtio) at /"
)
NVME = Device(name="nvme1n1", kind="nvme")
DISK = Place(use="data", path="/data", kind="nvme", filesystem="xfs", mount="/data", devices=(NVME,))


def record(base: ResourcesRead | None = HERE, other: ResourcesRead | None = HERE, **spec: Any) -> Record:
    """Two contenders that said what they have."""
    told = {BASE: base, OTHER: other}
    made = experiment_records.record(contenders=(BASE, OTHER), operations=("q1",), starts=2)
    assert made.environment is not None
    contenders = tuple(
        msgspec.structs.replace(one, resources=told[one.name] or msgspec.UNSET) for one in made.environment.contenders
    )
    environment = msgspec.structs.replace(made.environment, contenders=contenders, storage=(DISK,))
    return msgspec.structs.replace(made, environment=environment, spec=msgspec.structs.replace(made.spec, **spec))


def found(of: Record) -> list[tuple[str, str, str]]:
    """(code, severity, text) of all that is reported of parity."""
    return [(one.code, one.severity, one.text) for one in resources.findings(of, of.samples)]


def changed(**fields: Any) -> ResourcesRead:
    return msgspec.structs.replace(HERE, **fields)


def test_equal_contenders_are_not_mentioned() -> None:
    assert found(record()) == []


@pytest.mark.promise("Every difference from the baseline is named with both values.")
@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({"threads": 2}, "E6.threads", f"it has 2 threads, the baseline {BASE} 4"),
        ({"cpus": (0, 1, 2, 3, 5)}, "E6.affinity", f"{OTHER} may run on CPUs 0-3,5, the baseline {BASE} on 0-3"),
        (
            {"spill": "/dev/shm/b", "spill_on": "tmpfs"},
            "E6.spill",
            f"it spills to /dev/shm/b (tmpfs), the baseline {BASE} to /tmp/a (ext4 on vda (virtio) at /)",
        ),
    ],
)
def test_a_difference_that_nobody_declared_is_a_warning(fields: dict[str, Any], code: str, text: str) -> None:
    assert found(record(other=changed(**fields))) == [(code, "warning", text)]


@pytest.mark.promise(
    "A difference that is declared in either contender's settings, as `threads=1` against "
    "`threads=2`, is what you compare, and a note."
)
@pytest.mark.parametrize("who", ["base", "other"])
def test_what_either_declared_is_a_note(who: str) -> None:
    one = {"base": HERE, "other": HERE, who: changed(threads=2, declared=("threads",))}
    ((code, severity, _),) = (each for each in found(record(**one)) if "baseline" in each[2])
    assert (code, severity) == ("E6.threads", "note")


def test_what_was_declared_of_memory_does_not_excuse_threads() -> None:
    ((_, severity, _),) = found(record(other=changed(threads=2, declared=("memory",))))
    assert severity == "warning"


def test_one_that_has_more_in_a_life_than_when_it_was_asked() -> None:
    worker = WorkerRead(block=0, start=3, arm=OTHER, contender=OTHER, resources=changed(threads=3, declared=()))
    said = found(msgspec.structs.replace(record(), workers=(worker,)))
    assert ("E6.threads", "warning", "its lives had 3 and 4 threads") in said
    assert ("E6.threads", "warning", f"it has 3 threads, the baseline {BASE} 4") in said


def test_who_was_given_fewer_cpus_is_not_named_as_the_cause() -> None:
    """Of its threads, its CPUs and its control group: the one that loses by it has not done it."""
    worker = WorkerRead(block=0, start=3, arm=OTHER, contender=OTHER, resources=changed(threads=2, cpus=(0, 1)))
    of_it = msgspec.structs.replace(record(), workers=(worker,))
    narrowed = [
        one for one in resources.findings(of_it, of_it.samples) if one.code != "E6.threads" or OTHER in one.text
    ]
    assert {(one.code, one.contender) for one in narrowed} == {("E6.threads", None), ("E6.affinity", None)}
    assert f"the lives of {OTHER} had 2 and 4 threads" in narrowed[0].text
    base, other = changed(group=1 << 30), changed(group=2 << 30)
    held = record(base, other)
    (group,) = (one for one in resources.findings(held, held.samples) if "control group" in one.text)
    assert group.contender is None


@pytest.mark.parametrize(
    ("memory", "severity", "end"),
    [
        ("4.0 GiB", "note", "; no peak came near"),
        ("0", "note", "; no peak came near"),
        # The samples peak at up to 100 MB.
        ("150 MiB", "warning", " is 8.0 GiB"),
    ],
)
def test_a_limit_that_nobody_came_near_is_a_note(memory: str, severity: str, end: str) -> None:
    ((code, said, text),) = found(record(other=changed(memory=memory)))
    assert (code, said) == ("E6.memory", severity)
    assert text.endswith(end)


def test_limits_of_their_own_inside_one_control_group() -> None:
    base, other = changed(group=1 << 30), changed(group=1 << 30, memory="100 MiB")
    ((code, severity, text),) = found(record(base, other))
    assert (code, severity) == ("E6.memory", "note")
    assert text.endswith("a control group holds both")
    assert ("E6.memory", "warning") in [one[:2] for one in found(record(base, changed(group=2 << 30)))]


def test_cpus_that_were_not_those_asked_for() -> None:
    said = found(record(changed(cpus=(0,), threads=1), HERE, affinity=(0,)))
    assert ("E6.affinity", "warning", "it runs on CPUs 0-3; 0 was asked for all") in said


@pytest.mark.parametrize(
    ("priority", "of"),
    [
        ("nice 10, started with nice 0", None),
        ("nice 0, started with nice -5", None),
        ("SCHED_IDLE, started with nice 0", None),
        ("SCHED_BATCH, started with nice 0", None),
        ("nice -5, started with nice 0", OTHER),
        ("SCHED_FIFO 1, started with nice 0", OTHER),
    ],
)
def test_who_comes_after_the_others_is_not_named_as_the_cause(priority: str, of: str | None) -> None:
    """Whoever lowers a priority, the contender that has it loses by it."""
    of_it = record(other=changed(priority=priority))
    (one,) = resources.findings(of_it, of_it.samples)
    assert (one.code, one.severity, one.contender) == ("E6.priority", "warning", of)
    assert OTHER in one.text or of == OTHER


def test_more_cpu_seconds_than_its_threads_can_use() -> None:
    """Executions of these samples use 1.7 CPU seconds a second."""
    slow = record(changed(threads=1, declared=("threads",)), changed(threads=1, declared=("threads",)))
    samples = tuple(
        msgspec.structs.replace(one, wall_s=10 * (one.wall_s or 0), cpu_s=10 * (one.cpu_s or 0)) for one in slow.samples
    )
    said = found(msgspec.structs.replace(slow, samples=samples))
    assert said == [("E6.threads", "warning", "it says it has 1 thread, and used 1.7 CPU seconds a second on q1")] * 2


def test_more_threads_than_cpus_is_a_note_where_nobody_asked_for_them() -> None:
    crowded = changed(threads=8)
    text = "it has 8 threads for 4 CPUs, and nobody asked for that"
    assert found(record(crowded, crowded)) == [("E6.threads", "note", text)] * 2
    asked = changed(threads=8, declared=("threads",))
    assert found(record(asked, asked)) == []


def test_what_an_engine_does_not_say_is_not_compared() -> None:
    assert found(record(other=ResourcesRead(cpus=HERE.cpus))) == []


def test_evidence_that_did_not_record_it_says_nothing_new() -> None:
    old = experiment_records.record()
    assert storage.findings(old, old.samples) == []
    assert printed.document(experiment_results([old])) is None
    assert printed.lines(old) == []
    assert printed.parity(experiment_results([old])).sections() == []


def lying(kind: str, **fields: Any) -> Record:
    """The data on storage of that kind."""
    made = record(**fields)
    assert made.environment is not None
    place = msgspec.structs.replace(DISK, kind=kind)
    return msgspec.structs.replace(made, environment=msgspec.structs.replace(made.environment, storage=(place,)))


def storage_codes(of: Record) -> list[tuple[str, str]]:
    return [(one.code, one.severity) for one in storage.findings(of, ()) if one.code.startswith("E2")]


@pytest.mark.parametrize(
    ("kind", "code"),
    [("memory", "E2.memory"), ("network", "E2.network"), ("network-disk", "E2.network"), ("overlay", "E2.overlay")],
)
def test_what_is_no_local_disk_is_named(kind: str, code: str) -> None:
    assert storage_codes(lying(kind)) == [(code, "note")]
    assert storage_codes(lying(kind, temperature="cold")) == [(code, "warning")]
    assert storage_codes(lying(kind, expect_storage=kind)) == []
    assert storage_codes(lying("nvme")) == []


@pytest.mark.parametrize(
    ("allowed", "ratio", "label"), [(1 << 34, 0.00036, "in-memory"), (1 << 20, 5.8, "larger than memory")]
)
def test_size_against_memory(allowed: int, ratio: float, label: str) -> None:
    made = record()
    assert made.environment is not None
    host = {**made.environment.host, "memory_allowed_bytes": allowed}
    made = msgspec.structs.replace(made, environment=msgspec.structs.replace(made.environment, host=host))
    size = storage.working_set(made)
    assert size is not None
    assert size.ratio == pytest.approx(ratio, rel=0.02)
    assert str(size).endswith(f": {label}")
    codes = [one.code for one in storage.findings(made, ())]
    assert ("D7.memory" in codes) is (label == "in-memory")
    own = msgspec.structs.replace(
        made, spec=msgspec.structs.replace(made.spec, user_data=UserData(tables={}, queries=""))
    )
    for one, how in ((made, "raise --scale"), (own, "give more data")):
        assert all(found.remedy.startswith(how) for found in storage.findings(one, ()) if found.code == "D7.memory")


@pytest.mark.parametrize(
    ("in_force", "lax"),
    [
        (
            {"fsync": {"value": "off"}, "synchronous_commit": {"value": "local"}},
            ["fsync=off", "synchronous_commit=local"],
        ),
        ({"fsync": {"value": "on"}, "full_page_writes": {"value": "on"}}, []),
        ({}, []),
    ],
)
def test_settings_under_which_postgresql_is_not_durable(in_force: dict[str, Any], lax: list[str]) -> None:
    assert storage.lax(in_force) == lax
    made = record()
    assert made.environment is not None
    first, second = made.environment.contenders
    second = msgspec.structs.replace(second, engine="postgres", in_force=in_force)
    environment = msgspec.structs.replace(made.environment, contenders=(first, second))
    said = storage.findings(msgspec.structs.replace(made, environment=environment), ())
    texts = [(one.severity, one.contender, one.text) for one in said if one.code == "E7.durability"]
    reads = "these operations only read, so it changes nothing here"
    assert texts == ([("note", OTHER, f"not durable: {', '.join(lax)}; {reads}")] if lax else [])
