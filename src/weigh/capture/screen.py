"""What passes from a source to the output: every value and every name, through here.

A call that may hold a secret loses all its values: because a word of a secret stands anywhere in it, because one of its
values has the form of a secret, or because it executes what was prepared so. Which of its values is the secret is not
guessed. In their place stand others of the same form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weigh.capture import secret_values, secret_words
from weigh.capture.escapes import readings
from weigh.capture.prepared import Prepared
from weigh.capture.stand_ins import StandIns
from weigh.capture.templates.template import is_command
from weigh.capture.trace import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
        suspicious = template.worded or self.suspects_values(values)
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
            if secret_values.is_secret(one) or any(map(secret_words.in_value, readings(one))):
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
                one if one is None or len(one) < 13 else secret_values.without_random(one, self._stand_ins.of)
                for one in values
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
            or (bool(sample) and (secret_words.in_statement(sample) or secret_values.is_secret_text(sample)))
        )
        passed: list[Distribution | None] = []
        for one, form, before in zip(given, template.forms, template.before, strict=True):

            def stand_in(text: str, form: str = form, before: str = before) -> str:
                if suspicious:
                    return self._value(text, form, before) or ""
                return secret_values.without_random(text, self._stand_ins.of)

            passed.append(None if one is None else one.images(stand_in) if suspicious else _each(one, stand_in))
        return passed, suspicious

    def text(self, text: str) -> str:
        """A text without values as it may be in the output: of a statement, or of a name."""
        if secret_values.is_secret_text(text):
            return "redacted"
        return secret_values.without_random(text, lambda _: "redacted")

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


def _joined(template: Template, values: Sequence[str | None]) -> str:
    """The texts of a statement as one, where it joins texts; otherwise nothing."""
    texts = [_QUOTES.sub(r"\2", one) for one in values if one]
    joins = not _JOINS.isdisjoint(template.words) or any("||" in one or one.isspace() for one in template.pieces)
    return "".join(texts)[:_LONGEST] if joins or any(one.endswith("//") for one in texts) else ""


def _each(one: Distribution, stand_in: Callable[[str], str]) -> Distribution:
    return msgspec.structs.replace(one, values=tuple((stand_in(text), share) for text, share in one.values))
