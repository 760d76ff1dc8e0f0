"""netflow: the same rows forever, however they are made; skewed, with the rare values that it promises."""

from __future__ import annotations

import hashlib
import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from weigh.data.counter_random import SLOTS, lanes, skewed, words
from weigh.data.generator import dataset_name, generator
from weigh.data.ground_truth import Truth
from weigh.data.netflow import pools
from weigh.data.netflow.rows import DURATION_BITS, SCHEMA, Rows, rows
from weigh.data.netflow.truth import RUN, Tally, size_bounds, tally, truth
from weigh.model.errors import DataFault, UsageError

# Changing any of these needs another version of the generator: published results name netflow/1.
GOLDEN = {
    (42, 1_000): "7770d5c99ede771472e9f5b1524cc85f",
    (7, 300_000): "8761a5a46ec87772eb30906f1e35e8e8",
}


def fingerprint(made: Rows) -> str:
    hashed = hashlib.sha256()
    for name in made.__struct_fields__:
        hashed.update(np.ascontiguousarray(getattr(made, name), dtype="<i8").tobytes())
    return hashed.hexdigest()[:32]


def pool_fingerprint() -> str:
    text = repr([pools.users(), pools.sources(), pools.targets(), pools.PROTOS, pools.ACTIONS])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def made(scale: int, seed: int = 42) -> pa.Table:
    with ThreadPoolExecutor(2) as pool:
        source = generator("netflow").open(scale, seed)
        return pa.Table.from_batches(list(source.tables["events"].batches(pool)))


@pytest.mark.parametrize(("seed", "scale"), GOLDEN)
def test_the_rows_never_change(seed: int, scale: int) -> None:
    assert generator("netflow").version == 1
    assert fingerprint(rows(seed, scale, 0, scale)) == GOLDEN[seed, scale]


def test_the_pools_never_change() -> None:
    assert pool_fingerprint() == "4273d05d014fcf6732d25750b3599d48"


def test_a_row_does_not_depend_on_how_the_rows_are_divided() -> None:
    whole = rows(5, 10_000, 0, 10_000)
    parts = [rows(5, 10_000, first, count) for first, count in ((0, 1), (1, 4_095), (4_096, 5_904))]
    for name in whole.__struct_fields__:
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(whole, name)), name


def test_threads_and_processes_make_the_same_batches() -> None:
    scale = RUN + 1_000
    source = generator("netflow").open(scale, 3)
    with ProcessPoolExecutor(2) as pool:
        by_processes = pa.Table.from_batches(list(source.tables["events"].batches(pool)))
    assert by_processes.equals(made(scale, 3))


def test_another_seed_is_another_dataset() -> None:
    assert not made(1_000, 1).equals(made(1_000, 2))


def test_the_scale_moves_events_in_time_and_changes_nothing_else() -> None:
    few, many = made(1_000), made(5_000).slice(0, 1_000)
    for name in SCHEMA.names:
        assert (name == "ts") != few[name].equals(many[name]), name


def test_event_ids_are_unique_and_not_in_order() -> None:
    ids = rows(42, 200_000, 0, 200_000).event_id
    assert len(np.unique(ids)) == len(ids)
    rising = np.count_nonzero(np.diff(ids.astype(np.float64)) > 0) / len(ids)
    assert 0.49 < rising < 0.51


def test_values_are_skewed_absent_and_rare() -> None:
    events = made(1_000_000)
    users = Counted(events["user_name"])
    assert users.count > 1_500
    assert 0.1 < users.of(None) / 1_000_000 < 0.15
    assert users.top(1) > 50 * users.median()
    assert users.of("") in range(1, 50)
    assert users.of("李小龙") in range(1, 50)
    assert Counted(events["action"]).of("honeypot") in range(1, 300)
    assert Counted(events["dst_port"]).of(65_535) > 0
    assert 0.35 < events["score"].null_count / 1_000_000 < 0.45
    assert pc.min(events["bytes"]).as_py() == -1
    assert pc.max(events["bytes"]).as_py() == (1 << 36) - 1
    assert pc.min(events["dst_port"]).as_py() == 0
    # A sum of 32-bit integers that does not fit into 32 bits, for engines that do not widen.
    assert pc.sum(events["packets"]).as_py() > 2**31


def test_time_is_nearly_ordered_within_the_week() -> None:
    made_ts = rows(42, 100_000, 0, 100_000).ts - pools.START_US
    assert made_ts.min() >= 0
    assert made_ts.max() < pools.HOURS * pools.HOUR_US + pools.JITTER_US
    assert (np.maximum.accumulate(made_ts) - made_ts).max() <= pools.JITTER_US


def test_pools_hold_each_value_once() -> None:
    for pool in (pools.users(), pools.sources(), pools.targets()):
        assert len(set(pool)) == len(pool)


def test_every_choice_of_a_skewed_table_is_possible() -> None:
    table = skewed([1 << 40, 1, 0, 5])
    assert len(table) == SLOTS
    assert set(table.tolist()) == {0, 1, 2, 3}
    assert np.all(np.diff(table) >= 0)
    with pytest.raises(ValueError, match="do not fit"):
        skewed([1] * (SLOTS + 1))


def test_words_are_splitmix64() -> None:
    # First outputs of the reference implementation (Vigna, splitmix64.c) for state 1234567.
    reference = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert words(1234567, 1, 4).tolist() == reference


def test_lanes_are_the_parts_of_a_word() -> None:
    parts = lanes(np.array([0x0004_0003_0002_0001], np.uint64))
    assert [int(part[0]) for part in parts] == [1, 2, 3, 4]


def test_tallies_add_up_in_any_order() -> None:
    parts = [tally(rows(1, 9_000, first, 3_000)) for first in (0, 3_000, 6_000)]
    forth, back = Tally.empty(), Tally.empty()
    for part in parts:
        forth.add(part)
    for part in reversed(parts):
        back.add(part)
    assert same(truth(forth), truth(back))


def test_sums_of_durations_are_exact() -> None:
    events = rows(9, RUN, 0, RUN)
    cube = truth_of(events)["groups"]
    high, low = int(cube["duration_high"].sum()), int(cube["duration_low"].sum())
    exact = sum(events.duration.tolist())
    assert (high << 26) + low == exact
    assert exact / 2**DURATION_BITS == math.fsum((events.duration * 2.0**-DURATION_BITS).tolist())
    # The point of them: an ordinary sum does not get there.
    assert exact > 2**53


def test_size_classes_hold_what_their_bounds_say() -> None:
    events = rows(9, RUN, 0, RUN)
    cube = truth_of(events)["sizes"]
    bounds = [*size_bounds(), 1 << 36]
    for low, counted, total in zip(cube["low"], cube["events"], cube["bytes"], strict=True):
        high = bounds[bounds.index(low) + 1]
        inside = events.bytes[(events.bytes >= low) & (events.bytes < high)]
        assert (len(inside), int(inside.sum())) == (counted, total)


def test_the_truth_survives_the_disk(tmp_path) -> None:
    known = truth_of(rows(2, 5_000, 0, 5_000))
    known.save(tmp_path / "truth")
    assert same(Truth.load(tmp_path / "truth"), known)


def test_an_edited_truth_is_refused(tmp_path) -> None:
    folder = tmp_path / "truth"
    truth_of(rows(2, 500, 0, 500)).save(folder)
    cube = folder / "users.parquet"
    cube.write_bytes(cube.read_bytes() + b" ")
    with pytest.raises(DataFault, match="changed since"):
        Truth.load(folder)
    cube.unlink()
    with pytest.raises(DataFault, match="cannot be read"):
        Truth.load(folder)


def test_an_unknown_generator_names_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        dataset_name("netflw", 10, 1)
    assert "netflow" in raised.value.remedy


class Counted:
    def __init__(self, column: pa.ChunkedArray) -> None:
        counted = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        self._by_value = {item["values"]: item["counts"] for item in counted.value_counts().to_pylist()}
        self.count = len(self._by_value)

    def of(self, value: object) -> int:
        return self._by_value.get(value, 0)

    def top(self, rank: int) -> int:
        return sorted((n for value, n in self._by_value.items() if value is not None), reverse=True)[rank - 1]

    def median(self) -> int:
        return sorted(self._by_value.values())[self.count // 2]


def truth_of(events: Rows) -> Truth:
    counted = Tally.empty()
    counted.add(tally(events))
    return truth(counted)


def same(left: Truth, right: Truth) -> bool:
    def plain(known: Truth) -> dict[str, object]:
        return {name: {column: list(values) for column, values in cube.items()} for name, cube in known.items()}

    sides = [plain(known) for known in (left, right)]
    for side in sides:
        extremes = side["extremes"]
        assert isinstance(extremes, dict)
        side["extremes"] = sorted(zip(*extremes.values(), strict=True))
    return sides[0] == sides[1]
