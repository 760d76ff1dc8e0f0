"""A log of PostgreSQL as servers really leave it: multi-line, torn, in several encodings, with secrets in it.

In it are calls of the 20 statements of :mod:`support.captured_workload`, and what else a server has to say.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from support.captured_workload import WEIGHTS, statement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRETS = [f"hunter2-{number:03}-Zq9!x" for number in range(64)]
"""Of 64 users; each stands in a large log many times, in every place where secrets stand."""
_BEGUN = datetime(2026, 11, 2, 10, 0, tzinfo=UTC)
_SESSIONS = 200
_RATE = 2_000


class UntidyLog:
    """The log.

    Args:
        seed: of all that is drawn.
        lists: values of the longest list of a statement.
        newline: at the end of each line.

    Attributes:
        calls: of each of the 20 statements, those whose text is whole.
        time_s: that they took.
    """

    def __init__(self, seed: int = 11, lists: int = 3_000, newline: bytes = b"\n") -> None:
        self._draw = random.Random(seed)
        self._lists = lists
        self._newline = newline
        self._at = 0.0
        self._waiting: list[tuple[int, float]] = []
        self.calls: Counter[int] = Counter()
        self.time_s = 0.0

    def write(self, path: Path, size: int) -> None:
        """Write at least so many bytes."""
        written = 0
        with path.open("wb") as file:
            while written < size:
                for line in self._lines():
                    file.write(line.replace(b"\n", self._newline))
                    written += len(line)
            for session, took in self._waiting:
                file.write(f"{self._head(session)}LOG:  duration: {took:.3f} ms\n".encode())

    def _head(self, session: int) -> str:
        stamp = _BEGUN + timedelta(seconds=self._at)
        return f"{stamp:%Y-%m-%d %H:%M:%S}.{stamp.microsecond // 1000:03} UTC [{session}] "

    def _counted(self, number: int, milliseconds: float) -> None:
        self.calls[number] += 1
        self.time_s += milliseconds / 1e3

    def _lines(self) -> Iterator[bytes]:
        draw = self._draw
        self._at += draw.expovariate(_RATE)
        head = self._head(4000 + draw.randrange(_SESSIONS))
        milliseconds = round(draw.uniform(0.05, 2), 3)
        took = f"LOG:  duration: {milliseconds:.3f} ms  "
        number = draw.choices(range(20), WEIGHTS)[0]
        text = statement(number, draw)
        secret = draw.choice(SECRETS)
        match draw.choices(range(12), [72, 8, 6, 2, 2, 2, 1, 1, 1, 1, 2, 2])[0]:
            case 0:
                self._counted(number, milliseconds)
                yield f"{head}{took}statement: {text}\n".encode()
            case 1:
                self._counted(number, milliseconds)
                split = text.replace(" WHERE ", "\n\tWHERE ").replace(" ORDER ", "\n\t\n\tORDER ")
                yield f"{head}{took}statement: {split}\n".encode()
            case 2:
                # log_statement and log_duration: what others did stands between the two.
                session = 8000 + len(self._waiting) + 100 * draw.randrange(10)
                if session not in [one for one, _ in self._waiting]:
                    self._counted(number, milliseconds)
                    self._waiting.append((session, milliseconds))
                    yield f"{self._head(session)}LOG:  statement: {text}\n".encode()
                if len(self._waiting) > 20:
                    ended, ended_ms = self._waiting.pop(draw.randrange(20))
                    yield f"{self._head(ended)}LOG:  duration: {ended_ms:.3f} ms\n".encode()
            case 3:
                self._counted(number, milliseconds)
                yield f"{head}{took}statement: /* page of Zoë's */ {text}\n".encode("latin-1")
            case 4:
                name = draw.choice(["Zoë", "Jürgen", "Åsa"])
                yield f"{head}{took}statement: SELECT 1 FROM people WHERE name = '{name}'\n".encode("latin-1")
            case 5:
                yield self._broken(head, took, text, secret)
            case 6:
                yield f"{head}{took}statement: ALTER USER u{number} PASSWORD '{secret}'\n".encode()
            case 7:
                whole = f"SELECT id FROM users WHERE mail = 'a{number}@b.example' AND password = '{secret}'"
                yield f"{head}{took}statement: {whole}\n".encode()
            case 8:
                whole = f"UPDATE hooks SET url = 'https://bob:{secret}@host/x' WHERE id = {number}"
                yield f"{head}{took}statement: {whole}\n".encode()
            case 9:
                yield f"{head}{took}execute <unnamed>: INSERT INTO logins (who, api_key) VALUES ($1, $2)\n".encode()
                yield f"{head}DETAIL:  Parameters: $1 = '{number}', $2 = '{secret}'\n".encode()
            case 10:
                yield f"{head}LOG:  checkpoint complete: wrote {number} buffers (0.0%)\n".encode()
            case _:
                yield f"{head}ERROR:  duplicate key value violates unique constraint\n".encode()
                yield f"{head}STATEMENT:  INSERT INTO users (password) VALUES ('{secret}')\n".encode()

    def _broken(self, head: str, took: str, text: str, secret: str) -> bytes:
        """What is no call: torn statements, halves of lines, bytes that are no text; and long lists."""
        draw = self._draw
        listed = ", ".join(["7"] * draw.randrange(2, self._lists))
        return draw.choice(
            [
                f"{head}{took}statement: SELECT 'torn {secret}\n".encode(),
                f"{head}{took}statem\n".encode(),
                f"{head[:17]}\n".encode(),
                f"{text[10:]}\n".encode(),
                bytes(draw.randrange(128, 256) for _ in range(80)) + b"\n",
                f"{head}{took}statement: SELECT v FROM listed WHERE id IN ({listed})\n".encode(),
                b"\0\0\0\n",
            ]
        )
