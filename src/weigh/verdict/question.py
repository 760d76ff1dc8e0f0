"""Temperatures as the judge sees them: an operation at another temperature is another question.

All of them are judged together, so that false discoveries are controlled over the whole session and not over each
temperature by itself.
"""

from __future__ import annotations

HOT = "hot"
_APART = "\x1f"
"""In no name of an operation: it cannot be printed."""


def label(operation: str, temperature: str) -> str:
    """The question of an operation at a temperature; of a hot one, the operation's own name."""
    return operation if temperature == HOT else f"{operation}{_APART}{temperature}"


def parted(name: str) -> tuple[str, str]:
    """Operation and temperature of a :func:`label`."""
    operation, _, temperature = name.partition(_APART)
    return operation, temperature or HOT
