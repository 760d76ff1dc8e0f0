"""What becomes of values: the maps alone."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from ffx import FF1
from hypothesis import given
from hypothesis import strategies as st

from weigh.model.errors import UsageError
from weigh.obfuscation import arrays
from weigh.obfuscation import key as keys
from weigh.obfuscation.ids import BLOCK, LARGEST, Ids
from weigh.obfuscation.key import Key
from weigh.obfuscation.mapping import Mapping
from weigh.obfuscation.numbers import LIMIT

if TYPE_CHECKING:
    from pathlib import Path

MAPPING = Mapping(Key(bytes(range(32))))
FF1_SAMPLES = (
    (16, 10, "", "0123456789", "2433477484"),
    (16, 10, "39383736353433323130", "0123456789", "6124200773"),
    (16, 36, "3737373770717273373737", "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (24, 10, "", "0123456789", "2830668132"),
    (24, 10, "39383736353433323130", "0123456789", "2496655549"),
    (24, 36, "3737373770717273373737", "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (32, 10, "", "0123456789", "6657667009"),
    (32, 10, "39383736353433323130", "0123456789", "1001623463"),
    (32, 36, "3737373770717273373737", "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
)
"""The samples that NIST publishes with SP 800-38G: bytes of the key, radix, tweak, text, image."""
FF1_KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94")


@pytest.mark.parametrize(("size", "radix", "tweak", "text", "image"), FF1_SAMPLES)
def test_the_library_is_ff1(size: int, radix: int, tweak: str, text: str, image: str) -> None:
    cipher = FF1(FF1_KEY[:size], radix=radix)
    assert cipher.encrypt(text, tweak=bytes.fromhex(tweak)) == image


@given(st.lists(st.integers(-LIMIT, LIMIT), min_size=1, max_size=30), st.integers(0, 9))
def test_numbers_rise_strictly_and_arrays_agree_with_single_numbers(units: list[int], scale: int) -> None:
    values = np.array(sorted(set(units)), np.int64)
    images = MAPPING.numbers.units(values, scale)
    assert (np.diff(images) > 0).all()
    assert (np.sign(images) == np.sign(values)).all()
    one = [MAPPING.numbers.one(f"{Decimal(int(value)).scaleb(-scale):f}") for value in values]
    assert [Decimal(text) for text in one] == [Decimal(int(image)).scaleb(-scale) for image in images]


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30), st.sampled_from([1, 10, 1000, 10**6]))
def test_doubles_become_what_decimals_become(units: list[int], part: int) -> None:
    values = np.unique(np.array(units) / part)
    images = MAPPING.numbers.floats(values)
    assert (np.diff(images) > 0).all()
    assert [float(MAPPING.numbers.one(repr(float(value)))) for value in values] == images.tolist()


def test_forms_of_a_number_are_one() -> None:
    one = MAPPING.numbers.one
    assert Decimal(one("24")) == Decimal(one("24.00")) == Decimal(one("+24.0"))
    assert one("24.00") == f"{one('24')}.00"
    assert one("-24") == f"-{one('24')}"
    assert one("0") == "0"
    assert np.isnan(MAPPING.numbers.floats(np.array([np.nan]))[0])
    assert MAPPING.numbers.floats(np.array([0.29], np.float32))[0] == np.float32(one("0.29"))
    with pytest.raises(ValueError, match="x"):
        one("1x")


def test_large_numbers_keep_their_64_bits_and_meet_no_other() -> None:
    large = np.random.default_rng(0).integers(LIMIT + 1, (1 << 63) - 1, 2_000)
    small = MAPPING.numbers.units(np.arange(2_000), 0)
    images = MAPPING.numbers.large(large)
    assert len({*images.tolist(), *small.tolist()}) == len(set(large.tolist())) + 2_000
    assert MAPPING.numbers.one(str(-large[0])) == str(-images[0])
    assert (MAPPING.numbers._sources(images) == -1).all()
    assert (MAPPING.numbers._sources(small) == np.arange(2_000)).all()


@given(
    st.sets(st.integers(0, 300), min_size=2, max_size=8),
    st.integers(0, LARGEST - 1000),
    st.lists(st.integers(0, 63), max_size=9),
)
def test_identifiers_are_exchanged_within_limits(ends: set[int], first: int, draws: list[int]) -> None:
    limits = sorted(first + one for one in ends)
    ids = Ids(MAPPING.key, (), limits, draws)
    for low, high in pairwise(limits):
        values = np.arange(low, high)
        images = ids.images(values[::-1])[::-1]
        assert sorted(images.tolist()) == values.tolist()
        assert (np.abs(images - values) < BLOCK).all()
        same = values[images == values]
        alone = {low} if low % BLOCK == BLOCK - 1 or high == low + 1 else set()
        assert {*same.tolist()} <= alone | ({high - 1} if (high - 1) % BLOCK == 0 else set())
        assert [ids.one(str(one)) for one in values.tolist()] == [str(one) for one in images.tolist()]


def test_each_range_has_the_permutation_that_is_drawn_for_it() -> None:
    first, other = (Ids(MAPPING.key, (), (100, 200), draws) for draws in ((), (0, 3)))
    values = np.arange(300)
    changed = first.images(values) != other.images(values)
    assert not changed[:100].any()
    assert changed[100:200].mean() > 0.9
    assert not changed[200:].any()


def test_identifiers_that_were_not_counted_have_no_image() -> None:
    with pytest.raises(ValueError, match="1000000000001"):
        Ids(MAPPING.key, (), ()).one(str(LARGEST + 1))
    assert len(Ids(MAPPING.key, (), ()).images(np.array([], np.int64))) == 0


@pytest.mark.long
@given(st.text(max_size=60))
def test_texts_keep_their_length_and_their_bytes(text: str) -> None:
    image = MAPPING.words.text(text)
    assert (len(image), len(image.encode(errors="replace"))) == (len(text), len(text.encode(errors="replace")))


@given(st.lists(st.text("aB9é-. 漢f", max_size=6), unique=True, max_size=60))
def test_different_texts_stay_different(texts: list[str]) -> None:
    assert len({MAPPING.words.text(one) for one in texts}) == len(texts)


def test_words_are_the_same_wherever_they_stand() -> None:
    text = MAPPING.text
    assert text("%special%requests%") == f"%{text('special')}%{text('requests')}%"
    assert text("CUSTOMER").lower() == text("customer") != "customer"
    assert text("10.1.200.7").startswith(text("10.1."))
    assert all(int(part) < 256 for part in text("10.1.200.255").split("."))
    assert text("00042")[:3] == "000"
    first = text("550e8400-e29b-41d4-a716-446655440000")
    assert [len(part) for part in first.split("-")] == [8, 4, 4, 4, 12]
    assert text('{"a": true, "b": null}').endswith("null}")


def test_dates_move_by_weeks() -> None:
    text = MAPPING.text
    day = np.datetime64(text("1994-01-31")) - np.datetime64("1994-01-31")
    assert day.astype(int) % 7 == 0
    assert np.datetime64(text("1994-01-31 10:00:00")[:10]) - np.datetime64("1994-01-31") == day
    assert text("9999-12-31") == "9999-12-31"
    moved = arrays.mapped(pa.array([datetime(1994, 1, 31, 10)], pa.timestamp("us")), pa.timestamp("us"), MAPPING, "t.c")
    assert moved[0].as_py().isoformat(" ") == text("1994-01-31 10:00:00")
    days = arrays.mapped(pa.array([date(1994, 1, 31), None]), pa.date32(), MAPPING, "t.c")
    assert [days[0].as_py().isoformat(), days[1].as_py()] == [text("1994-01-31"), None]


def test_types_that_cannot_be_replaced_are_named() -> None:
    months = pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    with pytest.raises(UsageError, match=r"t\.c: values of type month_day_nano_interval cannot be replaced"):
        arrays.mapped(months, months.type, MAPPING, "t.c")


def test_names_are_words_without_case() -> None:
    assert MAPPING.name("LineItem") == MAPPING.name("lineitem")
    assert MAPPING.name("lineitem").isalpha()
    assert MAPPING.name("pg_stat_activity") == "pg_stat_activity"


def test_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    key, file, made = keys.of(None, out)
    assert (file, made) == (tmp_path / "out.key", True)
    assert file is not None
    assert file.stat().st_mode & 0o777 == 0o600
    again, _, made = keys.of(file, out)
    assert (again.id, made) == (key.id, False)
    assert file.read_text().strip() not in repr(key)
    monkeypatch.setenv(keys.VARIABLE, file.read_text())
    assert keys.of(None, tmp_path / "other")[0].id == key.id
    monkeypatch.setenv(keys.VARIABLE, "short")
    with pytest.raises(UsageError, match="no key"):
        keys.of(None, out)
    file.chmod(0o644)
    with pytest.raises(UsageError, match="others may read"):
        keys.of(file, out)
    with pytest.raises(UsageError, match="in the output"):
        keys.of(out / "key", out)
