"""Texts in which engines and drivers give values that are no text: each is read strictly, or not at all."""

from __future__ import annotations

import base64
import binascii
import datetime
import decimal
import math
import re

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?")
_SPECIAL = {"nan": math.nan, "inf": math.inf, "infinity": math.inf}
_TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
"""As SQL and its drivers write them."""
_ZONE = r"(?P<zone>Z|UTC|[+-]\d\d(?::?\d\d)?)?"
_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
_MOMENT = re.compile(rf"(?P<year>\d{{4,6}})-(?P<month>\d\d)-(?P<day>\d\d)(?:[ T]{_CLOCK})?\s?{_ZONE}")
_TIME = re.compile(rf"{_CLOCK}{_ZONE}")
_UUID = re.compile(r"[{]?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})[}]?", re.IGNORECASE)
_HEX = re.compile(r"(?:\\x|0x)?((?:[0-9a-f]{2})*)", re.IGNORECASE)
_BITS = re.compile(r"[01]+", re.ASCII)
_ESCAPED = re.compile(r"\\x([0-9a-fA-F]{2})")
_SPAN = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)
_SPAN_CLOCK = re.compile(r"([+-]?)(\d{1,7}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?")
_ISO_SPAN = re.compile(
    r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?)?"
)
_SECOND = 10**9
DAY = 86_400 * _SECOND
"""Nanoseconds of a day."""
_MONTHS = {"year": 12, "yr": 12, "y": 12, "month": 1, "mon": 1}
_DAYS = {"week": 7, "day": 1, "d": 1}
_NANOSECONDS = {
    "hour": 3_600 * _SECOND, "h": 3_600 * _SECOND, "minute": 60 * _SECOND, "min": 60 * _SECOND, "m": 60 * _SECOND,
    "second": _SECOND, "sec": _SECOND, "s": _SECOND, "millisecond": 10**6, "ms": 10**6, "microsecond": 10**3,
    "us": 10**3, "nanosecond": 1, "ns": 1,
}  # fmt: skip
EPOCH = datetime.date(1970, 1, 1).toordinal()
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
"""After so many years the calendar repeats."""


class NotThat(ValueError):
    """A text that says no such value."""


def decoded(content: bytes) -> str:
    """The text in bytes."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise NotThat(content) from None


def number(text: str) -> decimal.Decimal:
    """A number, digit by digit."""
    if not _NUMBER.fullmatch(text):
        raise NotThat(text)
    return decimal.Decimal(text)


def double(text: str) -> float:
    """A double, as it is written to be read back."""
    sign = -1.0 if text.startswith("-") else 1.0
    special = _SPECIAL.get(text.lstrip("+-").lower())
    return sign * special if special is not None else float(number(text))


def truth(text: str) -> bool:
    """A boolean."""
    found = _TRUTH.get(text.lower())
    if found is None:
        raise NotThat(text)
    return found


def moment(text: str) -> int:
    """A date or a timestamp in ISO's form; nanoseconds since 1970 in UTC, and without a zone it is in UTC."""
    found = _MOMENT.fullmatch(text)
    if not found:
        return _iso_moment(text)
    year = int(found["year"])
    cycles = 0 if 1 <= year <= datetime.MAXYEAR else (year - 2000) // _CYCLE_YEARS
    try:
        day = datetime.date(year - cycles * _CYCLE_YEARS, int(found["month"]), int(found["day"])).toordinal() - EPOCH
    except ValueError:
        raise NotThat(text) from None
    return (day + cycles * _CYCLE_DAYS) * DAY + (_clock(found) if found["hour"] else 0)


def _iso_moment(text: str) -> int:
    """Other forms of ISO, such as without hyphens."""
    try:
        value = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise NotThat(text) from None
    since = value.replace(tzinfo=value.tzinfo or datetime.UTC) - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    return (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds * 1_000


def time(text: str) -> int:
    """A time of day; nanoseconds since midnight, of one with a zone since midnight in UTC."""
    found = _TIME.fullmatch(text)
    if not found:
        raise NotThat(text)
    return _clock(found) % DAY if found["zone"] else _clock(found)


def local_time(text: str) -> int:
    """A time of day without its zone; nanoseconds since midnight there."""
    found = _TIME.fullmatch(text)
    if not found:
        raise NotThat(text)
    return time(text[: found.start("zone")]) if found["zone"] else _clock(found)


def _clock(found: re.Match[str]) -> int:
    seconds = int(found["hour"]) * 3_600 + int(found["minute"]) * 60 + int(found["second"] or 0)
    zone = found["zone"]
    if zone and zone[0] in "+-":
        digits = zone[1:].replace(":", "")
        away = int(digits[:2]) * 3_600 + int(digits[2:] or 0) * 60
        seconds -= away if zone[0] == "+" else -away
    return seconds * _SECOND + _fraction(found["fraction"])


def _fraction(digits: str | None) -> int:
    return int((digits or "0").ljust(9, "0"))


def uuid(text: str) -> bytes:
    """A UUID, with hyphens or without, in letters of any case."""
    found = _UUID.fullmatch(text)
    if not found:
        raise NotThat(text)
    return bytes.fromhex("".join(found.groups()))


def hexadecimal(text: str) -> bytes:
    r"""Bytes as pairs of hexadecimal digits, after ``\x`` or ``0x`` or nothing."""
    found = _HEX.fullmatch(text)
    if not found:
        raise NotThat(text)
    return bytes.fromhex(found[1])


def escaped(text: str) -> bytes:
    r"""Bytes of which those that are no letters are written as ``\x00``, as DuckDB prints them."""
    try:
        return _ESCAPED.sub(lambda one: chr(int(one[1], 16)), text).encode("latin-1")
    except UnicodeEncodeError:
        raise NotThat(text) from None


def bits(text: str) -> bytes:
    """Bits as DuckDB hands them out: how many of the first byte pad it, with ones, and then the bits."""
    if not _BITS.fullmatch(text):
        raise NotThat(text)
    padding = -len(text) % 8
    number_of_bytes = (len(text) + padding) // 8
    return bytes([padding]) + int("1" * padding + text, 2).to_bytes(number_of_bytes, "big")


def base_64(text: str) -> bytes:
    """Bytes in base 64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NotThat(text) from None


def utf_8(text: str) -> bytes:
    """The bytes of the text itself."""
    return text.encode("utf-8", "surrogateescape")


def interval(text: str) -> tuple[int, int, int]:
    """Months, days and nanoseconds: ``1 year 2 mons 3 days 04:05:06.7`` or ISO's ``P1Y2M3DT4H``."""
    if text.startswith("P"):
        return _iso_interval(text)
    months, days, nanoseconds = decimal.Decimal(0), decimal.Decimal(0), decimal.Decimal(0)
    clocks = list(_SPAN_CLOCK.finditer(text))
    rest = _SPAN_CLOCK.sub(" ", text)
    spans = list(_SPAN.finditer(rest))
    if len(clocks) > 1 or not (clocks or spans) or _SPAN.sub("", rest).strip(" ,"):
        raise NotThat(text)
    for span in spans:
        amount, unit = decimal.Decimal(span[1]), span[2].lower()
        unit = unit if unit in ("s", "ms", "us", "ns") else unit.removesuffix("s")
        months += amount * _MONTHS.get(unit, 0)
        days += amount * _DAYS.get(unit, 0)
        nanoseconds += amount * _NANOSECONDS.get(unit, 0)
        if unit not in {**_MONTHS, **_DAYS, **_NANOSECONDS}:
            raise NotThat(text)
    for clock in clocks:
        seconds = int(clock[2]) * 3_600 + int(clock[3]) * 60 + int(clock[4] or 0)
        found = seconds * _SECOND + _fraction(clock[5])
        nanoseconds += -found if clock[1] == "-" else found
    return _whole(text, months, days, nanoseconds)


def _iso_interval(text: str) -> tuple[int, int, int]:
    found = _ISO_SPAN.fullmatch(text)
    if not found or not any(found.groups()):
        raise NotThat(text)
    year, month, week, day, hour, minute, second = (decimal.Decimal(one or 0) for one in found.groups())
    return _whole(text, year * 12 + month, week * 7 + day, (hour * 3_600 + minute * 60 + second) * _SECOND)


def _whole(text: str, *parts: decimal.Decimal) -> tuple[int, int, int]:
    if any(part != part.to_integral_value() for part in parts):
        raise NotThat(text)
    months, days, nanoseconds = map(int, parts)
    return months, days, nanoseconds
