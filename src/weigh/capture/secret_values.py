"""Texts that are secrets wherever they stand, known by their form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.capture.escapes import readings

if TYPE_CHECKING:
    from collections.abc import Callable

_STRONG = re.compile(
    r"[A-Za-z0-9+.-]://[^/\s@'\"<>]{1,1000}@|"
    r"\b(?:eyJ|ZXlK)[\w+/=-]{8,}|"
    r"\b(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA)[0-9A-Z]{12,}|"
    r"(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|gl[a-z]{2,5}-|sk-|[spr]k_(?:live|test)_|whsec_|xox[a-z]-|xapp-|hf_|AIza|"
    r"ya29\.|npm_|pypi-|dop_v1_|doo_v1_|shp[a-z]{2}_|SG\.|sq0[a-z]{3}-|EAAC|glsa_|glc_|hvs\.|hvb\.|dapi|rubygems_|"
    r"lin_api_|figd_|pul-|tfp_|PMAK-|sntrys_|dckr_pat_|ATATT|ATCTT|FLWSECK|AGE-SECRET-KEY-|dt0c01\.|NRAK-|"
    r"atlasv1\.|CFPAT-)[\w.+/=-]{10,}|"
    r"-----BEGIN|PuTTY-User-Key|hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|"
    r"\$(?:2[abxy]?|1|5|6|7|y|gy|apr1|argon2\w*|scrypt|pbkdf2[\w-]*|bcrypt[\w-]*|sha1|md5|P|H)\$|"
    r"SCRAM-SHA-\d+\$|\{S?(?:SHA|MD5|CRYPT)\w*\}|\bpbkdf2[_:]sha|\bscrypt:\d|\bmd5[0-9a-f]{32}\b|\*[0-9A-F]{40}\b|"
    r"\b(?i:bearer|basic|digest|negotiate|apikey|token)\s+[\w.~+/=-]{8,}"
)
_ADDRESS = re.compile(
    # scheme://user:password@, whatever the password is of
    r"://[^\s/@:]{0,200}:[^@\n]{1,200}@|"
    # user:password@host, and user/password@host of Oracle
    r"(?:[^\s:@'\"]|//):(?:[^\s@\"]|\"(?![,:}\]])){1,200}@[\w(\[./-]|"
    r"[^\s/@:'\"]/[^\s/@]{1,200}@[\w(\[./-]"
)
_FLAG = re.compile(
    r"(?<![\w-])(?:-[uU]|--?(?:proxy-)?user)[\s=]*[^\s:]{1,200}:\S|"
    r"(?<![\w-])--?(?:pass\w*|pw|key|sig)(?:\s*=\s*|\s+)\S|(?<![\w-])-p(?=\S{0,60}[^\sa-z])\S{3}|"
    r"\b(?i:(?:mysql|mariadb|mongo|redis|valkey|ldap|psql|pg_)[\w-]*|sshpass|sqlcmd|bcp|sqlplus|smbclient|curl|wget|rclone)"
    r"\b[^\n]{0,300}?\s-[paPwWbuU]\s*\S"
)
"""Of programs' command lines."""
_QUOTED = re.compile(r'"(?:[^"]|"")+"|`(?:[^`]|``)+`')
_RUN = re.compile(r"(?<![\w+/=-])(?:\\?\\x|0[xX])?[A-Za-z0-9+/=_-]{16,}")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_HEX = re.compile(r"(?:\\?\\x|0[xX])?[0-9a-fA-F]{32,}")
_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_LONG, _DENSE = 20, 2.5
"""Characters of a random text at least, and of its parts of one kind (digits, small letters) on average at most."""
_KEY_LONG, _KEY_DENSE = 40, 3.5
"""The same of a key of exactly so many characters, as Amazon's are."""
_CARD = re.compile(r"(?<![\w.-])(?:4|5[1-5]|2[2-7]|3[47]|6(?:011|5))\d(?:[ -]?\d){10,14}(?![\w.-])")
_MOST = 100_000
"""Characters of a text of which only the first are looked at for random runs: what is behind them is data."""


def is_secret(text: str) -> bool:
    """Whether a value is or holds a secret of a known form: next to it there may be others of none."""
    return any(_is_secret(one) for one in readings(text))


def is_secret_text(text: str) -> bool:
    """The same of text around values: SQL that is no name has signs as addresses have."""
    return any(_STRONG.search(one) for one in readings(text)) or any(is_secret(one) for one in _QUOTED.findall(text))


def _is_secret(text: str) -> bool:
    if _STRONG.search(text) is not None or ("@" in text and _ADDRESS.search(text) is not None):
        return True
    return "-" in text and _FLAG.search(text) is not None


def without_random(text: str, stand_in: Callable[[str], str]) -> str:
    """Long hexadecimal, random and card numbers replaced where they stand: they may be secrets, or only identifiers.

    Args:
        text: in which they are.
        stand_in: what takes the place of one.
    """
    if len(text) < 13:
        return text
    found = _RUN.sub(lambda run: stand_in(run[0]) if _is_random(run[0]) else run[0], text)
    return _CARD.sub(lambda run: stand_in(run[0]) if _is_card(run[0]) else run[0], found)


def _is_random(run: str) -> bool:
    if run.isdigit():
        return len(run) >= 32
    if _HEX.fullmatch(run):
        return True
    if len(run) < _LONG or _UUID.search(run) or _ULID.fullmatch(run):
        return False
    chunks = _CHUNK.findall(run[:_MOST])
    letters = sum(map(len, chunks))
    digits = any(one[0].isdigit() for one in chunks)
    mixed = run != run.lower() and run != run.upper()
    if not chunks or letters < _LONG or not (digits or mixed):
        return False
    mean = letters / len(chunks)
    if digits and any(one[0].isalpha() for one in chunks) and mean <= _DENSE:
        return True
    return len(run) == _KEY_LONG and digits and mixed and mean <= _KEY_DENSE


def _is_card(run: str) -> bool:
    """By the last digit, which follows from the others (ISO/IEC 7812-1)."""
    digits = [int(one) for one in run if one.isdigit()]
    doubled = [sum(divmod(2 * one, 10)) if place % 2 else one for place, one in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 16 and sum(doubled) % 10 == 0
