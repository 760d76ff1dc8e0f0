"""Units: what numbers mean, how people write them, and how they are printed."""

from __future__ import annotations

import math
import re
from typing import overload

from weigh.model.errors import UsageError

Seconds = float
Rows = int
Bytes = int
Scale = int | float
"""How large a dataset is: a whole number is rows, a float is a scale factor of a TPC benchmark."""

MAX_FACTOR = 100_000.0
"""The largest scale factor that the TPC-H specification knows."""

_SCALE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kmgKMG]?)\s*$")
_FACTOR = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_FACTOR_TEXT = re.compile(r"^\s*(?:sf)?\s*(\d+(?:\.\d+)?)\s*$", re.IGNORECASE)
_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(b|ib|)\s*$", re.IGNORECASE)
_SIZE_UNITS = ("", "k", "m", "g", "t")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s|min|m|h)")
_PLAIN_RATIO = 1_000.0
"""From here on the decimals of a ratio are noise."""
_DURATION_UNIT = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@overload
def whole(seconds: Seconds) -> Seconds: ...
@overload
def whole(seconds: Seconds | None) -> Seconds | None: ...
def whole(seconds: Seconds | None) -> Seconds | None:
    """Seconds to whole nanoseconds, which is what clocks tell and evidence keeps."""
    # round(seconds, 9) is the same and goes by way of a text.
    return seconds if seconds is None or not math.isfinite(seconds) else round(seconds * 1e9) / 1e9


def parse_rows(text: str, noun: str = "rows") -> Rows:
    """Rows written as people write them: ``"1M"`` is 1,000,000.

    Args:
        text: as it was written.
        noun: of what else it is a number.

    Raises:
        UsageError: not a number with an optional K, M or G, or not a whole number.
    """
    match = _SCALE.match(text)
    if match is None:
        raise UsageError(f"'{text}' is not a number of {noun}", remedy="write a number with an optional K, M or G: 1M")
    rows = float(match[1]) * _FACTOR[match[2].lower()]
    if rows != int(rows):
        raise UsageError(f"'{text}' is not a whole number of {noun}", remedy="write a whole number: 1500")
    return int(rows)


def parse_factor(text: str) -> float:
    """A scale factor written as ``"0.1"``, ``"10"`` or ``"SF10"``.

    Raises:
        UsageError: not a number, or not above 0 and at most 100,000.
    """
    match = _FACTOR_TEXT.match(text)
    if match is None:
        raise UsageError(
            f"'{text}' is not a scale factor", remedy="write 0.01, 1 or SF10; TPC-H at 1 is 8.7 million rows"
        )
    value = float(match[1])
    if not 0 < value <= MAX_FACTOR:
        raise UsageError(f"a scale factor of {match[1]} cannot be", remedy=f"above 0, at most {MAX_FACTOR:,.0f}")
    return value


def parse_duration(text: str) -> Seconds:
    """A duration written as ``"90s"``, ``"10m"`` or ``"1h30m"``, in seconds.

    Raises:
        UsageError: no number with a unit of us, ms, s, m, min or h.
    """
    compact = text.replace(" ", "")
    parts = list(_DURATION.finditer(compact))
    if not parts or "".join(part[0] for part in parts) != compact:
        raise UsageError(f"'{text}' is not a duration", remedy="write a number and a unit: 90s, 10m, 1h30m")
    return sum(float(part[1]) * _DURATION_UNIT[part[2]] for part in parts)


def parse_size(text: str) -> Bytes:
    """Bytes written as ``"4G"``, ``"512 MiB"`` or ``"1.5GB"``: K, KiB are of 1024, KB is of 1000; plain is bytes.

    Raises:
        UsageError: not a number with such a unit, or nothing.
    """
    match = _SIZE.match(text)
    value = 0.0
    if match is not None:
        base = 1000 if match[3].lower() == "b" else 1024
        value = float(match[1]) * base ** _SIZE_UNITS.index(match[2].lower())
    if value < 1:
        raise UsageError(f"'{text}' is not a size", remedy="write a number and a unit: 4G, 512MiB")
    return int(value)


def parse_fraction(value: float | str, name: str) -> float:
    """A fraction written as ``"0.03"`` or ``"3%"``; as a number only below 1: 3 could mean 3 % or 300 %.

    Args:
        value: a text, or a number of weigh.toml.
        name: of what it is, for the error: ``margin``, ``--contention``.

    Raises:
        UsageError: not a finite number, or 1 or more without ``%``.
    """
    text = str(value).strip()
    signed = text.endswith("%")
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{name} = {value} is not a fraction", remedy="write 0.03 or 3%")
    if number >= 1 and not signed:
        raise UsageError(
            f"{name} = {number:.15g} would be {100 * number:.15g} %",
            remedy=f"did you mean {number:.15g}%? A number without the sign is below 1: 0.03 or 3%",
        )
    return number / 100 if signed else number


def seconds(value: Seconds | None) -> str:
    """A duration with three significant digits and its unit: ``1.23 ms``."""
    if value is None or not math.isfinite(value):
        return "-"
    if value == 0:
        return "0 s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(_rounded(value / size)) >= 1:
            return f"{_three_digits(value / size)} {unit}"
    return f"{_three_digits(value / 1e-9)} ns"


def duration(value: Seconds) -> str:
    """How long something took, for people: ``6.1 s``, ``17 s``, ``4 min 51 s``, ``1 h 12 min``."""
    if value < 9.95:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(value / 60)
    return f"{minutes // 60} h {minutes % 60} min"


def typed(value: Seconds) -> str:
    """A duration that is no shorter, as a flag takes it: ``90s``, ``4m30s``, ``5m``."""
    if value > 120 and value % 60 == 30:
        return f"{int(value // 60)}m30s"
    return f"{math.ceil(value / 60)}m" if value > 120 else f"{math.ceil(value)}s"


def size(value: Bytes | float | None) -> str:
    """Bytes with three significant digits and a binary unit: ``1.23 GiB``."""
    if value is None:
        return "-"
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if abs(value) >= factor:
            return f"{_three_digits(value / factor)} {unit}"
    return f"{value:.0f} B"


def percent(value: float | None, digits: int = 1) -> str:
    """A fraction as per cent: ``3.1 %``."""
    return "-" if value is None or not math.isfinite(value) else f"{100 * value:.{digits}f} %"


def cpu_of_others(share: float, of: str, own: str) -> str:
    """What others used of the CPU, as a share of what was measured: ``3.1 % of the CPU of the turns``.

    Args:
        share: of ``own``'s time of CPU; above 1 where others used more than it did.
        of: the whole, ``the CPU of the turns``.
        own: whose CPU that is, ``the turns``: ``1.44 times as much CPU as the turns``.
    """
    return f"{percent(share)} of {of}" if share <= 1 else f"{share:.3g} times as much CPU as {own}"


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 start``, ``10 starts``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def quantity(value: float, digits: int = 4) -> str:
    """A number with so many significant digits and no exponent: ``17,560``, ``2.345``."""
    return f"{float(f'{value:.{digits}g}'):,.15g}"


def ratio(value: float, digits: int = 3) -> str:
    """A ratio with so many decimals; where they would say nothing, significant digits: ``1.201``, ``1,235,000``.

    Args:
        value: above 0.
        digits: decimals of an ordinary one.
    """
    if 10.0**-digits <= value < _PLAIN_RATIO:
        return f"{value:.{digits}f}"
    return quantity(value, digits + 1) if value >= 1 else f"{value:.2g}"


def rows(value: Rows) -> str:
    """A row count as people write it: ``1M`` for 1,000,000, ``1,234`` where nothing shorter is exact."""
    for unit, factor in (("G", 10**9), ("M", 10**6), ("K", 10**3)):
        if value and value % factor == 0:
            return f"{value // factor}{unit}"
    return f"{value:,}"


def factor(value: float) -> str:
    """A scale factor, exactly: ``0.01``, ``10``."""
    return str(int(value)) if value.is_integer() else repr(value)


def scale(value: Scale | None) -> str:
    """How large a dataset is, for people: ``1M rows``, ``SF 0.1``; empty where nobody generated it."""
    if value is None:
        return ""
    return f"SF {factor(value)}" if isinstance(value, float) else f"{rows(value)} rows"


def _rounded(value: float) -> float:
    """To three significant digits: 0.9996 ms is shown as a millisecond, not as 1000 us."""
    return float(f"{value:.3g}")


def _three_digits(value: float) -> str:
    magnitude = abs(_rounded(value))
    digits = max(0, 2 - math.floor(math.log10(magnitude))) if magnitude else 0
    return f"{value:.{min(digits, 2)}f}"
