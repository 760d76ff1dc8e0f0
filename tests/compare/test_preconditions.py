"""Whether two sessions may be joined: what must be the same, and what is reported when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.sessions import FILE, HOST, MANIFEST, QUESTION, READ, WORKLOAD, changed, record, session, two
from weigh.compare import caveats, differences, preconditions
from weigh.experiment.record import Laid
from weigh.model.errors import EvidenceFault, UsageError
from weigh.model.finding import Finding
from weigh.model.operation import Case, Operation
from weigh.model.rules import Rules
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.model.dataset import Manifest

SAME_READ: list[dict[str, Any]] = [
    {},
    {"name": "another name"},
    {"in_force": {**READ.in_force, "temp_directory": {"value": "/tmp/weigh-life-7-x/scratch", "default": ".tmp"}}},
    {"in_force": {**READ.in_force, "memory_limit": {"value": "4 GiB", "default": "4 GiB"}}},
]


@pytest.mark.parametrize("fields", SAME_READ)
def test_the_same_contender(fields: dict[str, Any]) -> None:
    """A name, a folder of its own, and a default that the engine takes from the machine make no other contender."""
    assert differences.contender(READ, changed(READ, **fields)) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"engine": "chdb"}, "engine: duckdb in the first, chdb in the second"),
        ({"version": "1.5.5"}, "version: 2.0.0 in the first, 1.5.5 in the second"),
        ({"pins": ("a==1",)}, "pins: nothing in the first, a==1 in the second"),
        ({"settings": {}}, "setting asked for threads: 2 in the first, nothing in the second"),
        ({"in_force": {}}, "setting in force threads: 2 in the first, nothing in the second"),
        (
            {"lock": "duckdb==2.0.0\nnanoarrow==0.8.0\n"},
            "packages: nanoarrow==0.9.0 in the first, nanoarrow==0.8.0 in the second",
        ),
        (
            {"environment": "e2"},
            "environment of the same packages, so another Python: e1 in the first, e2 in the second",
        ),
    ],
)
def test_another_contender(fields: dict[str, Any], said: str) -> None:
    assert differences.contender(READ, changed(READ, **fields)) == [said]


@pytest.mark.promise(
    "other rows (by row digest), or the same rows in other bytes (by file hashes): another scale, seed, writer, codec"
)
def test_other_data() -> None:
    assert differences.data(MANIFEST, MANIFEST) == []
    (said,) = differences.data(MANIFEST, changed(MANIFEST, dataset=changed(MANIFEST.dataset, scale=4)))
    assert said == "dataset: netflow-1-3-42 in the first, netflow-1-4-42 in the second"
    (said,) = differences.data(MANIFEST, changed(MANIFEST, digests={"events": "d2"}))
    assert said == "rows of events: d1 in the first, d2 in the second"
    other = changed(MANIFEST, writer="pyarrow 1", files=(changed(FILE, blake3="b2"), changed(FILE, blake3="b3")))
    (said,) = differences.data(MANIFEST, other)
    assert said.startswith(
        "files of events: the same rows in other bytes (written as: 1 files by duckdb 2.0.0, zstd in"
    )
    assert differences.data(MANIFEST, None)


def test_the_same_bytes_wherever_they_lie() -> None:
    assert differences.data(MANIFEST, changed(MANIFEST, files=(changed(FILE, path="elsewhere.parquet"),))) == []


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (changed(QUESTION, sql="SELECT 1"), "other SQL"),
        (changed(QUESTION, dialect={"duckdb": "SELECT 1"}), "other SQL for a dialect"),
        (changed(QUESTION, cases=(Case(name="one", literals={"user": "eve"}, timed=True),)), "other literals"),
    ],
)
def test_other_questions_of_one_name(question: Operation, said: str) -> None:
    more = changed(QUESTION, name="q2")
    one, other = (changed(WORKLOAD, operations=(own, more)) for own in (QUESTION, question))
    assert differences.questions(one, other) == (["q2"], {"q1": said})


def test_untimed_literals_may_differ() -> None:
    other = changed(QUESTION, cases=QUESTION.cases[:1])
    assert differences.questions(WORKLOAD, changed(WORKLOAD, operations=(other,))) == (["q1"], {})


@pytest.mark.promise("no operation was asked in both sessions with the same SQL and the same timed literals")
def test_questions_of_which_none_is_shared() -> None:
    other = changed(WORKLOAD, operations=(changed(QUESTION, sql="SELECT 1"),))
    with pytest.raises(EvidenceFault, match=r"T5.workload: no question .*\(q1: other SQL\)"):
        preconditions.shared_questions(two(record(), record(workload=other)))
    with pytest.raises(EvidenceFault, match=r"T5.workload: .* do not record what was asked"):
        preconditions.shared_questions(two(record(), record(workload=None)))


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ({"affinity": (0, 1)}, "affinity: nothing in the first, 0-1 in the second"),
        ({"memory_limit": 1 << 30}, "memory limit: nothing in the first, 1073741824 in the second"),
    ],
)
def test_bounds(bounds: dict[str, Any], said: str) -> None:
    preconditions.check_data(two(record(**bounds), record(**bounds)))
    with pytest.raises(EvidenceFault, match=rf"T5.bounds.*{said}"):
        preconditions.check_data(two(record(), record(**bounds)))


def test_temperature() -> None:
    preconditions.check_data(two(record(), record()))
    with pytest.raises(EvidenceFault, match=r"T5.temperature.*hot in the first, cold in the second"):
        preconditions.check_data(two(record(), record(temperature="cold")))


@pytest.mark.promise(
    "no contender is the same in both sessions; or only the reference is; or both directories hold the same executions"
)
def test_one_session_is_not_two() -> None:
    one, other = record(), record(attempt=2)
    preconditions.check_independent(two(one, other))
    for second in (session(one), session(one, other), session(changed(one, end=None))):
        with pytest.raises(EvidenceFault, match="T5: both name the same session"):
            preconditions.check_independent((session(one), second))


@pytest.mark.promise(
    "another machine: processor, cores, memory, limits or kernel differ. `--across-hosts` allows it, "
    "and the finding `T5.host` says so"
)
@pytest.mark.parametrize("fact", differences.MACHINE)
def test_another_machine(fact: str) -> None:
    other = record(host={**HOST, fact: 12 << 30 if fact == "memory_bytes" else "other"})
    with pytest.raises(EvidenceFault, match=r"T5.host") as raised:
        preconditions.check_machine(two(record(), other), across_hosts=False)
    assert f"({fact.removesuffix('_bytes')}: " in raised.value.what
    assert "--across-hosts" in raised.value.remedy
    (finding,) = preconditions.check_machine(two(record(), other), across_hosts=True)
    assert (finding.code, finding.severity) == ("T5.host", "warning")


def test_the_kernel_may_keep_a_little_more_memory() -> None:
    other = record(host={**HOST, "memory_bytes": int(HOST["memory_bytes"] * 0.995), "python": "3.99"})
    assert preconditions.check_machine(two(record(), other), across_hosts=False) == []


@pytest.mark.promise(
    "All attempts of both experiments that have times must agree in these things, not only the two that were named."
)
def test_an_earlier_attempt_on_another_machine_counts() -> None:
    sessions = session(record(attempt=1, host={**HOST, "cpu": "other"}), record(attempt=2)), session(record(attempt=3))
    with pytest.raises(EvidenceFault, match=r"T5.host: attempts 2 and 1 of the first session"):
        preconditions.check_machine(sessions, across_hosts=False)


def test_the_reference_is_the_baseline_or_the_first_that_is_shared() -> None:
    new, a, b = (changed(READ, name=name, version=name) for name in ("new", "a", "b"))
    assert preconditions.shared_reference(two(record(READ, a), record(a, READ)), "") == ("ref", "ref")
    assert preconditions.shared_reference(two(record(READ, a), record(a, READ)), "a") == ("a", "a")
    assert preconditions.shared_reference(two(record(new, a, b), record(b, a)), "") == ("a", "a")
    one = record(a, READ)
    assert preconditions.shared_reference(two(changed(one, spec=changed(one.spec, baseline="ref")), one), "") == (
        "ref",
        "ref",
    )
    renamed = changed(READ, name="base")
    assert preconditions.shared_reference(two(record(READ, a), record(new, renamed)), "") == ("ref", "base")
    assert preconditions.shared_reference(two(record(READ, a), record(renamed, READ)), "") == ("ref", "ref")


@pytest.mark.promise(
    "no contender is the same in both sessions; or only the reference is; or both directories hold the same executions"
)
def test_no_reference_says_why() -> None:
    a, chdb = changed(READ, name="a", engine="sqlite"), changed(READ, name="c", engine="chdb")
    with pytest.raises(EvidenceFault) as raised:
        preconditions.shared_reference(two(record(READ, a), record(changed(READ, version="1.5.5"), chdb)), "")
    assert "T5: no contender is the same" in raised.value.what
    assert "(ref: version: 2.0.0 in the first, 1.5.5 in the second)" in raised.value.what
    assert "weigh run --contender A --contender B" in raised.value.remedy
    with pytest.raises(EvidenceFault, match=r"\(ref, a in the first, c in the second\)"):
        preconditions.shared_reference(two(record(READ, a), record(chdb)), "")
    with pytest.raises(UsageError, match="no contender 'reff'"):
        preconditions.shared_reference(two(record(), record()), "reff")


def test_an_earlier_attempt_with_another_build_is_no_reference() -> None:
    sessions = session(record(changed(READ, version="1"), attempt=1), record(READ, attempt=2)), session(record(READ))
    with pytest.raises(EvidenceFault, match=r"ref: disqualified in the first session \(X.pooled\)"):
        preconditions.shared_reference(sessions, "")


def test_a_disqualified_contender_is_no_reference() -> None:
    lazy = Finding(code="A5.lazy", severity="error", contender="ref", text="lazy", remedy="")
    with pytest.raises(EvidenceFault, match=r"ref: disqualified in the second session \(A5.lazy\)"):
        preconditions.shared_reference(two(record(READ), record(READ, findings=(lazy,))), "")


MANY = changed(
    MANIFEST,
    layout=LayoutSpec(files=2),
    files=(changed(FILE, blake3="b2"), changed(FILE, path="events-1.parquet", blake3="b3")),
)


def on_layouts(layout: str, manifest: Manifest = MANY) -> Record:
    """The reference on the default layout, and another contender on this one."""
    made = record()
    base, new = made.spec.contenders
    asked = changed(made.spec, contenders=(base, changed(new, layout=layout)), layouts={layout: LayoutSpec(files=2)})
    return changed(made, spec=asked, layouts=(Laid(layout=layout, manifest=manifest),))


@pytest.mark.promise("Where contenders read [layouts](../reference/weigh-toml.md#layout) of their own, the rows")
def test_layouts_are_parts_of_the_contenders() -> None:
    """The reference must have read the same files; who is compared may have read others, which is reported."""
    sessions = two(record(), on_layouts("many"))
    preconditions.check_data(sessions)
    assert preconditions.shared_reference(sessions, "") == ("ref", "ref")
    (said,) = caveats.other_files(*sessions, [("new", "new")])
    assert (said.code, said.severity, said.contender) == ("D5.files", "note", "new")
    assert "files: 2 against 1" in said.text
    assert not [*caveats.other_files(*two(on_layouts("many"), on_layouts("two")), [("new", "new")])]
    with pytest.raises(EvidenceFault, match=r"new: files of events: the same rows in other bytes"):
        preconditions.shared_reference(sessions, "new")
    with pytest.raises(EvidenceFault, match=r"rows of events: d1 in the first, d2 in the second"):
        preconditions.check_data(two(on_layouts("many"), record(manifest=changed(MANIFEST, digests={"events": "d2"}))))


def test_caveats_of_what_may_differ() -> None:
    plain, more = record(), changed(QUESTION, name="q2")
    assert list(caveats.departures(*two(plain, record(attempt=2)))) == []
    other = record(
        host={**HOST, "governor": "powersave"}, weigh="2", runs=3, rules=Rules(margin=0.1),
        workload=changed(WORKLOAD, operations=(QUESTION, more)),
    )  # fmt: skip
    found = {one.code: (one.severity, one.text) for one in caveats.departures(*two(plain, other))}
    assert {code: severity for code, (severity, _) in found.items()} == {
        "T5.state": "warning", "T5.protocol": "warning", "T5.weigh": "warning", "T5.rules": "note",
        "T5.operations": "note",
    }  # fmt: skip
    assert "governor: performance in the first, powersave in the second" in found["T5.state"][1]
    assert "timed executions a turn: 1 in the first, 3 in the second" in found["T5.protocol"][1]


def test_findings_of_others_are_not_carried_over() -> None:
    def finding(code: str, contender: str | None) -> Finding:
        return Finding(code=code, severity="error", contender=contender, text=code, remedy="")

    findings = (finding("A5.lazy", "new"), finding("A9.enabled", "third"), finding("D8.bytes", None))
    reads = (READ, changed(READ, name="new"), changed(READ, name="third"))
    one, other = (changed(of, reference="ref") for of in two(record(), record(*reads, findings=findings)))
    said = [(each.code, each.text) for each in caveats.carried_over(one, other, [("new", "new")])]
    assert said == [("A5.lazy", "in the second session, A5.lazy"), ("D8.bytes", "in the second session, D8.bytes")]
