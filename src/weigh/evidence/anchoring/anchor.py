"""An anchor: what is kept elsewhere of a journal. A hash says nothing of what was measured."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import msgspec

from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Iterable

_ID = re.compile(r"[0-9a-f]{1,64}")
_HEAD = re.compile(r"[0-9a-f]{32}")
_SIGNATURE = re.compile(r"[A-Za-z0-9+/=]{0,1000}")
_MOST = 1 << 40


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a journal at a moment.

    Attributes:
        experiment: id of the experiment.
        attempt: number of the attempt, from 1.
        line: how many lines the journal had, from 1.
        head: hash of the last of them, as the next line carries it.
        first: that of the first one, which no other measurement has; empty where it is not known.
        at: when the witness received it, ISO 8601 in UTC, by the witness's own clock; empty until then.
        signature: by the key of the run, Base64 of OpenSSH's format; empty where it was not signed.
    """

    experiment: str
    attempt: int
    line: int
    head: str
    first: str = ""
    at: str = ""
    signature: str = ""

    @property
    def signed_text(self) -> str:
        """What the key of the run signs."""
        return f"weigh anchor {self.experiment} {self.attempt} {self.line} {self.head} {self.first}"

    @property
    def digest(self) -> str:
        """SHA-256 of all but the time: what a time-stamping authority signs."""
        text = f"weigh anchor {self.experiment} {self.attempt} {self.line} {self.head}"
        return hashlib.sha256(text.encode()).hexdigest()


class Stamped(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a journal: that an anchor was sent, and what came of it.

    Attributes:
        to: the witness.
        anchor: what was sent; its time is the witness's.
        error: why it was not taken; empty where it was.
        token: file of the token in the evidence, of a time-stamping authority; empty of others.
    """

    to: str
    anchor: Anchor
    error: str = ""
    token: str = ""


def checked(one: Anchor) -> Anchor:
    """The same, if it can be one: a witness takes them from anybody.

    Raises:
        EvidenceFault: it cannot.
    """
    fits = _ID.fullmatch(one.experiment) and _HEAD.fullmatch(one.head) and _HEAD.fullmatch(one.first or one.head)
    fits = fits and _SIGNATURE.fullmatch(one.signature)
    if not fits or not 0 < one.attempt < _MOST or not 0 < one.line < _MOST or len(one.at) > 40:
        raise EvidenceFault("it is no anchor of a journal")
    return one


def latest(anchors: Iterable[Anchor]) -> dict[int, Anchor]:
    """The anchor with the most lines of each attempt, by its number."""
    found: dict[int, Anchor] = {}
    for one in anchors:
        if one.attempt not in found or one.line > found[one.attempt].line:
            found[one.attempt] = one
    return found
