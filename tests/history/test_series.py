"""Series: what is comparable, in which order, and why it is split."""

from __future__ import annotations

import msgspec

from support.history_records import HOST, OTHER, beside, entry, measured, point, values
from weigh.history.entry import sealed
from weigh.history.results import history_results
from weigh.history.series import series


def test_versions_are_ordered_as_numbers_and_others_by_time() -> None:
    (one,) = series([entry(10, 0.1), entry(9, 0.1), entry(2, 0.1)])
    assert (one.ordered_by, [place.version for place in one.places]) == ("version", ["1.2", "1.9", "1.10"])
    labelled = [
        sealed(msgspec.structs.replace(entry(at, 0.1), points=(point(at, 0.1, who=msgspec.structs.replace(
            measured(at), version=commit)),)))
        for at, commit in ((3, "c0ffee"), (1, "deadbeef"))
    ]  # fmt: skip
    (one,) = series(labelled)
    assert (one.ordered_by, [place.version for place in one.places]) == ("time", ["deadbeef", "c0ffee"])


def test_ratios_to_a_shared_reference_are_the_series_and_times_where_each_has_its_own() -> None:
    shared = [beside(at, 1, 1.05, "slower") for at in range(2, 8)]
    (one,) = series(shared)
    assert (one.of_ratios, one.places[0].value, one.unit) == (True, 1.05, "")
    own = [beside(at, at - 1, 1.05, "slower") for at in range(2, 8)]
    (one,) = series(own)
    assert (one.of_ratios, one.unit, len(one.parts)) == (False, "s", 1)


def test_each_difference_of_the_environment_splits_and_is_named() -> None:
    base = entry(1, 0.1)
    for fields, said in (
        ({"host": OTHER}, "processor: a processor, then another processor"),
        ({"host": {**HOST, "kernel": "6.2"}}, "kernel: 6.1, then 6.2"),
        ({"weigh": "0.2.0"}, "weigh: 0.1, then 0.2"),
        ({"data": {**base.data, "rows": "others", "files": "g"}}, "the rows are others"),
        ({"data": {**base.data, "files": "g"}}, "the files have other bytes"),
        ({"offered": {"affinity": "0-1"}}, "affinity: none, then 0-1"),
        ({"points": (point(2, 0.1, question="p"),)}, "the query is another"),
        ({"points": (point(2, 0.1, who=msgspec.structs.replace(measured(2), settings={"threads": 2})),)},
         "setting threads: none, then 2"),
    ):  # fmt: skip
        (one,) = series([base, entry(2, 0.1, **fields)])
        assert [split.why for split in one.splits] == [(said,)], fields
    kernels_share = {**HOST, "memory_bytes": int(16.05 * (1 << 30))}
    (one,) = series([base, entry(2, 0.1, host=kernels_share)])
    assert one.splits == ()


def test_machines_that_take_turns_are_two_parts() -> None:
    (one,) = series([entry(at, 0.1 if at % 2 else 0.2, host=HOST if at % 2 else OTHER) for at in range(1, 41)])
    assert (len(one.parts), len(one.part(0)), sorted(split.times for split in one.splits)) == (2, 20, [19, 20])
    assert history_results("h", [place.entry for place in one.places]).candidates == ()


def test_a_side_by_side_decides_a_candidate() -> None:
    moved = [entry(at, value) for at, value in enumerate(values(40, 2, {20: 1.08}), 1)]
    (open_,) = history_results("h", moved).candidates
    assert (open_.before.version, open_.after.version, open_.state) == ("1.20", "1.21", "candidate")
    for verdict, ratio, state, opinion in (
        ("slower", 1.08, "confirmed", "confirmed"),
        ("same", 1.0, "not confirmed", "step"),
        ("unresolved", 1.04, "candidate", "step"),
    ):
        confirming = beside(21, 20, ratio, verdict, confirms=open_.id)
        (one,) = history_results("h", [*moved, confirming]).candidates
        assert (one.id, one.state, one.opinion) == (open_.id, state, opinion)


def test_a_change_while_the_version_stays_is_not_the_versions() -> None:
    moved = [
        sealed(msgspec.structs.replace(entry(at, value), points=(point(7, value),)))
        for at, value in enumerate(values(40, 2, {20: 1.2}), 1)
    ]
    found = history_results("h", moved)
    assert [one.state for one in found.candidates] == ["same version"]
    assert [one.code for one in found.findings] == ["R6.same_version"]


def test_a_later_attempt_that_reads_an_earlier_one_stands_for_both() -> None:
    first = entry(1, 0.1)
    second = entry(2, 0.1, covers=(first.id, entry(2, 0.1).id))
    (one,) = series([first, second])
    assert [place.entry.id for place in one.places] == [second.id]
