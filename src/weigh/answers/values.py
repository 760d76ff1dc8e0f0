"""The values of an answer: what a cell and a row are to a comparison."""

from __future__ import annotations

from typing import Any

Cell = Any


Row = tuple[Cell, ...]
