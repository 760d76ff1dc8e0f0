"""Numbers as people write them, and as weigh prints them."""

from __future__ import annotations

import msgspec
import pytest

from weigh.model import units
from weigh.model.errors import UsageError


@pytest.mark.parametrize(
    ("text", "rows"),
    [("0", 0), ("1500", 1500), ("1K", 1000), ("1.5k", 1500), (" 2 M ", 2_000_000), ("0.5G", 500_000_000)],
)
def test_rows(text: str, rows: int) -> None:
    assert units.parse_rows(text) == rows


@pytest.mark.parametrize("text", ["", "K", "-1", "1T", "1e3", "1.0001K", "1,000", "nan", "0x10"])
def test_what_is_no_number_of_rows(text: str) -> None:
    with pytest.raises(UsageError, match="rows") as caught:
        units.parse_rows(text)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("10m", 600),
        ("1h30m", 5400),
        ("250ms", 0.25),
        ("40us", 4e-5),
        ("1 h 5 s", 3605),
        ("0s", 0),
        ("2min", 120),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert units.parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "10", "s", "soon", "-5s", "5 s later", "1d"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UsageError, match="duration"):
        units.parse_duration(text)


@pytest.mark.parametrize(
    ("text", "fraction"), [("3%", 0.03), ("0.03", 0.03), (" 2.5% ", 0.025), ("1e-2", 0.01), ("300%", 3), (0.05, 0.05)]
)
def test_fractions(text: float | str, fraction: float) -> None:
    assert units.parse_fraction(text, "margin") == pytest.approx(fraction)


@pytest.mark.parametrize("text", ["", "%", "three", "nan", "inf%", float("nan")])
def test_what_is_no_fraction(text: float | str) -> None:
    with pytest.raises(UsageError, match="fraction"):
        units.parse_fraction(text, "margin")


@pytest.mark.parametrize("text", ["1", "3", "3.0", 3, 99.9, "1e2"])
def test_a_number_that_could_be_per_cent_is_refused_with_what_was_meant(text: float | str) -> None:
    with pytest.raises(UsageError, match="margin = ") as caught:
        units.parse_fraction(text, "margin")
    assert f"did you mean {float(text):.15g}%?" in caught.value.remedy


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (float("nan"), "-"),
        (0.0, "0 s"),
        (1.234, "1.23 s"),
        (0.0123, "12.3 ms"),
        (4.56e-6, "4.56 us"),
        (0.99996e-3, "1.00 ms"),
        (0.9996, "1.00 s"),
        (9.996e-3, "10.0 ms"),
        (99.96e-3, "100 ms"),
        (0.9994, "999 ms"),
    ],
)
def test_seconds_have_three_digits_and_a_unit(value: float | None, shown: str) -> None:
    assert units.seconds(value) == shown


def test_more_cpu_than_the_measured_itself_is_told_by_times_and_not_above_a_hundred_per_cent() -> None:
    assert units.cpu_of_others(0.031, "the CPU of the turns", "the turns") == "3.1 % of the CPU of the turns"
    assert units.cpu_of_others(1.437, "the CPU", "the run") == "1.44 times as much CPU as the run"


@pytest.mark.parametrize(("value", "shown"), [(1_000_000, "1M"), (1500, "1,500"), (20_000, "20K"), (0, "0")])
def test_row_counts_are_shown_exactly(value: int, shown: str) -> None:
    assert units.rows(value) == shown


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1.0), ("0.01", 0.01), ("SF10", 10.0), (" sf 0.1 ", 0.1), ("100000", 1e5), ("0.001", 0.001)],
)
def test_scale_factors(text: str, value: float) -> None:
    found = units.parse_factor(text)
    assert (found, type(found)) == (value, float)


@pytest.mark.parametrize("text", ["", "SF", "1M", "-1", "1e3", "nan", "inf", "1,5", "0", "0.0", "SF0", "100001"])
def test_what_is_no_scale_factor(text: str) -> None:
    with pytest.raises(UsageError, match="scale factor") as caught:
        units.parse_factor(text)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1_000_000, "1M rows"),
        (1500, "1,500 rows"),
        (0.1, "SF 0.1"),
        (1.0, "SF 1"),
        (1234567.0, "SF 1234567"),
        (None, ""),
    ],
)
def test_a_whole_number_is_rows_and_a_float_a_scale_factor(value: float | None, shown: str) -> None:
    assert units.scale(value) == shown
    assert msgspec.json.decode(msgspec.json.encode(value), type=int | float | None) == value
    assert type(msgspec.json.decode(msgspec.json.encode(value), type=int | float | None)) is type(value)


@pytest.mark.parametrize(("value", "text"), [(17_563.2, "17,560"), (2.3456, "2.346"), (1_234_567.0, "1,235,000")])
def test_quantities_have_no_exponent(value: float, text: str) -> None:
    assert units.quantity(value) == text
