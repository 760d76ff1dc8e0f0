"""What is replayed, as a part of a load's spec."""

from __future__ import annotations

import msgspec

from weigh.model.units import Seconds


class Replay(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A trace that is replayed. Of its statements only the digest enters the evidence.

    Attributes:
        trace: name of its file, or of the log it was made of.
        digest: SHA-256 of the trace's calls and settings of the replay that change what is sent.
        product: whose language the statements are in.
        speed: how many times as fast as it was recorded.
        calls: statements that are sent.
        length_s: recorded seconds from the first of them to the end of the last.
        read_only: whether statements that write were left out, and the sessions may not write.
        answers: whether the answers are kept.
        hidden: whether neither values nor rows enter the evidence.
        prepare: name of the file of SQL that made the data; empty where weigh made none.
        prepare_digest: SHA-256 of it.
    """

    trace: str
    digest: str
    product: str
    speed: float
    calls: int
    length_s: Seconds
    read_only: bool = False
    answers: bool = False
    hidden: bool = False
    prepare: str = ""
    prepare_digest: str = ""
