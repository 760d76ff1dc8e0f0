"""Problems: what verification finds."""

from __future__ import annotations

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is not what it says.

    Attributes:
        code: ``R4.hash``, ``R4.derived``, ``R4.figures``, ``R3.configuration``, ``T5.order``, ``R4.sealed`` for what
            was added or lost, ``R4.sql`` for what the second implementation disagrees with, ``T8.missing`` for an
            attempt that was removed, or ``T8.stop`` for one that ended when nothing decided beforehand ends it.
        file: where.
        text: what is wrong.
    """

    code: str
    file: str
    text: str
