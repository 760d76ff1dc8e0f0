"""Questions: what a verdict is about. An operation at another temperature is another question.

All of them are judged together, so that false discoveries are controlled over the whole session and not over each
temperature by itself.
"""

from __future__ import annotations

import msgspec

HOT = "hot"


class Question(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """An operation at a temperature; a subclass may say more of what was the same on both sides.

    Attributes:
        operation: its name.
        temperature: of the executions: ``hot``, ``cold`` or ``first``.
    """

    operation: str
    temperature: str = HOT
