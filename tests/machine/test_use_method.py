"""The machine meanwhile: what was saturated, where it is drawn, and what the reports say of it."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import numpy as np
import pytest

from support import experiment_records
from support.machine_timelines import watched
from weigh.evidence import seal
from weigh.experiment.config.spec import make_spec
from weigh.experiment.report.document import document
from weigh.experiment.report.html import page
from weigh.experiment.report.terminal import plain
from weigh.experiment.results.machine import BINS
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.machine.timeline_bins import timeline_bins
from weigh.machine.use_method import Resource, Use, use
from weigh.model.errors import UsageError
from weigh.model.machine.timeline import Disk, Moment, Network, Watch
from weigh.model.verdict import Reason, VerdictName
from weigh.render.machine import resource

RECORD = experiment_records.record(operations=["q1", "q2"], contenders=experiment_records.names(3))
QUIET = watched(RECORD)


def beside(contender: str, operation: str = "q1", share: float = 1.0) -> Any:
    """A job that runs on one CPU during the turns of one contender."""
    return watched(RECORD, lambda one: share if (one.contender, one.operation) == (contender, operation) else 0.0)


def names(found: ExperimentResults) -> dict[tuple[str, str, str], VerdictName]:
    return {(one.metric, one.operation, one.contender): one.verdict for one in found.verdicts}


@pytest.mark.promise(
    "The figures are still shown, but nothing is claimed from them, neither of time nor of CPU "
    "seconds. Memory and bytes read are not affected, and are judged."
)
def test_a_job_beside_one_contender_refuses_its_clocks_and_nothing_else() -> None:
    other = experiment_records.names(3)[2]
    before, found = experiment_results([QUIET]), experiment_results([beside(other)])
    changed = {key for key, verdict in names(before).items() if names(found)[key] is not verdict}
    assert changed == {("wall_s", "q1", other), ("cpu_s", "q1", other)}
    for one in found.verdicts:
        if (one.metric, one.operation, one.contender) in changed:
            assert one.verdict is VerdictName.REFUSED
            assert one.reasons[0].code == "E4.contended"
            assert one.ratio is not None
            assert one.low_fcr is None
    assert found.tier is not None
    assert found.tier.name == "suggestive"


def test_what_is_refused_of_the_baseline_is_refused_of_all() -> None:
    base = experiment_records.names(3)[0]
    found = experiment_results([beside(base)])
    wall = [one for one in found.headline.verdicts if one.operation == "q1"]
    assert {one.verdict for one in wall} == {VerdictName.REFUSED}
    assert all(
        f"others used 0.0 % of the CPU of its turns and 58.8 % of those of {base}" in one.reasons[0].text
        for one in wall
    )
    assert found.headline.family == 2, "q2 alone is left"


def test_a_machine_that_is_busy_for_all_alike_refuses_nobody_and_is_said_once() -> None:
    found = experiment_results([watched(RECORD, lambda _: 1.0)])
    assert names(found) == names(experiment_results([QUIET]))
    assert found.tier is not None
    assert found.tier.name == "suggestive"
    assert len([one for one in found.findings if one.code == "E4.contended"]) == 1


def test_where_every_comparison_was_contended_all_is_inadmissible() -> None:
    base = experiment_records.names(3)[0]
    found = experiment_results([watched(RECORD, lambda one: float(one.contender == base))])
    assert found.tier is not None
    assert found.tier.name == "inadmissible"
    assert not found.tier.inadmissible, "and nobody in particular"
    assert {reason.code for reason in found.tier.reasons if reason.code.startswith("E4")} == {"E4.contended"}
    assert found.exit_code() == 3, "nobody is wrong, and nobody may conclude anything"


def test_contention_beside_a_divergence_changes_nothing() -> None:
    wrong = experiment_records.gate(
        experiment_records.workload(["q1", "q2"]),
        experiment_records.names(3),
        wrong=[("q1", experiment_records.names(3)[1])],
    )
    found = experiment_results([msgspec.structs.replace(watched(RECORD, lambda _: 1.0), gate=wrong)])
    assert {one.verdict for one in found.headline.verdicts if one.operation == "q1"} == {VerdictName.DIVERGED}


def test_evidence_without_watches_reads_as_it_did() -> None:
    bare = experiment_results([RECORD])
    assert bare.machine is None
    assert "machine" not in document(bare, "e")
    assert "Machine\n" not in plain(bare, "e")
    text = page(bare, RECORD.samples, "e")
    assert "The machine meanwhile" not in text
    assert "refused as contended" not in text
    assert Reason(code="E4.unwatched", text="the machine was not watched during the blocks") in bare.tier.reasons  # type: ignore[union-attr]


def test_a_watched_machine_is_a_reason_less() -> None:
    found = experiment_results([QUIET])
    assert found.tier is not None
    assert "E4.unwatched" not in {reason.code for reason in found.tier.reasons}
    holed = experiment_results([msgspec.structs.replace(QUIET, watches=QUIET.watches[:-1])])
    assert holed.tier is not None
    (reason,) = (reason for reason in holed.tier.reasons if reason.code == "E4.unwatched")
    assert reason.text == "the machine was not watched during 3 of 240 timed executions of attempt 1"


def test_the_report_says_how_quiet_it_was() -> None:
    text = plain(experiment_results([QUIET]), "e")
    assert "others used 0.0 % of the CPU of the turns" in text
    assert "varied by integer 0.8 %, memory 0.8 % (CV)" in " ".join(text.split())
    assert "The sampler itself used 0.30 % of one CPU" in " ".join(text.split())
    assert "disk:" in text


def test_the_document_is_plain_json_and_has_every_contended_turn() -> None:
    other = experiment_records.names(3)[2]
    found = document(experiment_results([beside(other)]), "e")["machine"]
    again = msgspec.json.decode(seal.json_bytes(found))
    assert again["watched"] is True
    (pair,) = (one for one in again["pairs"] if one["refused"])
    assert (pair["operation"], pair["contender"], pair["turns"]) == ("q1", other, 10)
    assert {one["name"] for one in pair["other_processes"]} == {"cc1plus"}
    assert {one["kernel"] for one in again["quiet"]} == {"integer", "memory"}


def test_the_page_draws_it_and_names_the_turns() -> None:
    other = experiment_records.names(3)[2]
    slow = experiment_records.record(operations=["q1", "q2"], contenders=experiment_records.names(3))
    slow = msgspec.structs.replace(
        slow, samples=tuple(msgspec.structs.replace(one, wall_s=20 * (one.wall_s or 0)) for one in slow.samples)
    )
    record = watched(slow, lambda one: float((one.contender, one.operation) == (other, "q1")))
    text = page(experiment_results([record]), record.samples, "e")
    section = text[text.index("The machine meanwhile") : text.index('id="environment"')]
    assert "cc1plus (pid 812)" in section
    assert re.search(r"\d\.\d+ 100 %", section), "block.turn share"
    assert 'class="fg"' in section
    assert section.count("<path") >= 6
    assert "where others disturbed one side of a comparison by 5.0 % of its CPU more than the other" in text


@pytest.mark.parametrize(
    ("share", "noise"),
    [(1.0, 0.3), *(pytest.param(*one, marks=pytest.mark.long) for one in [(0.0, 0.02), (0.0, 0.3), (1.0, 0.02)])],
)
def test_a_large_experiment_that_was_watched_is_a_small_page(share: float, noise: float) -> None:
    """The same as without: 22 operations, 5 contenders, 10 starts, 3 runs."""
    record = watched(
        experiment_records.record(
            operations=[f"q{number}" for number in range(1, 23)], contenders=experiment_records.names(5), noise=noise
        ),
        lambda one: share if one.contender == experiment_records.names(5)[1] else 0.0,
    )
    assert len(page(experiment_results([record]), record.samples, "20261121-aaaaaaaaaaaa-1").encode()) < 320_000


def summed(**changed: Any) -> Use:
    record = watched(RECORD, **changed)
    return use([(record.samples, record.watches, 16 << 30)])


def of(name: str, **changed: Any) -> Resource:
    return next(one for one in summed(**changed).resources if one.name == name)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("cpu", {"pressure_cpu": 0.5}),
        ("cpu", {"pressure_cpu": None, "throttled": 0.05}),
        ("memory", {"pressure_memory": 0.5}),
        ("memory", {"pressure_memory": None, "swapped": 50}),
        ("disk", {"pressure_io": 0.5, "disk": {"vda": Disk(read=1, written=0, queue=3, utilisation=1.0)}}),
        ("disk", {"pressure_io": None, "disk": {"vda": Disk(read=1, written=0, queue=3, utilisation=1.0)}}),
        ("network", {"network": Network(received=1, sent=1, retransmits=20, drops=0, errors=2)}),
    ],
)
def test_what_work_waits_for_is_saturated(name: str, changed: dict[str, Any]) -> None:
    calm = {"pressure_cpu": 0.0}
    found = summed(**(calm | changed))
    assert found.bottleneck == name
    (one,) = (one for one in found.resources if one.name == name)
    assert one.saturated == pytest.approx(1.0)
    assert one.first is not None
    assert (one.first.block, one.first.turn) == (0, 0)
    assert summed(**calm).bottleneck is None


@pytest.mark.parametrize("waited", [None, 0.0, 0.5])
def test_a_disk_whose_requests_queue_and_wait_is_saturated_however_busy_it_is(waited: float | None) -> None:
    """Text 003's: 60 % busy, a queue of 32, 50 ms; whether tasks or only the kernel's write-back stand in it."""
    found = of(
        "disk", pressure_io=waited, disk={"vda": Disk(read=1, written=0, queue=32, await_s=0.05, utilisation=0.6)}
    )
    assert found.saturated == pytest.approx(1.0)
    assert found.utilisation == pytest.approx(0.6)
    assert (found.queue, found.await_s) == (pytest.approx(32 / 0.6), pytest.approx(0.05))
    said = resource(found)
    assert "53.3 requests at once while busy, 50.0 ms each" in said


@pytest.mark.promise("A busy disk without a queue is not saturated")
@pytest.mark.parametrize(
    "disk",
    [
        Disk(read=1, written=0, queue=1.0, await_s=0.012, utilisation=1.0),
        Disk(read=1, written=0, queue=32, await_s=0.0004, utilisation=1.0),
    ],
    ids=["one at a time", "many at once, all served"],
)
def test_a_busy_disk_without_a_queue_is_not_saturated(disk: Disk) -> None:
    assert of("disk", pressure_io=0.05, disk={"vda": disk}).saturated == 0
    alone = msgspec.structs.replace(disk, queue=1.0)
    assert of("disk", pressure_io=0.9, disk={"vda": alone}).saturated == 0, "it is in use, and nobody stands in a queue"


def test_of_several_disks_one_is_enough() -> None:
    idle = Disk(read=0, written=0, queue=0.0, utilisation=0.0)
    full = Disk(read=1, written=0, queue=40, await_s=0.08, utilisation=1.0)
    found = of("disk", disk={"vda": idle, "vdb": full})
    assert (found.saturated, found.queue) == (pytest.approx(1.0), pytest.approx(40))


def test_a_full_link_is_saturated_and_one_whose_speed_nobody_knows_is_not() -> None:
    def link(share: float | None) -> Network:
        return Network(received=1, sent=1, retransmits=0, drops=0, errors=0, overflows=0, link=share)

    full, half, unknown = (of("network", network=link(share)) for share in (0.97, 0.5, None))
    assert (full.saturated, full.utilisation) == (pytest.approx(1.0), pytest.approx(0.97))
    assert (half.saturated, half.utilisation) == (0, pytest.approx(0.5))
    assert (unknown.saturated, unknown.utilisation) == (0, None)


@pytest.mark.parametrize(
    ("name", "counted"), [("memory", {"memory_errors": 1}), ("memory", {"oom_kills": 1}), ("cpu", {"cpu_throttles": 1})]
)
def test_errors_are_counted_where_the_kernel_counts_them(name: str, counted: dict[str, int]) -> None:
    found = of(name, **counted)
    assert found.errors
    assert resource(found).endswith("errors")
    assert of("cpu").errors is None, "nothing counts them there"


def test_a_full_disk_that_nobody_waits_for_is_not_saturated() -> None:
    full = {"vda": Disk(read=1, written=0, queue=1, utilisation=1.0)}
    assert of("disk", pressure_io=0.02, disk=full).saturated == 0
    assert of("disk", pressure_io=0.02, disk=full).utilisation == pytest.approx(1.0)


def test_what_cannot_be_read_is_unknown_and_never_zero() -> None:
    record = watched(RECORD, rows=False)
    found = use([(record.samples, record.watches, None)])
    for one in found.resources:
        assert (one.utilisation, one.saturated, one.first, one.errors) == (None, None, None, None), one
    assert found.bottleneck is None
    text = plain(experiment_results([record]), "e")
    assert "disk:" not in text
    assert "nothing was saturated" not in text


def test_memory_in_use_is_neither_free_nor_cache() -> None:
    assert of("memory").utilisation == pytest.approx(0.25)
    assert of("memory", oom_kills=1).errors is not None


def test_stretches_cover_the_measured_time_of_all_attempts() -> None:
    second = msgspec.structs.replace(
        QUIET, attempt=2, samples=tuple(msgspec.structs.replace(one, attempt=2) for one in QUIET.samples)
    )
    found = timeline_bins([(one.samples, one.watches, None) for one in (QUIET, second)], BINS)
    assert found is not None
    assert len(found.tracked) == len(found.moved) == len(found.resources["disk"].utilisation) == BINS
    assert [(span.first, span.bins) for span in found.spans] == [(0, 48), (48, 48)]
    assert len(found.starts) == 20
    last = max(one.at for one in QUIET.samples)
    assert found.place(1, 0.0) == 0
    assert 47 < found.place(1, last) < 48
    assert 95 < found.place(2, last) < 96
    assert np.nanmax(found.foreign) == 0
    assert not np.isnan(found.tracked).any()


def test_nothing_measured_is_not_drawn() -> None:
    assert timeline_bins([((), (Watch(moments=(Moment(at=0.0, span=1.0, foreign=0.0),)),), None)], BINS) is None
    bare = msgspec.structs.replace(QUIET, samples=())
    assert "The machine meanwhile" in page(experiment_results([bare]), (), "e")


def test_the_bound_is_part_of_the_experiment_and_its_absence_is_not() -> None:
    asked = {"contender": ("duckdb",), "scale": "1K"}
    spec = make_spec(None, asked)
    assert b"contention" not in msgspec.json.encode(spec)
    assert make_spec(None, {**asked, "contention": "10%"}).contention == 0.1
    assert make_spec(None, {**asked, "contention": "10%"}).id != spec.id
    for wrong in ("0", "-5%", "much"):
        with pytest.raises(UsageError):
            make_spec(None, {**asked, "contention": wrong})


def test_where_others_spoilt_every_comparison_that_is_said_first() -> None:
    base = experiment_records.names(3)[0]
    found = experiment_results([watched(RECORD, lambda one: 0.374 * (one.contender == base))])
    text = " ".join(plain(found, "e").split())
    heading = "No verdicts: others used the machine while the turns were timed"
    assert text.index(heading) < text.index("INADMISSIBLE, because") < text.index("Answers")
    for said in (
        "What happened: other processes used up to 22.0 % of the CPU of turns (q1, ", "cc1plus (pid 812)",
        "What stands: the answers, which were checked before any clock was started: 2 agreed. The verdicts on memory",
        "What to do: stop these processes and run it again; weigh doctor shows", "--contention 25% accepts this much",
    ):  # fmt: skip
        assert said in text
    assert heading in re.sub(r"</?abbr[^>]*>", "", page(found, RECORD.samples, "e"))


def test_where_the_hypervisor_did_nobody_is_to_be_stopped() -> None:
    """So much of every moment is a smaller share of the turns that are twice as long."""
    text = " ".join(plain(experiment_results([watched(RECORD, steal=0.012)]), "e").split())
    assert re.search(
        r"What happened: the hypervisor gave up to [\d.]+ % of the CPU of turns \(q\d, .* to other guests", text
    )
    assert "What to do: run it at another time, on a host with fewer guests; weigh doctor" in text


def test_where_others_spoilt_a_part_of_them_the_findings_say_so() -> None:
    assert "while the turns were timed" not in plain(experiment_results([beside("chdb@4.4.0")]), "e")
    half = watched(RECORD, lambda one: 0.3 if one.contender == "chdb@4.4.0" else 0.0)
    assert "No verdict on 2 of 4 comparisons: others used the machine" in plain(experiment_results([half]), "e")
    allowed = msgspec.structs.replace(RECORD.spec, contention=1.0)
    busy = msgspec.structs.replace(watched(RECORD, lambda _: 0.3), spec=allowed)
    assert "No verdict" not in plain(experiment_results([busy]), "e")
