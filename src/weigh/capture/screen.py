"""What passes from a source to the output: every value and every name, through here.

A call that may hold a secret loses all its values: because a word of a secret stands anywhere in it, because one of its
values has the form of a secret, or because it executes what was prepared so. Which of its values is the secret is not
guessed. In their place stand others of the same form.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec

from weigh.capture import secret_words
from weigh.capture.escapes import readings
from weigh.capture.stand_ins import StandIns
from weigh.capture.templates.template import is_command
from weigh.capture.trace import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weigh.capture.entry import Entry, Reason, Tally
    from weigh.capture.parameters import Distribution
    from weigh.capture.templates.template import Template


_ACCOUNTS = frozenset(("role", "user", "group", "password", "login"))
_ACCOUNT_VERBS = frozenset(("CREATE", "ALTER", "SET", "GRANT", "REVOKE", "DROP"))
_REDIS_ACCOUNTS = frozenset(("AUTH", "HELLO", "ACL", "CONFIG", "MIGRATE", "REPLICAOF", "SLAVEOF", "SENTINEL"))
_FREE = frozenset(("COMMENT", "DO", "NOTIFY", "SECURITY"))
"""Commands that carry any text."""
_BODIES = frozenset(("function", "procedure", "event", "server", "subscription", "trigger"))
"""What CREATE and ALTER make of any text."""
_MAKES = frozenset(("CREATE", "ALTER"))
_PLACES = frozenset(("table", "index", "view"))
"""Of which these may be names."""
_HOLDS = frozenset(("PREPARE", "EXPLAIN", "DECLARE", "EXECUTE"))
"""Commands that hold a statement, which can still be sent without its secrets."""
_NAMING = frozenset(("SET", "LISTEN", "UNLISTEN", "USE"))
"""Commands whose names are values."""
# fmt: off
_OPTIONS = frozenset(
    (
        "EX", "PX", "NX", "XX", "GT", "LT", "CH", "INCR", "GET", "KEEPTTL", "EXAT", "PXAT", "WITHSCORES", "WITHVALUES",
        "REV", "LIMIT", "COUNT", "MATCH", "TYPE", "BLOCK", "STREAMS", "GROUP", "MAXLEN", "MINID", "NOMKSTREAM", "NOACK",
        "KEYS", "FIELDS", "BYSCORE", "BYLEX", "LEFT", "RIGHT", "BEFORE", "AFTER", "ASC", "DESC", "ALPHA", "BY", "STORE",
        "WEIGHTS", "AGGREGATE", "SUM", "MIN", "MAX", "PERSIST", "LOAD", "EXISTS", "CREATE", "MKSTREAM",
    )
)
# fmt: on
"""Of commands of Redis: they say how, and no secret is one of them."""
_LONGEST = 200_000
"""Characters of a value that is looked at; a longer one may hold anything."""
_SESSION = re.compile(
    r"\d{1,20}|[0-9a-f]{1,16}\.[0-9a-f]{1,16}|\d{1,3}(?:\.\d{1,3}){3}:\d{1,5}|\[[0-9a-fA-F:.%\w]{2,60}\]:\d{1,5}|unix:[/\w.-]{1,100}|"
)
_CODES = frozenset(("encode", "decode"))
_QUOTES = re.compile(r"^(?:[A-Za-z]&?|_\w+\s*)?(['\"])(.*)\1$", re.DOTALL)
_JOINS = frozenset(
    ("concat", "concat_ws", "format", "array_to_string", "string_agg", "group_concat", "replace", "textcat")
)
"""Functions that join texts."""
_STATE = re.compile(r"[0-9A-Z]{5}|\d{1,6}")


class Screen:
    """Lets texts through, or something in their place.

    Args:
        tally: counts what was replaced.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._stand_ins = StandIns()
        self._prepared = Prepared()

    def suspects(self, template: Template, values: Sequence[str | None], entry: Entry) -> bool:
        """Whether a call may hold a secret."""
        suspicious = template.worded or self.suspects_values(values) or _is_weak(template, values)
        suspicious = suspicious or _has_code(template, [values])
        if entry.words:
            return self._scripts(template.first, entry.words, suspicious=suspicious)
        suspicious = suspicious or self.suspects_values([_joined(template, values)])
        if "execute" in template.words and not suspicious:
            suspicious = self._prepared.suspicious(entry.session, entry.text)
        if "prepare" in template.words:
            self._prepared.prepare(entry.session, entry.text, suspicious=suspicious)
        return suspicious

    def suspects_values(self, values: Sequence[str | None]) -> bool:
        """Whether one of them is a secret, or names one."""
        for one in values:
            # Numbers and truth values are most of them.
            if one is None or len(one) < 2 or one.isdigit():
                continue
            if len(one) > _LONGEST:
                return True
            if is_secret(one) or any(map(secret_words.in_value, readings(one))):
                return True
        return False

    def leaves_out(self, template: Template, *, suspicious: bool, failed: bool, redis: bool) -> Reason | None:
        """Why calls of it may not be in the output at all; None where they may."""
        if redis:
            accounts = template.first in _REDIS_ACCOUNTS or (suspicious and template.does == "utility")
            return "accounts" if accounts or (suspicious and failed) else None
        parts = template.parts
        if any(verb == "COPY" for verb, _ in parts):
            return "copy"
        if any(_is_account(verb, words) for verb, words in parts):
            return "accounts"
        if any(verb in _FREE or (verb in _MAKES and words & _BODIES and not words & _PLACES) for verb, words in parts):
            return "free-text"
        if not suspicious:
            return None
        command = any(verb not in _HOLDS and is_command(verb) for verb, _ in parts)
        naming = bool(template.forms) or len(parts) > 1 or template.first in _NAMING
        starts = template.first == "START" and bool(template.forms)
        return "accounts" if failed or not template.plain or starts or (command and naming) else None

    def values(
        self, template: Template, values: Sequence[str | None], *, suspicious: bool
    ) -> tuple[tuple[str | None, ...], bool]:
        """Values of a call as they may be in the output, and whether one of them is another one now."""
        if suspicious:
            passed = tuple(
                self._value(one, form, before)
                for one, form, before in zip(values, template.forms, template.before, strict=True)
            )
        else:
            passed = tuple(
                one if one is None or len(one) < 13 else without_random(one, self._stand_ins.of) for one in values
            )
        changed = sum(one != other for one, other in zip(passed, values, strict=True))
        if changed:
            self._tally.add("redacted", changed)
        return passed, changed > 0

    def distributions(
        self, template: Template, given: Sequence[Distribution | None], *, sample: str = ""
    ) -> tuple[list[Distribution | None], bool]:
        """The same of what is known of the values of a statement.

        Args:
            template: of the statement.
            given: of each value.
            sample: a call of it.
        """
        texts = [text for one in given if one is not None for text, _ in one.values]
        affixes = [one.prefix + one.suffix for one in given if one is not None]
        suspicious = (
            template.worded
            or "execute" in template.words
            or self.suspects_values([*texts, *affixes])
            or _is_weak(template, [*texts, *affixes, sample])
            or _has_code(template, zip_longest(*map(_texts, given), fillvalue="hex"))
            or (bool(sample) and (secret_words.in_statement(sample) or is_secret_text(sample)))
        )
        passed: list[Distribution | None] = []
        for one, form, before in zip(given, template.forms, template.before, strict=True):

            def stand_in(text: str, form: str = form, before: str = before) -> str:
                if suspicious:
                    return self._value(text, form, before) or ""
                return without_random(text, self._stand_ins.of)

            passed.append(None if one is None else one.images(stand_in) if suspicious else _each(one, stand_in))
        return passed, suspicious

    def text(self, text: str) -> str:
        """A text without values as it may be in the output: of a statement, or of a name."""
        if is_secret_text(text):
            return "redacted"
        return without_random(text, lambda _: "redacted")

    def session(self, session: str) -> str:
        """What tells sessions apart, as it may be in the output."""
        return session if _SESSION.fullmatch(session) else self._stand_ins.of(session + "   ")

    def _value(self, value: str | None, form: str, before: str) -> str | None:
        if value is None or value.upper() in _OPTIONS:
            return value
        if before in ("limit", "offset") and value.isdigit() and len(value) < 6:
            return value
        return self._stand_ins.of(value) if form == "bound" else self._stand_ins.literal(value)

    def _scripts(self, command: str, words: Sequence[str], *, suspicious: bool) -> bool:
        """Of commands of Redis that run or load scripts."""
        if command == "SCRIPT" and len(words) == 3 and words[1].upper() == "LOAD":
            self._prepared.load(unescaped(words[2]), suspicious=suspicious)
        elif command in ("EVAL", "EVAL_RO") and len(words) > 1:
            self._prepared.load(unescaped(words[1]), suspicious=suspicious)
        elif command in ("EVALSHA", "EVALSHA_RO") and len(words) > 1 and not suspicious:
            return self._prepared.suspicious_script(words[1])
        return suspicious


def state(text: str | None) -> str | None:
    """The code of an error; of what is none there is nothing."""
    return text if text is None or _STATE.fullmatch(text) else "XX000"


def _is_account(verb: str, words: frozenset[str]) -> bool:
    return verb in _ACCOUNT_VERBS and bool(_ACCOUNTS & words) and not words & _PLACES


def _is_weak(template: Template, values: Sequence[str | None]) -> bool:
    """Whether a word that is no secret's of itself, ``private``, stands in a call with a value of a secret's form."""
    texts = [one for one in values if one and not one.isdigit()]
    names = [one for piece in template.pieces if '"' in piece for one in _QUOTED.findall(piece)]
    if not any(map(secret_words.is_made_up, (*texts, *names))):
        return False
    return template.weak or any(map(secret_words.weak_in_value, texts))


def _texts(one: Distribution | None) -> list[str | None]:
    return [None] if one is None else [text for text, _ in one.values]


def _has_code(template: Template, calls: Iterable[Sequence[str | None]]) -> bool:
    """Whether one of some calls has a key of ``encode`` or ``decode``, as MySQL takes one, in whoever's log."""
    named = not _CODES.isdisjoint(template.words)
    return named and any(secret_words.in_code(template.pieces, values) for values in calls)


def _joined(template: Template, values: Sequence[str | None]) -> str:
    """The texts of a statement as one, where it joins texts; otherwise nothing."""
    texts = [_QUOTES.sub(r"\2", one) for one in values if one]
    joins = not _JOINS.isdisjoint(template.words) or any("||" in one or one.isspace() for one in template.pieces)
    return "".join(texts)[:_LONGEST] if joins or any(one.endswith("//") for one in texts) else ""


def _each(one: Distribution, stand_in: Callable[[str], str]) -> Distribution:
    return msgspec.structs.replace(one, values=tuple((stand_in(text), share) for text, share in one.values))


_NAME = r"(\"(?:[^\"]|\"\"){0,128}\"|`[^`]{0,128}`|[\w$]{1,128})"
_PREPARES = re.compile(rf"\bprepare\s+{_NAME}", re.IGNORECASE)
_EXECUTES = re.compile(rf"\bexecute\s+{_NAME}", re.IGNORECASE)
_MOST_SESSIONS = 10_000
_MOST_NAMES = 200_000
"""Of all sessions; the names of those that are longest unused go first, and are unknown then."""
_MOST_SCRIPTS = 10_000


class Prepared:
    """Remembers names, and scripts of Redis by their sums."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, dict[str, bool]] = OrderedDict()
        self._number = 0
        self._scripts: OrderedDict[str, bool] = OrderedDict()

    def prepare(self, session: str, text: str, *, suspicious: bool) -> None:
        """A statement that prepares others, and may hold a word of a secret."""
        names = self._sessions.setdefault(session, {})
        self._sessions.move_to_end(session)
        for found in _PREPARES.finditer(text):
            self._number += found[1].lower() not in names
            names[found[1].lower()] = suspicious
        while len(self._sessions) > _MOST_SESSIONS or self._number > _MOST_NAMES:
            self._number -= len(self._sessions.popitem(last=False)[1])

    def suspicious(self, session: str, text: str) -> bool:
        """Whether a statement executes one that may hold a secret, or one of which nothing is known."""
        names = self._sessions.get(session, {})
        return any(names.get(found[1].lower(), True) for found in _EXECUTES.finditer(text))

    def load(self, script: bytes, *, suspicious: bool) -> None:
        """A script of Redis."""
        self._scripts[hashlib.sha1(script, usedforsecurity=False).hexdigest()] = suspicious
        if len(self._scripts) > _MOST_SCRIPTS:
            self._scripts.popitem(last=False)

    def suspicious_script(self, digest: str) -> bool:
        """Whether a script may hold a secret; one of which nothing is known may."""
        return self._scripts.get(digest.lower(), True)


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
_PASSWORD_FILE = re.compile(
    # host:port:database:user:password of .pgpass, by the usual ports, and by any behind what only a host looks like:
    # keys of Redis have numbers there, too
    r"(?<![^\s'\"])(?:[^\s:'\"]{1,200}:(?:[56]43\d|\*)|(?:localhost|/[^\s:'\"]{1,199}|[^\s:'\"]{1,199}\.[^\s:'\"]{1,199}):\d{2,5})"
    r":[^\s:'\"]{1,63}:[^\s:'\"]{1,63}:[^\s'\"]"
)
_FIELDS = 4
"""Colons of such a line."""
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
    if text.count(":") >= _FIELDS and _PASSWORD_FILE.search(text) is not None:
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
