"""What stands in the place of a secret: of the same form, so that the statement can still be sent.

Equal secrets of one capture have the same stand-in, and from it nobody comes back to the secret: the key from which it
is drawn is forgotten.
"""

from __future__ import annotations

import hashlib
import re
import secrets

import msgspec

_NUMBER = re.compile(r"[+-]?\s*\d*\.?\d+\.?(?:[eE][+-]?\d{1,3})?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?)?")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"(\\\\?x|0[xX])?((?:[0-9a-fA-F]{2})*[0-9a-fA-F]?)")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?")
_UNITS = (
    r"microsecond|millisecond|second|sec|minute|min|hour|day|week|month|mon|quarter|year|decade|century|epoch|dow|doy"
)
_HARMLESS = re.compile(
    rf"(?i:(?:\d{{1,2}} ?)?(?:{_UNITS})s?)|(?:YYYY|YY|MM|DD|HH24|HH12|HH|MI|SS|MS|US|Month|Mon|Dy|Day|TZ|[-/: ,.T_])+|"
    r"(?i:true|false|null|yes|no|on|off|utc|utf-?8|hex|base64|escape|md5|sha-?(?:1|224|256|384|512)|aes|xdes)"
)
"""Units, forms of dates, names of methods, and words of which there are two."""
_LITERAL = re.compile(r"(?s)([A-Za-z]?&?)'(.*)'|\"(.*)\"|\$(\w*)\$(.*)\$\4\$")
_LEAST = 3
"""Characters from which on a text can be a secret."""
_LARGEST_DOCUMENT = 1 << 20


class StandIns:
    """Draws them, with a key of its own."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def literal(self, text: str) -> str:
        """Of a literal of SQL, with its quotes."""
        found = _LITERAL.fullmatch(text)
        if found is None:
            if re.fullmatch(r"0[xX][0-9a-fA-F]+", text):
                return self._hex(text, text[:2], text[2:])
            return self._number(text) if _NUMBER.fullmatch(text) else f"'{self._text(text)}'"
        if found[3] is not None:
            return f'"{self.of(found[3].replace(chr(34) * 2, chr(34)))}"'
        if found[5] is not None:
            return "'" + self.of(found[5]) + "'"
        sign, body = found[1].upper(), found[2].replace("''", "'")
        if sign in ("B", "X"):
            draw = (
                self._hex(body, "", body) if sign == "X" else "".join(f"{int(one, 16) % 2}" for one in self._draw(body))
            )
            return f"{sign}'{draw}'"
        if sign == "E":
            # The stand-in of one has no backslash, but the one of bytes, whose backslash is meant.
            return "'" + self.of(re.sub(r"\\(?!x[0-9a-fA-F]{2}(?![0-9a-fA-F]))(.)", r"\1", body)) + "'"
        return f"{found[1]}'{self.of(body)}'"

    def of(self, text: str) -> str:
        """Of a value without quotes."""
        if len(text) < _LEAST or _HARMLESS.fullmatch(text):
            return text
        if _NUMBER.fullmatch(text):
            return self._number(text)
        if _MOMENT.fullmatch(text):
            return self._moment(text)
        if _ADDRESS.fullmatch(text):
            return "10." + ".".join(str(int(one, 16) * 15) for one in self._draw(text, 3))
        if _UUID.fullmatch(text):
            made = iter(self._draw(text))
            return "".join(next(made) if one != "-" else one for one in text)
        digits = _HEX.fullmatch(text)
        if digits is not None and (digits[1] or len(digits[2]) >= 16):
            return self._hex(text, digits[1] or "", digits[2])
        if text[:1] in "[{" and text[-1:] in "]}":
            return self._document(text)
        begin = "%" if text.startswith("%") else ""
        end = "%" if text.endswith("%") else ""
        return f"{begin}{self._text(text)}{end}"

    def _text(self, text: str) -> str:
        return f"redacted-{self._draw(text, 16)}"

    def _draw(self, text: str, digits: int | None = None) -> str:
        """Hexadecimal digits, as many as the text has characters where it is not given."""
        number = len(text) if digits is None else digits
        stream = hashlib.shake_256(self._key + text.encode(errors="replace"))
        return stream.hexdigest((number + 1) // 2)[:number]

    def _hex(self, text: str, sign: str, digits: str) -> str:
        made = self._draw(text, len(digits))
        return sign + (made.upper() if digits == digits.upper() else made)

    def _number(self, text: str) -> str:
        """With as many digits. The first is a 1, so that it fits every type that the number did."""
        mantissa, sign, exponent = re.fullmatch(r"(.*?)(?:([eE])(.*))?", text).groups()  # type: ignore[union-attr]
        if sum(map(str.isdigit, mantissa)) < _LEAST:
            return text
        drawn = (str(int(one, 16) % 10) for one in self._draw(text))
        made, first = "", True
        for one in mantissa:
            made += one if not one.isdigit() else "1" if first else next(drawn)
            first = first and not one.isdigit()
        return made + (f"{sign}{exponent}" if sign else "")

    def _moment(self, text: str) -> str:
        """Another day of the year, at another time of the day."""
        drawn = [int(one, 16) for one in self._draw(text, 24)]
        made = f"{text[:4]}-{1 + drawn[0] % 12:02}-{1 + (drawn[1] * 16 + drawn[2]) % 28:02}"
        if len(text) > 10:
            made += f"{text[10]}{(drawn[3] * 16 + drawn[4]) % 24:02}:{drawn[5] % 6}{drawn[6] % 10}"
            rest = text[16:]
            if rest[:1] == ":":
                made += f":{drawn[7] % 6}{drawn[8] % 10}"
                rest = rest[3:]
            fraction = re.match(r"\.\d+", rest)
            if fraction:
                made += "." + "".join(str(one % 10) for one in drawn[9 : 8 + len(fraction[0])])
                rest = rest[len(fraction[0]) :]
            made += rest
        return made

    def _document(self, text: str) -> str:
        """Of JSON, or of an array as PostgreSQL writes it."""
        try:
            document = msgspec.json.decode(text) if len(text) <= _LARGEST_DOCUMENT else None
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            document = None
        if isinstance(document, dict):
            return f'{{"redacted": "{self._text(text)}"}}'
        if isinstance(document, list) or text[0] == "[":
            return f'["{self._text(text)}"]'
        inside = text[1:-1]
        if inside and re.fullmatch(r"[-+\d.,\s]*", inside):
            return "{" + ",".join(self.of(one.strip()) for one in inside.split(",")) + "}"
        return f"{{{self._text(text)}}}"
