"""The keys of YCSB against its published laws, computed here a second time, with fixed seeds."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import numpy as np
import pytest
import scipy

from weigh import _native
from weigh.load.ycsb.properties import requested

SEED = 7
DRAWS = 400_000
THETA = 0.99
ZETA = 26.46902820178302
"""The sum of i^-0.99 over 10^10 ranks, as YCSB's source states it."""
SURE = 1e-6
"""Chance that a right generator fails one of these tests with another seed."""


def fnv(numbers: np.ndarray) -> np.ndarray:
    """YCSB's hash: FNV-1a of the 8 bytes from the lowest, without its sign."""
    hashes = np.full(len(numbers), 0xCBF29CE484222325, dtype=np.uint64)
    for byte in range(8):
        hashes ^= (numbers >> np.uint64(8 * byte)) & np.uint64(0xFF)
        hashes *= np.uint64(0x100000001B3)
    return np.abs(hashes.view(np.int64)).view(np.uint64)


def drawn(core: str | dict[str, Any], records: int, count: int = DRAWS) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.array(_native.ycsb_keys(json.dumps(core), records, SEED, count), dtype=np.int64)
    return pairs[:, 0], pairs[:, 1]


def properties(**given: str) -> dict[str, Any]:
    """What a workload of these properties is made of, as the generator takes it."""
    workload = requested({name.replace("_", "."): value for name, value in given.items()}, None).workload
    parts: dict[str, Any] = msgspec.to_builtins(workload)
    del parts["ignored"]
    return parts


def within(counts: np.ndarray, draws: int, law: np.ndarray) -> bool:
    """Whether every count is likely, however many there are, and their chi-square too."""
    each = SURE / len(counts)
    low, high = scipy.stats.binom.ppf(each / 2, draws, law), scipy.stats.binom.ppf(1 - each / 2, draws, law)
    chi_square = ((counts - draws * law) ** 2 / (draws * law)).sum()
    return bool(((low <= counts) & (counts <= high)).all()) and chi_square < scipy.stats.chi2.ppf(1 - SURE, len(counts))


@pytest.mark.parametrize("records", [1_000, 100_000])
def test_the_hottest_hundred_keys_are_asked_for_as_often_as_the_law_says(records: int) -> None:
    ranks = np.arange(2_000_000, dtype=np.uint64)
    weights = (ranks + 1.0) ** -THETA / ZETA
    # Ranks that share a key add up. The many after the two millionth, each less likely than 1e-7, fall evenly.
    law = np.bincount((fnv(ranks) % np.uint64(records)).astype(np.int64), weights, records)
    law += (1 - weights.sum()) / records
    hottest = np.argsort(law)[::-1][:100]

    keys, _ = drawn("C", records)

    assert keys.min() >= 0
    assert keys.max() < records
    assert within(np.bincount(keys, minlength=records)[hottest], len(keys), law[hottest])


def test_collisions_are_part_of_the_law() -> None:
    """With few records they matter so much that the ranks alone do not fit."""
    keys, _ = drawn("C", 1_000)
    counts = np.sort(np.bincount(keys))[::-1][:100]

    assert not within(counts, len(keys), np.arange(1, 101, dtype=float) ** -THETA / ZETA)


def test_latest_counts_back_from_the_newest_key() -> None:
    records = 50_000
    keys, rows = drawn("D", records)
    inserted = rows == 0
    newest = records - 1 + np.cumsum(inserted)
    back = (newest - keys)[~inserted]
    reads = len(back)

    assert keys[inserted].tolist() == list(range(records, records + int(inserted.sum())))
    assert back.min() == 0
    # Zeta grows by 1 % while 20,000 keys are added: the law is the mean over the reads.
    sums = np.cumsum(np.arange(1, newest.max() + 2, dtype=float) ** -THETA)
    law = np.arange(1, 101, dtype=float) ** -THETA * (1 / sums[newest[~inserted]]).mean()
    assert within(np.bincount(back, minlength=100)[:100], reads, law)


def test_scans_are_of_every_length_from_1_to_100_alike() -> None:
    _, rows = drawn("E", 1_000, 100_000)
    lengths = rows[rows > 0]

    assert set(lengths.tolist()) == set(range(1, 101))
    assert within(np.bincount(lengths)[1:], len(lengths), np.full(100, 0.01))


@pytest.mark.parametrize("letter", ["D", "E"])
def test_one_operation_in_twenty_is_an_insert(letter: str) -> None:
    _, rows = drawn(letter, 1_000, 100_000)

    assert scipy.stats.binomtest(int((rows == 0).sum()), len(rows), 0.05).pvalue > SURE


def test_keys_of_a_seed_are_always_the_same() -> None:
    assert _native.ycsb_keys('"A"', 10, 1, 50) == _native.ycsb_keys('"A"', 10, 1, 50)
    assert _native.ycsb_keys('"A"', 10, 1, 50) != _native.ycsb_keys('"A"', 10, 2, 50)


def test_a_letter_that_there_is_not_is_refused() -> None:
    with pytest.raises(_native.LoadError, match="there are A, B, C, D, E and F"):
        _native.ycsb_keys('"G"', 10, 1, 1)


READS = {"readproportion": "1", "updateproportion": "0"}


def test_uniform_asks_for_all_loaded_records_alike() -> None:
    keys, _ = drawn(properties(**READS, requestdistribution="uniform"), 500)

    assert within(np.bincount(keys, minlength=500), len(keys), np.full(500, 1 / 500))


def test_uniform_asks_for_no_inserted_record() -> None:
    """As YCSB has it: the range of its generator is that of the load."""
    mix = {"readproportion": "0.5", "updateproportion": "0", "insertproportion": "0.5"}
    keys, rows = drawn(properties(**mix, requestdistribution="uniform"), 500, 20_000)

    assert keys[rows == 0].max() > 5_000
    assert keys[rows == 1].max() == 499


def test_a_hotspot_gets_its_share_and_is_even_inside() -> None:
    spot = {"hotspotdatafraction": "0.1", "hotspotopnfraction": "0.7"}
    keys, _ = drawn(properties(**READS, **spot, requestdistribution="hotspot"), 1_000)

    law = np.concatenate([np.full(100, 0.7 / 100), np.full(900, 0.3 / 900)])
    assert within(np.bincount(keys, minlength=1_000), len(keys), law)


def test_sequential_goes_through_the_records_again_and_again() -> None:
    keys, _ = drawn(properties(**READS, requestdistribution="sequential"), 7, 21)

    assert keys.tolist() == [*range(7)] * 3


def test_exponential_gives_the_newest_share_its_percentage() -> None:
    falls = {"exponential_percentile": "90", "exponential_frac": "0.5"}
    records = 1_000
    keys, _ = drawn(properties(**READS, **falls, requestdistribution="exponential"), records)

    # YCSB draws from the whole exponential distribution, rounds down, and draws again what lies before the first.
    gamma = -np.log(0.1) / 500
    edges = np.exp(-gamma * np.arange(records + 1))
    law = (edges[:-1] - edges[1:]) / (1 - edges[-1])
    assert within(np.bincount(records - 1 - keys, minlength=records), len(keys), law)


def test_zipfian_scans_are_short_as_often_as_the_law_says() -> None:
    scans = {"readproportion": "0", "updateproportion": "0", "scanproportion": "1"}
    lengths = {"minscanlength": "3", "maxscanlength": "42", "scanlengthdistribution": "zipfian"}
    _, rows = drawn(properties(**scans, **lengths), 1_000, 100_000)

    weights = np.arange(1, 41, dtype=float) ** -THETA
    assert rows.min() == 3
    assert within(np.bincount(rows - 3, minlength=40), len(rows), weights / weights.sum())


def test_a_mix_is_what_its_proportions_say_whatever_they_add_up_to() -> None:
    mix = {"readproportion": "6", "updateproportion": "0", "insertproportion": "2", "scanproportion": "2"}
    _, rows = drawn(properties(**mix, minscanlength="2", maxscanlength="9"), 1_000, 100_000)

    assert within(
        np.array([(rows == 0).sum(), (rows == 1).sum(), (rows > 1).sum()]), len(rows), np.array([0.2, 0.6, 0.2])
    )
