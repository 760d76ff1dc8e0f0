"""Queries whose answers are of the types of engines' SQL, over the rows 1 to 4 of ``t``."""

EXPRESSIONS: dict[str, str] = {}
"""By name."""
