"""Computed: what follows from something that never changes, computed once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")


class Computed:
    """Remembers what was computed from it."""

    @cached_property
    def _results(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What follows from it, computed where it was not before.

        Args:
            key: its name.
            compute: computes it.
        """
        if key not in self._results:
            self._results[key] = compute()
        found: T = self._results[key]
        return found
