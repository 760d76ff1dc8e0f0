"""What passes from a source to the output: every value and every name, through here.

Secrets stop here. Another text stands in their place: the same for equal secrets of one capture, and from it nobody
comes back to the secret, because the key of the hash is forgotten.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weigh.capture.entry import Tally
    from weigh.capture.templates.template import Template

_ACCOUNTS = frozenset(("role", "user", "group", "password", "login"))
_ACCOUNT_VERBS = frozenset(("CREATE", "ALTER", "SET", "GRANT"))
_REDIS_ACCOUNTS = frozenset(("AUTH", "HELLO", "ACL", "CONFIG", "MIGRATE", "REPLICAOF"))
_NAMES = re.compile(
    r"passw(or)?d|passphrase|pwd$|secret|token|api_?key|access_?key|private_?key|credential|session_?key|^otp|auth_?key|"
    r"^identified$|^connection$|^crypt$|^pgp_|^dblink|^encrypt|^hmac$|^cvv|^ssn$|card_?number"
)
"""Names of columns, functions and keywords beside which secrets stand."""
_VALUES = re.compile(
    r"[a-z][a-z0-9+.-]*://[^/\s:@']*:[^@\s']+@|"
    r"\beyJ[\w-]{8,}\.[\w-]{8,}|"
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|"
    r"\b(?:gh[opsur]_|github_pat_|glpat-|sk-|sk_live_|pk_live_|rk_live_|xox[abeoprs]-|hf_|AIza|npm_|pypi-)[\w-]{10,}|"
    r"-----BEGIN [A-Z ]*PRIVATE KEY|"
    r"\$(?:2[abxy]|argon2\w*|5|6|y)\$|SCRAM-SHA-256\$|\bmd5[0-9a-f]{32}\b|"
    r"\b[Bb]earer [\w.~+/-]{8,}|\b[Bb]asic [A-Za-z0-9+/]{8,}=*|"
    r"\b(?:password|passwd|pwd|secret|token|api_?key)\s*[=:]\s*[^\s&;]",
    re.IGNORECASE,
)
"""Texts that are secrets wherever they stand: URLs with passwords, tokens of known services, keys, hashed passwords."""


class Screen:
    """Lets texts through, or something in their place.

    Args:
        tally: is told of what was replaced.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._key = secrets.token_bytes(32)
        self._suspect: dict[str, bool] = {}

    def admits(self, template: Template) -> bool:
        """Whether calls of it may be in the output at all: those that make or change accounts may not."""
        if template.first in _REDIS_ACCOUNTS and template.pieces[0].rstrip() == template.first:
            return False
        return not (template.first in _ACCOUNT_VERBS and template.does == "utility" and self._is_account(template))

    def values(self, template: Template, values: tuple[str | None, ...]) -> tuple[tuple[str | None, ...], bool]:
        """Values of a call as they may be in the output, and whether one of them is another one now."""
        beside = self._suspect.get(template.key)
        if beside is None:
            beside = any(_NAMES.search(word) for word in template.words)
            self._suspect[template.key] = beside
        if not values or not (beside or any(one is not None and _VALUES.search(one) for one in values)):
            return values, False
        passed = tuple(self._value(one, beside=beside) for one in values)
        return passed, passed != values

    def text(self, text: str) -> str:
        """A text without values as it may be in the output: of a statement, or of a name."""
        return _VALUES.sub("redacted", text)

    def _is_account(self, template: Template) -> bool:
        return bool(_ACCOUNTS & template.words) or any(_NAMES.search(word) for word in template.words)

    def _value(self, value: str | None, *, beside: bool) -> str | None:
        if value is None or _is_plain(value) or not (beside or _VALUES.search(value)):
            return value
        self._tally.add("redacted")
        digest = hmac.new(self._key, value.encode(errors="replace"), hashlib.sha256).hexdigest()[:16]
        stand_in = f"redacted-{digest}"
        quoted = value.endswith("'") or value.endswith("$") or (value[:1] == '"' and value[-1:] == '"')
        return f"'{stand_in}'" if quoted else stand_in


def _is_plain(value: str) -> bool:
    """Whether it is a number, a boolean or nothing, and so no secret that a text could be."""
    bare = value.strip("'")
    return len(bare) < 10 and (not bare or re.fullmatch(r"[+-]?\d*\.?\d+|t|f|true|false", bare) is not None)
