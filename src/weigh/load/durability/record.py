"""A crash of a server under load, as it was made, and what the server had when it was back."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Seconds


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What a server had of what it was sent since its data was loaded (``crates/weigh-load/src/durability.rs``).

    Attributes:
        unit: what is counted.
        rows: that were read.
        acknowledged: of what was sent, acknowledged, or seen by a read.
        lost: acknowledged, and neither there nor replaced by what came later.
        unanswered: sent and never answered: either outcome is right.
        found: of these, there.
        missing: rows that had been there, or whose insert was acknowledged, and were gone.
        torn: rows that hold what no write wrote as a whole.
        strange: rows that nobody wrote.
        messages: the first of what is wrong, in words: of a document three, of the journal more.
    """

    unit: Literal["writes", "transactions"]
    rows: int
    acknowledged: int
    lost: int
    unanswered: int
    found: int
    missing: int
    torn: int
    strange: int
    messages: tuple[str, ...] = msgspec.field(name="said", default=())


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """One crash. Moments are seconds since the schedule of its run began.

    Attributes:
        run: its number.
        at: when the killing began.
        killed_at: when all processes of the server were gone, or the user's command was done.
        started_at: when it was told to start again; None where that was never reached, as all that follows.
        answered_at: when it gave its first answer.
        released_at: when the load was let go on. From ``answered_at`` the schedule stood still.
        account: what it had then; None where nobody knows what the workload leaves behind.
        failed: why it did not come back, or could not be read; empty where it did.
    """

    run: int
    at: Seconds
    killed_at: Seconds
    started_at: Seconds | None = None
    answered_at: Seconds | None = None
    released_at: Seconds | None = None
    account: Account | None = None
    failed: str = ""
