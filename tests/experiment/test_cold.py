"""What readings prove, and what they refute."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from weigh.experiment.results.cold import cold
from weigh.model.cold import CacheState, Drive, Pages
from weigh.model.sample import Outcome, Sample
from weigh.verdict.question import Question

MIB = 1 << 20
DRIVE = Drive(place="/data", kind="ext4, nvme", devices=("nvme0n1",), rates=(100.0 * MIB, 110.0 * MIB), bytes=64 * MIB)


def sample(temperature: str = "cold", run: int = 1, **changed: Any) -> Sample:
    fields: dict[str, Any] = {
        "block": 0, "start": run, "turn": 0, "run": run, "arm": "a", "contender": "a", "operation": "q", "case": "only",
        "outcome": Outcome.OK, "wall_s": 0.1, "bytes_read": 0, "temperature": temperature,
    }  # fmt: skip
    return Sample(**{**fields, **changed})


def reading(**changed: Any) -> CacheState:
    """A cold execution as it should be: a tenth of 100 MiB, read from the device."""
    fields: dict[str, Any] = {
        "temperature": "cold", "place": "life", "block": 0, "turn": 0, "arms": ("a",), "contender": "a",
        "operation": "q", "case": "only", "files": 1, "bytes": 100 * MIB, "before": pages(0), "after": pages(2560),
        "put_out": "drop_caches", "bytes_read": 10 * MIB, "devices": {"nvme0n1": 11 * MIB}, "seconds": 0.1,
    }  # fmt: skip
    return CacheState(**{**fields, **changed})


def pages(resident: int) -> Pages:
    return Pages(resident=resident, pages=25_600, how="cachestat")


def attempt(*readings: CacheState, samples: tuple[Sample, ...] = ()) -> cold.Attempt:
    return cold.Attempt(1, samples or tuple(sample(one.temperature) for one in readings), readings, (DRIVE,))


def code(*readings: CacheState) -> str | None:
    (found,) = cold.cold_proofs([attempt(*readings)])
    return found.refused.code if found.refused else None


def test_the_account_of_a_cold_execution() -> None:
    (found,) = cold.cold_proofs([attempt(reading())])
    assert (found.executions, found.proven, found.resident, found.pages) == (1, 1, 0, 25_600)
    assert (found.bytes_read, found.came_in, found.device_bytes) == (10 * MIB, 10 * MIB, 11 * MIB)
    assert found.rate == pytest.approx(100 * MIB)
    # The faster of both readings bounds what the device can do.
    assert found.share == pytest.approx(100 / 110)
    assert found.refused is None


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"before": pages(1)}, "E1.resident"),
        ({"before": pages(1), "put_out": "eviction"}, "E1.unprivileged"),
        ({"put_out": "eviction"}, None),
        ({"before": None}, "E1.unseen"),
        ({"before": Pages(resident=0, pages=0, how="")}, "E1.unseen"),
        ({"bytes_read": None}, "E1.unseen"),
        ({"bytes_read": 0, "after": pages(0)}, "E1.unread"),
        ({"bytes_read": 0}, "E1.others"),
        # Pages that stay are of whoever has them mapped.
        ({"before": pages(100), "mapped": 0, "holders": ("reader (pid 7)",)}, "E1.others"),
        ({"before": pages(100), "mapped": 399 << 10, "holders": ("reader (pid 7)",)}, "E1.resident"),
        ({"before": pages(100), "mapped": 0}, "E1.resident"),
        ({"before": pages(100), "holders": ("reader (pid 7)",)}, "E1.resident"),
        # Reading past the page cache leaves no page behind, and cannot be distinguished from reading another file.
        ({"after": pages(0)}, "E1.unread"),
        ({"bytes_read": 9 * MIB}, "E1.others"),
        # Counters are not exact.
        ({"bytes_read": 10 * MIB - 4096}, None),
        ({"bytes_read": 23 * MIB}, "E1.rate"),
        ({"bytes_read": 21 * MIB}, None),
        # Little comes out of some memory of the device at any speed.
        ({"bytes_read": 15 * MIB, "seconds": 0.001}, None),
    ],
)
def test_what_refutes_cold(changed: dict[str, Any], expected: str | None) -> None:
    assert code(reading(**changed)) == expected


@pytest.mark.promise(
    "The temperature *first* is refused (`E1.warm`) where an execution read more than 256 KiB and "
    "more than 1 % of the data from a device."
)
@pytest.mark.parametrize(("read", "expected"), [(0, None), (MIB, None), (MIB + 1, "E1.warm"), (None, "E1.unseen")])
def test_first_reads_next_to_nothing(read: int | None, expected: str | None) -> None:
    assert code(reading(temperature="first", before=pages(2560), bytes_read=read)) == expected


@pytest.mark.promise("What is called cold is proven for every single execution, or there is no verdict.")
def test_one_execution_of_many_is_enough_and_is_counted() -> None:
    both = (reading(), reading(turn=1, before=pages(7)))
    (found,) = cold.cold_proofs([attempt(*both, samples=(sample(), sample(turn=1)))])
    assert found.proven == 1
    assert found.refused is not None
    assert found.refused.text.startswith("1 of 2 executions called cold: 7 of 25,600 pages")
    assert cold.unproven([found]) == {(Question("q", "cold"), "a"): found.refused}


def test_an_execution_without_a_reading_is_not_cold() -> None:
    (found,) = cold.cold_proofs([cold.Attempt(1, (sample(),), (), ())])
    assert (found.proven, found.refused and found.refused.code) == (0, "E1.unseen")


def test_of_a_turn_that_was_measured_again_the_later_reading_counts() -> None:
    again = (reading(before=pages(9)), reading())
    assert code_of(cold.cold_proofs([attempt(*again, samples=(sample(),))])) is None


def code_of(found: tuple[Any, ...]) -> str | None:
    (one,) = found
    return one.refused.code if one.refused else None


@pytest.mark.promise("`E1.hypervisor` says so in every cold report, with both readings of the data")
def test_a_lie_is_an_error_and_what_nobody_can_tell_a_warning() -> None:
    for changed, severity in (({"before": pages(1)}, "error"), ({"bytes_read": 0, "after": pages(0)}, "warning")):
        found = cold.cold_proofs([attempt(reading(**changed))])
        said, below = cold.findings(found, [DRIVE])
        assert (said.severity, said.contender, said.operation) == (severity, "a", "q")
        assert (below.code, below.severity) == ("E1.hypervisor", "note")
    assert "64.0 MiB of the data were read at 100 MiB a second, and again at 110 MiB a second" in below.text


BEFORE = reading(temperature="hot", place="before", turn=None, before=pages(25_600), after=None, bytes_read=None)
AFTER = msgspec.structs.replace(BEFORE, place="after")


def hot(*readings: CacheState, **changed: Any) -> str | None:
    return cold.assumed([attempt(*readings, samples=(sample("hot", **changed),))], ())


@pytest.mark.promise(
    "Hot is proven when of the timed executions of every operation by a contender at most one in fifty read more than "
    "256 KiB and more than 1 % of the data from a device; one that did is not counted where all the data was in memory "
    "before and after its block, so that it read something else."
)
def test_hot_is_proven_by_reading_nothing() -> None:
    assert hot(BEFORE, AFTER) is None
    # What is not in memory was not asked for.
    assert hot(msgspec.structs.replace(BEFORE, before=pages(3))) is None
    # A page of the program came back: all the data was in memory before and after.
    assert hot(BEFORE, AFTER, bytes_read=2 * MIB) is None


@pytest.mark.promise(
    "Hot is proven when of the timed executions of every operation by a contender at most one in fifty read more than "
    "256 KiB and more than 1 % of the data from a device; one that did is not counted where all the data was in memory "
    "before and after its block, so that it read something else."
)
def test_hot_is_assumed_where_something_was_read_or_nobody_looked() -> None:
    assert hot() == ""
    assert hot(AFTER) == "how much of the data of a was in memory before its turns was not observed"
    assert hot(BEFORE, bytes_read=2 * MIB) == "1 of 1 timed execution read from devices, up to 2.00 MiB"
    assert hot(BEFORE, bytes_read=None) == "what a reads from devices cannot be observed"


@pytest.mark.parametrize(("executions", "proven"), [(49, False), (50, True)])
def test_one_execution_in_fifty_may_have_read(executions: int, proven: bool) -> None:
    every = [sample("hot", bytes_read=2 * MIB), *(sample("hot", bytes_read=0) for _ in range(executions - 1))]
    # Of another operation there were many: it is of every one.
    every += [msgspec.structs.replace(sample("hot", bytes_read=0), operation="other") for _ in range(1000)]
    assert (cold.assumed([attempt(BEFORE, samples=tuple(every))], ()) is None) is proven


def test_a_server_is_told_by_its_turn() -> None:
    turn = reading(temperature="hot", place="turn", bytes_read=0)
    assert hot(BEFORE, turn, bytes_read=None) is None
    assert "read from devices" in str(hot(BEFORE, reading(temperature="hot", place="turn"), bytes_read=None))


def test_what_was_refused_is_not_proven() -> None:
    found = cold.cold_proofs([attempt(reading(bytes_read=0))])
    assert cold.assumed([attempt(reading(bytes_read=0))], found) == (
        "1 account of cold and first executions did not hold"
    )


def test_reading_and_bringing_in_nothing_of_the_data_is_reading_something_else() -> None:
    assert code(reading(after=pages(0))) == "E1.unread"
    assert code(reading(after=pages(1))) is None
    # What is in memory afterwards was not observed: nothing is reported of it.
    assert code(reading(after=None)) is None


def test_who_brings_in_far_less_of_the_same_files_than_every_other_one_is_named() -> None:
    """One needs 10 MiB, one 0.8 MiB; a third reads a layout of its own and is not compared with them."""
    found = []
    for name, came in (("a", 2560), ("b", 200), ("c", 2)):
        one = reading(arms=(name,), contender=name, after=pages(came), bytes_read=came << 12)
        found += cold.cold_proofs([attempt(one, samples=(sample(arm=name, contender=name),))])
    said = [one for one in cold.findings(found, (DRIVE,), [{"a", "b"}, {"c"}]) if one.code == "E1.little"]
    assert [(one.contender, one.severity) for one in said] == [("b", "warning")]
    assert not [one for one in cold.findings(found, (DRIVE,), [{"a", "c"}]) if one.contender == "a"]
    assert not [one for one in cold.findings(found, (DRIVE,)) if one.code == "E1.little"]


@pytest.mark.promise("`E1.others` names no contender")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"before": pages(100), "mapped": 4096, "holders": ("reader (pid 7)",)}, "reader (pid 7) had them mapped"),
        ({"bytes_read": 0}, "somebody else read it in"),
        (
            {"temperature": "first", "before": pages(25_600), "after": pages(100)},
            "99.6 MiB of it was put out meanwhile",
        ),
    ],
)
def test_whose_data_others_touch_is_not_named_for_it(changed: dict[str, Any], words: str) -> None:
    found = cold.cold_proofs([attempt(reading(**changed))])
    said = next(iter(cold.findings(found, [DRIVE])))
    assert (said.code, said.severity, said.contender, said.operation) == ("E1.others", "error", None, "q")
    assert said.text.startswith("a, 1 of 1 execution called ")
    assert said.text.endswith(words) or f"{words}, and it had not" in said.text


def test_who_read_as_much_and_has_little_in_memory_may_be_a_victim() -> None:
    found = []
    for name, came in (("a", 2560), ("b", 200)):
        one = reading(arms=(name,), contender=name, after=pages(came))
        found += cold.cold_proofs([attempt(one, samples=(sample(arm=name, contender=name),))])
    (said,) = (one for one in cold.findings(found, (DRIVE,), [{"a", "b"}]) if one.code == "E1.little")
    assert said.contender is None
    assert said.text.startswith("b: 800 KiB of the data came into memory, 10.0 MiB at least")
