"""What a statement of a trace is to a replay, by the words of its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from weigh.capture.trace import Statement

Turn = Literal["begins", "ends", ""]
"""Of a statement: whether it begins or ends a transaction."""

_NOISE = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_BEGIN = re.compile(r"(BEGIN|START\s+TRANSACTION|MULTI)\b")
_END = re.compile(
    r"(COMMIT|END|ABORT|EXEC|DISCARD|ROLLBACK(?!\s+(WORK\s+|TRANSACTION\s+)?TO\b)|PREPARE\s+TRANSACTION)\b"
)
_STREAMS = re.compile(r"COPY\b.*\b(FROM\s+STDIN|TO\s+STDOUT)\b", re.DOTALL)
_HARMLESS = re.compile(
    r"(SET|SHOW|RESET|DISCARD|DEALLOCATE|PREPARE|EXECUTE|DECLARE|FETCH|MOVE|CLOSE|LISTEN|UNLISTEN|EXPLAIN|SAVEPOINT|"
    r"RELEASE|ROLLBACK)\b"
)
_STATE = re.compile(
    r"(SET(?!\s+(LOCAL|TRANSACTION|CONSTRAINTS)\b)|RESET|PREPARE(?!\s+TRANSACTION)|DEALLOCATE|LISTEN|DECLARE|"
    r"CREATE\s+(LOCAL\s+|GLOBAL\s+)?TEMP)|\bPG_(TRY_)?ADVISORY_LOCK\b"
)
_SPEAKS = {"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "MONITOR", "SYNC", "PSYNC", "QUIT", "AUTH", "HELLO", "SHUTDOWN"}
"""Commands of RESP after which a connection answers otherwise, or not at all."""
_NAME = re.compile(r'"([^"]+)"|([A-Za-z_][A-Za-z0-9_$]*)')
_TARGET = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE(?:\s+ONLY)?|DELETE\s+FROM(?:\s+ONLY)?|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?|"
    r'COPY|(?:CREATE|ALTER|DROP)\s+TABLE(?:\s+IF\s+(?:NOT\s+)?EXISTS)?)\s+((?:"[^"]+"|[\w$]+)(?:\s*\.\s*(?:"[^"]+"|[\w$]+))*)',
    re.IGNORECASE,
)
_READ = re.compile(r'\b(?:FROM|JOIN)\s+(?:ONLY\s+)?((?:"[^"]+"|[\w$]+)(?:\s*\.\s*(?:"[^"]+"|[\w$]+))*)', re.IGNORECASE)
_MOMENT = re.compile(
    r"\b(NOW|CURRENT_(TIMESTAMP|DATE|TIME)|LOCALTIME(STAMP)?|(CLOCK|STATEMENT|TRANSACTION)_TIMESTAMP|TIMEOFDAY|AGE|"
    r"RANDOM|GEN_RANDOM_UUID|UUID_GENERATE_V4|NEXTVAL|CURRVAL|LASTVAL|TXID_\w+|PG_CURRENT_XACT_ID|PG_BACKEND_PID|"
    r"VERSION|PG_\w+_SIZE|EXPLAIN|PG_STAT\w*|PG_LOCKS|TABLESAMPLE|CTID|XMIN|XMAX|SHOW|INET_\w+|RANDOM_NORMAL|UUIDV[47])\b"
)


def plain(text: str) -> str:
    """A text in capitals, without comments and strings, and without blanks around it."""
    return _NOISE.sub(" ", text).strip().upper()


def turn(one: Statement) -> Turn:
    """Whether it begins or ends a transaction."""
    words = plain(one.text)
    return "begins" if _BEGIN.match(words) else "ends" if _END.match(words) else ""


def streams(one: Statement) -> bool:
    """Whether it has rows or messages alongside it that no trace holds."""
    words = plain(one.text)
    return bool(_STREAMS.match(words))


def speaks(one: Statement) -> bool:
    """Of RESP: whether it changes how the connection answers."""
    return one.text.split(" ", 1)[0].strip('"').upper() in _SPEAKS


def writes(one: Statement) -> bool:
    """Whether it writes, or may: definitions of tables among it."""
    return one.does == "writes" or (one.does == "utility" and not _HARMLESS.match(plain(one.text)))


def changes_session(one: Statement) -> bool:
    """Whether it changes what later statements of its session mean."""
    return _STATE.match(plain(one.text)) is not None


def of_the_moment(one: Statement) -> bool:
    """Whether its answer may differ by itself: it names a clock, a random number, a sequence or the server's state."""
    return _MOMENT.search(plain(one.text)) is not None


def written(one: Statement) -> frozenset[str]:
    """Tables that it writes, by their last names in lower case."""
    return frozenset(map(_last, _TARGET.findall(_NOISE.sub(" ", one.text)))) if writes(one) else frozenset()


def named(one: Statement) -> frozenset[str]:
    """Every name in it, in lower case: more than its tables."""
    found = _NAME.findall(_NOISE.sub(" ", one.text))
    return frozenset((quoted or word).lower() for quoted, word in found)


def title(one: Statement, redis: bool) -> str:
    """For people: its first word and its first table."""
    if redis:
        return one.text.split(" ", 1)[0].strip('"').upper()
    words = plain(one.text)
    text = _NOISE.sub(" ", one.text)
    found = _TARGET.search(text) or _READ.search(text)
    verb = words.split(None, 1)[0].rstrip(";") if words else "?"
    return f"{verb} {_last(found[1])}" if found else verb


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip().strip('"').lower()
