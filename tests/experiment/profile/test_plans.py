"""Two plans side by side, counters and stacks: what is reported of what moved."""

from __future__ import annotations

import pytest

from weigh.experiment.profile import counters, perf, plans, stacks
from weigh.experiment.profile.lives import clean
from weigh.experiment.profile.plans import Operator
from weigh.experiment.profile.stacks import Sampled


def plan(scan: float, filtered: float | None = None) -> Operator:
    """An aggregate over a scan, with a filter between them or without."""
    leaf = Operator("SCAN", "events", scan, 1000)
    below = leaf if filtered is None else Operator("FILTER", "x = 1", filtered, 10, (leaf,))
    return Operator("AGGREGATE", "", 0.001, 1, (below,))


def test_a_new_operator_is_named_and_the_others_stay_in_pairs() -> None:
    found = plans.laid([plan(0.010)] * 6, [plan(0.010, 0.004)] * 6)
    assert [(one.name, one.there, one.depth) for one in found] == [
        ("AGGREGATE", "both", 0),
        ("FILTER", "contender", 1),
        ("SCAN", "both", 2),
    ]
    first = plans.ranked(found)[0]
    assert (first.name, first.clear, first.change_s) == ("FILTER", True, 0.004)
    assert [one.name for one in plans.reshaped(found)] == ["FILTER"]


def test_an_operator_that_is_gone_counts_against_it() -> None:
    found = plans.laid([plan(0.010, 0.004)] * 6, [plan(0.010)] * 6)
    assert [(one.name, one.there, one.change_s) for one in plans.ranked(found)] == [("FILTER", "baseline", -0.004)]


def test_an_operator_is_the_same_one_wherever_another_order_of_joins_puts_it() -> None:
    part, line, orders = (
        Operator("SCAN", f"Function: READ; Projections: {names}", seconds, 100)
        for names, seconds in (("p_key, p_name", 0.001), ("l_key, l_tax", 0.040), ("o_key, o_date", 0.002))
    )
    joined = Operator("JOIN", "Conditions: l_key = o_key", 0.003, 10, (line, orders))
    before = Operator("JOIN", "Conditions: l_part = p_key", 0.005, 10, (joined, part))
    joined = Operator("JOIN", "Conditions: l_part = p_key", 0.006, 10, (part, line))
    after = Operator("JOIN", "Conditions: l_key = o_key", 0.003, 10, (joined, orders))
    found = plans.laid([before] * 6, [after] * 6)
    assert [one.there for one in found] == ["both"] * 5
    ((moved, change_s),) = [(one.detail, one.change_s) for one in found if one.change_s]
    assert moved == joined.detail
    assert change_s == pytest.approx(0.001)

    (other,) = [one for one in plans.laid([part], [orders]) if one.there == "contender"]
    assert other.detail == orders.detail
    unsaid = plans.laid([Operator("PROJECT", "Projections: #0, #1", 0.1)], [Operator("PROJECT", "x: #2", 0.1)])
    assert [one.there for one in unsaid] == ["both"]


@pytest.mark.parametrize(("slower", "clear"), [(0.004, True), (0.0015, False)])
def test_only_what_lies_apart_is_clear(slower: float, clear: bool) -> None:
    before = [plan(0.010 + 0.0004 * at) for at in range(6)]
    after = [plan(0.010 + slower + 0.0004 * at) for at in range(6)]
    (moved,) = plans.ranked(plans.laid(before, after))
    assert (moved.name, moved.clear) == ("SCAN", clear)


def test_counters_are_ranked_by_their_factor_and_chance_is_left_out() -> None:
    before = [{"rows": 100.0, "blocks": 10.0, "noise": float(at), "t seconds": 1e-6, "old": 1.0} for at in range(6)]
    after = [{"rows": 200.0, "blocks": 90.0, "noise": at + 0.5, "t seconds": 9e-6, "new": 1.0} for at in range(6)]
    alike = counters.moved(before, after, alike=True, least_s=1e-3)
    assert [one.name for one in alike] == ["new", "old", "blocks", "rows"]
    others = counters.moved(before, after, alike=False, least_s=0.0)
    assert [one.name for one in others] == ["blocks", "t seconds", "rows"]


def sampled(**weights: int) -> Sampled:
    """A hundred executions with these microseconds by function, in six equal rounds."""
    one = Sampled(executions=100, interval=0.001, stacks={f"main;{name}": weight for name, weight in weights.items()})
    return Sampled(executions=100, interval=0.001, stacks=one.stacks, rounds=(one.self_seconds(),) * 6)


def test_the_function_that_takes_longer_is_first_and_what_scatters_is_not_clear() -> None:
    found = stacks.functions("python", sampled(scan=1_000_000, sort=200_000), sampled(scan=1_010_000, sort=600_000))
    assert [one.name for one in found.changes if one.clear] == ["sort"]
    assert found.changes[0].change_s == pytest.approx(0.004)


def test_where_most_frames_have_no_name_no_function_is_named() -> None:
    unknown = {"[unknown] (lib.so);[unknown] (lib.so);known (lib.so)": 1000}
    found = stacks.functions("native", sampled(scan=1000), Sampled(executions=1, interval=0.005, stacks=unknown))
    assert found.changes == ()
    assert found.lacks.startswith("67% of the frames have no name")
    assert found.unknown == (0.0, pytest.approx(2 / 3))


PERF = """\
python  8974
\t     16d80f __memmove_avx512 (/usr/lib/libc.so.6)
\t    2c74a72 [unknown] (/opt/lib;x/_duckdb.so)
\t    3b2eb7c duckdb::Executor::Run(int, (anonymous namespace)::X) (/opt/lib/_duckdb.so)

python  8975
\t      1080 _start (/usr/bin/python3.11)
"""


def test_stacks_of_perf_are_folded_with_the_outermost_first() -> None:
    assert perf.stacks(PERF) == [
        "duckdb::Executor::Run(int, (anonymous namespace)::X) (_duckdb.so);[unknown] (_duckdb.so);"
        "__memmove_avx512 (libc.so.6)",
        "_start (python3.11)",
    ]


def test_passwords_of_urls_are_taken_out() -> None:
    assert clean("read postgres://me:s3cret@host/db") == "read postgres://me:***@host/db"
    assert clean("s3://bucket/a:b@c") == "s3://bucket/a:b@c"


def test_profiles_and_stacks_hold_nothing_that_a_terminal_obeys_or_a_file_cannot_hold() -> None:
    assert clean("scan\x1b[2J\n\udc80") == "scan\\x1b[2J\n\\udc80"
