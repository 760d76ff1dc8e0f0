"""Questions: what a verdict is about. An operation at another temperature is another question.

All of them are judged together, so that false discoveries are controlled over the whole session and not over each
temperature by itself.
"""

from __future__ import annotations

from typing import NamedTuple

HOT = "hot"


class Question(NamedTuple):
    """An operation at a temperature.

    Attributes:
        operation: its name.
        temperature: of the executions: ``hot``, ``cold`` or ``first``.
    """

    operation: str
    temperature: str = HOT
