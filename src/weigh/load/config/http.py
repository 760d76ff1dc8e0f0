"""Flags about what a server answers: ``--expect`` of HTTP, ``--answers`` and ``--pin`` of SQL."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMES = ("http://", "https://")
_UNASKED = ("http", "clickhouse", "cassandra", "scylla", "redis", "valkey")
"""What targets begin with whose answers weigh does not ask before the clock."""
_PATH = re.compile(r"\.|(\.?\[\d+\]|\.[^.\[\]\s<>=!]+)+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_STATUSES = re.compile(r"\s*[1-5]\d\d(-[1-5]\d\d)?\s*(,\s*[1-5]\d\d(-[1-5]\d\d)?\s*)*")
_FORMS = "write json .PATH=VALUE, json .PATH!=VALUE, json .PATH, contains TEXT, lacks TEXT, or status 200,204,300-399"
_JSON = (
    "write json .PATH=VALUE, json .PATH!=VALUE or json .PATH, with a path of .name and [0]: no <, > and ==, and "
    "no counting from the end"
)


def other(targets: Sequence[str]) -> str | None:
    """The first target that does not speak HTTP."""
    return next((one for one in targets if not one.startswith(SCHEMES)), None)


def expected(texts: Sequence[str] | None, targets: Sequence[str]) -> tuple[str, ...] | msgspec.UnsetType:
    """``--expect``; read by ``crates/weigh-load/src/protocol/http/expectation.rs``, which takes odd paths for names.

    Raises:
        UsageError: a target does not speak HTTP, or what is expected cannot be read, or has a form that looks like more
            than it is.
    """
    if texts and (sql := other(targets)) is not None:
        raise UsageError(
            f"--expect is about answers of HTTP, and {sql} gives none", remedy="leave it out; --answers checks rows"
        )
    for text in texts or ():
        word, rest = [*text.split(None, 1), "", ""][:2]
        rest = rest.strip()
        path, equals, value = rest.partition("=")
        if word == "json":
            path = path.removesuffix("!").strip() if equals else path.strip()
            if not _PATH.fullmatch(path) or value.startswith("="):
                raise UsageError(
                    f"what is expected at '{path}' cannot be read", where=f"--expect '{text}'", remedy=_JSON
                )
            if _NUMBER.fullmatch(value.strip()) and math.isinf(float(value)):
                raise UsageError(
                    f"{value.strip()} is beyond a double, and equals nothing",
                    where=f"--expect '{text}'",
                    remedy='write a smaller number, or a text: json .PATH="1e400"',
                )
        elif not ((rest and word in ("contains", "lacks")) or (word == "status" and _STATUSES.fullmatch(rest))):
            raise UsageError("what is expected cannot be read", where=f"--expect '{text}'", remedy=_FORMS)
    return tuple(texts) if texts else msgspec.UNSET


def need_answers(flag: str, target: str) -> None:
    """See that weigh asks a server's answers before the clock.

    Args:
        flag: ``answers`` or ``pin``.
        target: as the user wrote it.

    Raises:
        UsageError: it does not.
    """
    if target.startswith(_UNASKED):
        instead = "; --expect says what an answer of HTTP must be" if target.startswith(SCHEMES) else ""
        raise UsageError(
            f"--{flag} is about answers that are asked before the clock, and those of {target} are not: weigh asks "
            "PostgreSQL, MySQL and SQLite",
            remedy=f"leave --{flag} out{instead}",
        )
